"""The report for a person at a terminal: verdict and next step first, aligned tables, nothing folded away."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gate.core.report import Report, Verdict
from gate.render.attempts import attempt_lines
from gate.render.comparability import differs_table, statement
from gate.render.dialect import PLAIN
from gate.render.drift import explained
from gate.render.flipped import FLIPS_SHOWN, flipped_table, flips_summary, rest_of_flips
from gate.render.gated import Gated, gated_metrics
from gate.render.headline import headline
from gate.render.left_out import left_out
from gate.render.markdown import capital
from gate.render.metric_tables import gated_table, type_table, unmarked
from gate.render.palette import NO_COLOUR, Palette
from gate.render.panel import dimension_table, judge_table, panel_lines, panel_title, panels
from gate.render.policy import policy_notice, policy_table
from gate.render.provenance import methods, provenance, receipt
from gate.render.sensitivity import sensitivity
from gate.render.tables import Table, Tone
from gate.render.text_table import text_table

_TONES: Final[Mapping[Verdict, Tone]] = {"pass": "good", "fail": "bad", "inconclusive": "unsure"}
_NARROWEST: Final = 40


def terminal(report: Report, *, width: int = 100, colour: Palette = NO_COLOUR) -> str:
    """The report as plain text no wider than `width` (at least 40), ending with a line end."""
    room = max(width, _NARROWEST)
    parts = [part for part in _parts(report, room, colour) if part]
    return "\n\n".join(parts) + "\n"


def _parts(report: Report, width: int, colour: Palette) -> Iterator[str]:
    told = headline(report, PLAIN)
    yield colour.bold(colour.paint(_wrapped(told.title, width), _TONES[report.verdict]))
    yield _wrapped(told.action, width)
    yield colour.paint(_wrapped(provenance(report, PLAIN), width), "quiet")
    yield _wrapped(explained(report, PLAIN), width)
    yield _wrapped(policy_notice(report, PLAIN), width)
    yield text_table(gated_table(report, PLAIN), width=width, palette=colour)
    yield _listed(sensitivity(report, PLAIN), width)
    yield from _panels(report, width, colour)
    for gated in gated_metrics(report):
        yield _types(report, gated, width, colour)
    yield _flips(report, width, colour)
    yield _attempts(report, width, colour)
    yield _titled("What differs", differs_table(report, PLAIN), width, colour)
    yield _titled("What this change would do to the rules", policy_table(report, PLAIN), width, colour)
    yield _left_out(report, width, colour)
    yield colour.paint(_wrapped(_ending(report), width), "quiet")


def _panels(report: Report, width: int, colour: Palette) -> Iterator[str]:
    for suite, panel in panels(report):
        title = panel_title(report, suite, panel, PLAIN)
        table = text_table(dimension_table(suite, panel, PLAIN), width=width, palette=colour)
        lines = _listed(panel_lines(suite, panel, PLAIN), width)
        yield "\n".join(part for part in (colour.bold(_wrapped(title, width)), table, lines) if part)
        yield text_table(judge_table(panel, PLAIN), width=width, palette=colour)


def _types(report: Report, gated: Gated, width: int, colour: Palette) -> str:
    place = f", {PLAIN.name(gated.suite.name)}" if gated.suite and len(report.suites) > 1 else ""
    title = f"{PLAIN.name(gated.metric)} by question type{place}"
    shown = _titled(title, type_table(gated, PLAIN), width, colour)
    return f"{shown}\n{_wrapped(unmarked(gated, PLAIN), width)}" if shown else ""


def _flips(report: Report, width: int, colour: Palette) -> str:
    shown = _titled(flips_summary(report), flipped_table(report, PLAIN), width, colour)
    rest = rest_of_flips(report, FLIPS_SHOWN)
    return f"{shown}\n{_wrapped(rest, width)}" if shown and rest else shown


def _attempts(report: Report, width: int, colour: Palette) -> str:
    lines = attempt_lines(report, PLAIN)
    return f"{colour.bold('Every attempt of this run')}\n{_listed(lines, width)}" if lines else ""


def _left_out(report: Report, width: int, colour: Palette) -> str:
    lines = left_out(report, PLAIN).lines
    return f"{colour.bold('Left out and noted')}\n{_listed(lines, width)}" if lines else ""


def _ending(report: Report) -> str:
    parts = (statement(report), methods(report, PLAIN), receipt(report, PLAIN))
    return capital(" · ".join(part for part in parts if part))


def _titled(title: str, table: Table, width: int, colour: Palette) -> str:
    body = text_table(table, width=width, palette=colour)
    return f"{colour.bold(_wrapped(title, width))}\n{body}" if body else ""


def _listed(lines: Iterable[str], width: int) -> str:
    return "\n".join(_wrapped(line, width, first="- ", rest="  ") for line in lines)


def _wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> str:
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=True,
    )
