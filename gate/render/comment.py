"""The pull-request comment: verdict and next step, the gated numbers, what changed; everything else folded."""

from collections.abc import Callable
from typing import Final

from gate.core.records.panel_figures import PanelReport
from gate.core.report import Report, SuiteReport
from gate.core.wording import counted
from gate.render.attempts import attempt_lines
from gate.render.changes import arrow
from gate.render.comparability import differing, differs_table, statement
from gate.render.dialect import MARKDOWN
from gate.render.drift import explained
from gate.render.flipped import FLIPS_SHOWN, flipped_table, flips_summary, rest_of_flips
from gate.render.gated import Gated, gated_metrics
from gate.render.headline import headline
from gate.render.left_out import left_out, left_out_summary
from gate.render.markdown import blocks, capital, folded, listing, small
from gate.render.metric_tables import TYPES_SHOWN, all_metrics_table, gated_table, type_table, unmarked
from gate.render.neutral import block
from gate.render.panel import dimension_table, judge_table, panel_lines, panel_title, panels
from gate.render.policy import introduced, policy_notice, policy_table
from gate.render.provenance import commands, footer, provenance, receipt
from gate.render.reading import reading
from gate.render.sensitivity import sensitivity
from gate.render.tables import markdown_table

_EVERYTHING: Final = "The receipt and the job summary hold everything."


def comment(report: Report) -> str:
    """The full rendition, as Markdown that ends with a line end."""
    return _ended(
        alert(report),
        circumstances(report),
        gates(report),
        judged(report),
        types(report),
        changed(report),
        folds(report),
        small(footer(report, MARKDOWN)),
    )


def renditions(report: Report) -> tuple[Callable[[], str], ...]:
    """The same comment, shorter and shorter: full, without questions, gated metrics only, headline only."""
    return (
        lambda: comment(report),
        lambda: _without_questions(report),
        lambda: _gated_only(report),
        lambda: _headline_only(report),
    )


def alert(report: Report) -> str:
    """The verdict as GitHub's alert block."""
    told = headline(report, MARKDOWN)
    return f"> [!{told.level.upper()}]\n> **{told.title}** {told.action}".rstrip()


def circumstances(report: Report) -> str:
    """Which commits and runs, what has changed where that is watched, and whose rules decide."""
    return blocks(provenance(report, MARKDOWN), explained(report, MARKDOWN), policy_notice(report, MARKDOWN))


def gates(report: Report) -> str:
    """The table of gated metrics, and what its passes can and cannot claim."""
    return blocks(markdown_table(gated_table(report, MARKDOWN)), listing(sensitivity(report, MARKDOWN)))


def judged(report: Report) -> str:
    """What every panel of judges came to; the scores of each judge folded."""
    return blocks(*(_panel(report, suite, panel) for suite, panel in panels(report)))


def _panel(report: Report, suite: SuiteReport, panel: PanelReport) -> str:
    return blocks(
        f"**{panel_title(report, suite, panel, MARKDOWN)}**",
        markdown_table(dimension_table(suite, panel, MARKDOWN)),
        listing(panel_lines(suite, panel, MARKDOWN)),
        folded("Scores of each judge", markdown_table(judge_table(panel, MARKDOWN))),
    )


def types(report: Report) -> str:
    """A table by question type for every metric whose types are gated; of the others the first, if it is alone."""
    return blocks(*(by_type(report, gated) for gated in _shown_by_type(report)))


def by_type(report: Report, gated: Gated, *, most: int | None = TYPES_SHOWN) -> str:
    """One metric by question type."""
    table = markdown_table(type_table(gated, MARKDOWN, most=most))
    return blocks(f"**By question type**, {_title(report, gated)}:", table, unmarked(gated, MARKDOWN))


def changed(report: Report) -> str:
    """The questions that changed: open when the gate did not pass, folded when it did."""
    table = markdown_table(flipped_table(report, MARKDOWN))
    if not table:
        return ""
    body = blocks(table, rest_of_flips(report, FLIPS_SHOWN))
    if report.verdict == "pass":
        return folded(flips_summary(report), body)
    return blocks(f"**{flips_summary(report)}**:", body)


def folds(report: Report, *, ids: int = 10) -> str:
    """What is there for those who ask: all metrics, sameness, what was left out, how to read, how to repeat."""
    compared = sum(len(suite.comparisons) for suite in report.suites)
    noted = left_out(report, MARKDOWN, ids=ids)
    return blocks(
        folded("Every attempt of this run", listing(attempt_lines(report, MARKDOWN))),
        _other_types(report),
        folded(f"All metrics: {compared} compared", markdown_table(all_metrics_table(report, MARKDOWN))),
        folded(*comparability(report)),
        folded(
            left_out_summary(noted),
            listing(noted.lines) or "Every question of both sides is in every number.",
        ),
        folded("What this change would do to the rules", markdown_table(policy_table(report, MARKDOWN))),
        folded("How to read this", listing(reading(report, MARKDOWN))),
        folded("How to reproduce this", block("\n".join(commands(report)))),
    )


def _without_questions(report: Report) -> str:
    return _ended(
        alert(report),
        circumstances(report),
        gates(report),
        judged(report),
        types(report),
        folds(report, ids=0),
        small(f"Left out here for its size: the list of changed questions. {_EVERYTHING}"),
        small(footer(report, MARKDOWN)),
    )


def _gated_only(report: Report) -> str:
    return _ended(
        alert(report),
        circumstances(report),
        gates(report),
        small(f"Left out here for its size: types, changed questions and all details. {_EVERYTHING}"),
        small(footer(report, MARKDOWN)),
    )


def _headline_only(report: Report) -> str:
    return _ended(
        alert(report),
        explained(report, MARKDOWN),
        introduced(report, MARKDOWN),
        small(
            f"Left out here for its size: every table. {_EVERYTHING} {capital(receipt(report, MARKDOWN))}."
        ),
    )


def _shown_by_type(report: Report) -> list[Gated]:
    typed = [gated for gated in gated_metrics(report) if gated.by_type]
    return [gated for gated in typed if any(one.gated for one in gated.by_type)] or typed[:1]


def _other_types(report: Report) -> str:
    """The metrics whose types decide nothing, folded."""
    shown = _shown_by_type(report)
    return blocks(
        *(
            folded(f"By question type: {_title(report, gated)}", by_type(report, gated))
            for gated in gated_metrics(report)
            if gated.by_type and gated not in shown
        )
    )


def _title(report: Report, gated: Gated) -> str:
    place = f", {MARKDOWN.name(gated.suite.name)}" if gated.suite and len(report.suites) > 1 else ""
    return f"{MARKDOWN.name(gated.metric)}{arrow(gated.better)}{place}"


def comparability(report: Report) -> tuple[str, str]:
    """What differs between the sides: a title that says it all when nothing does, and the details."""
    number = differing(report)
    title = (
        f"What differs: {counted(number, 'fingerprint')}"
        if number
        else "What differs: nothing that was stated"
    )
    same = statement(report)
    return title, blocks(f"{capital(same)}." if same else "", markdown_table(differs_table(report, MARKDOWN)))


def _ended(*parts: str) -> str:
    return blocks(*parts) + "\n"
