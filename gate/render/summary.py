"""The job summary: the comment with nothing folded, and every detail a comment has no room for."""

from collections.abc import Iterator
from typing import Final

from gate.core.plan import FileRef
from gate.core.report import Report, SideReport
from gate.render.attempts import attempt_lines
from gate.render.comment import alert, by_type, circumstances, comparability, gates
from gate.render.dialect import MARKDOWN
from gate.render.flipped import flipped_table, flips_summary, rest_of_flips
from gate.render.gated import gated_metrics
from gate.render.left_out import left_out
from gate.render.markdown import blocks, capital, listing, small
from gate.render.metric_tables import all_metrics_table, named_in
from gate.render.neutral import block
from gate.render.numbers import DASH, count, usd
from gate.render.outcomes import threshold_words
from gate.render.panel import dimension_table, judge_table, panel_lines, panel_title, panels
from gate.render.policy import policy_table
from gate.render.provenance import commands, footer
from gate.render.reading import reading
from gate.render.tables import Column, Row, Table, markdown_table

_ALL: Final = 1_000
_DIGEST_SHOWN: Final = 16
_COMMIT_SHOWN: Final = 7


def summary(report: Report) -> str:
    """Everything a reader could ask of this run, as Markdown that ends with a line end."""
    same, differs = comparability(report)
    noted = left_out(report, MARKDOWN, ids=_ALL)
    return (
        blocks(
            alert(report),
            circumstances(report),
            gates(report),
            *(_section(title, body) for title, body in _panels(report)),
            *(by_type(report, gated, most=None) for gated in gated_metrics(report) if gated.by_type),
            _section(capital(flips_summary(report)), _flips(report)),
            _section("Every attempt of this run", listing(attempt_lines(report, MARKDOWN))),
            _section("Rules", markdown_table(rules_table(report))),
            _section("All metrics", markdown_table(all_metrics_table(report, MARKDOWN))),
            _section(same, differs),
            _section("Left out and noted", listing(noted.lines) or "Nothing."),
            _section(
                "What this change would do to the rules", markdown_table(policy_table(report, MARKDOWN))
            ),
            _section("Files", markdown_table(files_table(report))),
            _section("This run", listing(_run(report))),
            _section("How to read this", listing(reading(report, MARKDOWN))),
            _section("How to reproduce this", block("\n".join(commands(report)))),
            small(footer(report, MARKDOWN)),
        )
        + "\n"
    )


def rules_table(report: Report) -> Table:
    """Every outcome with its reason code and the sentence that goes with it."""
    columns = (
        Column("rule", "left", wraps=True),
        Column("suite", "left", wraps=True),
        Column("verdict", "left"),
        Column("reason", "left", wraps=True),
        Column("what was found", "left", wraps=True),
    )
    rows = tuple(
        Row(
            (
                MARKDOWN.label(outcome.rule),
                DASH if outcome.suite is None else MARKDOWN.label(outcome.suite),
                f"{MARKDOWN.marks[outcome.verdict]} {outcome.verdict}",
                DASH if outcome.reason is None else MARKDOWN.name(outcome.reason),
                MARKDOWN.prose(outcome.message) + threshold_words(report, outcome),
            )
        )
        for outcome in report.outcomes
    )
    return Table(columns, rows)


def files_table(report: Report) -> Table:
    """Every file a number came from, pinned by its content."""
    columns = (
        Column("side", "left", wraps=True),
        Column("file", "left", wraps=True),
        Column("bytes"),
        Column("sha256", "left"),
    )
    return Table(columns, tuple(_files(report)))


def _files(report: Report) -> Iterator[Row]:
    if report.plan.config is not None:
        yield _file("config", report.plan.config)
    for planned in report.plan.suites:
        for ref in planned.earlier:
            yield _file("candidate, an earlier attempt", ref)
    for suite in report.suites:
        place = named_in(report, suite, MARKDOWN)
        if suite.panel is not None:
            yield _file(f"panel{place}", suite.panel.receipt)
        yield from _rows_of("candidate", place, suite.candidate)
        if suite.baseline is not None:
            yield from _rows_of("baseline", place, suite.baseline)


def _rows_of(side: str, place: str, found: SideReport) -> Iterator[Row]:
    if found.rows is not None:
        yield _file(f"{side}{place}", found.rows)
    if found.copy is not None:
        yield _file(f"{side}, kept copy{place}", found.copy)


def _file(side: str, ref: FileRef) -> Row:
    place = "" if ref.commit is None else f" at {MARKDOWN.name(ref.commit[:_COMMIT_SHOWN])}"
    return Row(
        (side, MARKDOWN.name(ref.path) + place, count(ref.bytes), MARKDOWN.name(ref.sha256[:_DIGEST_SHOWN]))
    )


def _panels(report: Report) -> Iterator[tuple[str, str]]:
    for suite, panel in panels(report):
        body = blocks(
            markdown_table(dimension_table(suite, panel, MARKDOWN)),
            listing(panel_lines(suite, panel, MARKDOWN)),
            markdown_table(judge_table(panel, MARKDOWN)),
        )
        yield panel_title(report, suite, panel, MARKDOWN), body


def _flips(report: Report) -> str:
    table = markdown_table(flipped_table(report, MARKDOWN, most=_ALL))
    return blocks(table, rest_of_flips(report, _ALL)) if table else ""


def _run(report: Report) -> Iterator[str]:
    """The circumstances: tool, time, cost, durations, limits, policies."""
    plan = report.plan
    yield f"version {MARKDOWN.prose(report.tool_version)}, {MARKDOWN.prose(report.created_at)}, mode {report.mode}"
    yield "cost: not measured" if report.cost_usd is None else f"cost: {usd(report.cost_usd)}"
    for stage, took in report.durations_ms.items():
        yield f"{MARKDOWN.name(stage)}: {count(took)} ms"
    yield f"limits: errors {plan.limits.errors:.1%}, unpaired {plan.limits.unpaired:.1%} of the questions"
    for reason, policy in plan.on_inconclusive.items():
        yield f"inconclusive, {MARKDOWN.name(reason)}: {policy}"
    yield f"plan {MARKDOWN.name(report.plan_sha256[:_DIGEST_SHOWN])}"


def _section(title: str, body: str) -> str:
    return blocks(f"### {title}", body) if body else ""
