"""The comparison as Markdown: the contract's structure, with everything left out said below the table."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gate.core.glossary import lookup
from gate.core.mode_report import MetricComparison, ModeReport, PairReport
from gate.core.records.ecmascript import to_fixed
from gate.core.records.ledger import SEARCH_MODES, RunRecord
from gate.core.report import FieldDiff
from gate.core.wording import counted
from gate.render.methodology import methodology
from gate.render.neutral import code, inline

DASH: Final = "—"
_DECIMALS: Final = 4
_REASON: Final = 400
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+=/-]{0,79}")
_ISO_DATE: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_ARROWS: Final = {"higher": " ↑", "lower": " ↓", None: ""}

_COLUMNS: Final = (
    "Suite",
    "Baseline → Candidate",
    "Metric",
    "Pairs (clusters)",
    "Baseline",
    "Candidate",
    "Δ",
    "95% CI",
    "p",
    "Holm p",
    "Wins / losses / ties",
    "Verdict",
)


def compare_report(report: ModeReport) -> str:
    """The whole report, ending in one newline; with nothing to show, two lines that say what to do."""
    if not report.records and not report.pairs:
        return _text([*_nothing(report), *_notes(report)])
    return _text(
        [
            "# Search Mode Comparison",
            "*Written by `gate compare`; run it again instead of editing this file.*",
            *_suites(report),
            *_paired(report),
            f"*{methodology(report)}*",
        ]
    )


def _text(blocks: Sequence[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _nothing(report: ModeReport) -> Iterator[str]:
    if report.ledger is not None and report.ledger.records:
        yield "*No run matches the filters.*"
        yield "*Leave out `--runs`, `--modes` or `--suite` to see every run of the ledger.*"
        return
    yield "*No run has been recorded yet.*"
    yield "*Record one into the ledger, name another with `--input`, or compare two row files with `--rows`.*"


def _suites(report: ModeReport) -> Iterator[str]:
    for suite, modes in report.grouped.items():
        yield f"## {inline(suite)}"
        yield _table(("Mode", "Status", "Run ID", "Ran at"), _mode_rows(modes))
        yield from _aggregates({mode: record for mode, record in modes.items() if record is not None})


def _mode_rows(modes: Mapping[str, RunRecord | None]) -> Iterator[tuple[str, ...]]:
    """The search modes, present or not, then the others; a suite without search modes lists only those."""
    others = any(mode not in SEARCH_MODES for mode in modes)
    searched = any(modes[mode] is not None for mode in SEARCH_MODES)
    for mode, record in modes.items():
        if record is not None:
            yield inline(mode), inline(record.status), _name(record.run_id), _moment(record.ran_at)
        elif searched or not others:
            yield inline(mode), "N/A — no run", DASH, DASH


def _moment(text: str | None) -> str:
    """A date as it is written; GitHub finds nothing in one, so it needs no code span."""
    if text is None:
        return DASH
    return text if _ISO_DATE.fullmatch(text) else inline(text)


def _aggregates(modes: Mapping[str, RunRecord]) -> Iterator[str]:
    """Per metric of the records themselves: one line a mode, and what the metric means."""
    metrics = dict.fromkeys(name for record in modes.values() for name in record.aggregates)
    if not metrics:
        yield "*These records carry no aggregate metrics.*"
    for metric in metrics:
        yield f"### {inline(metric)}"
        yield "\n".join(
            f"  {inline(mode)}: {_value(record.aggregates.get(metric))}" for mode, record in modes.items()
        )
        entry = lookup(metric)
        yield f"Plain English: {entry.text if entry else 'nobody has described this metric yet.'}"


def _value(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return "_no value_"
    return f"**{to_fixed(value, _DECIMALS)}**"


def _paired(report: ModeReport) -> Iterator[str]:
    yield "## Paired comparisons"
    rows = [_row(pair, found) for pair in report.pairs for found in pair.comparisons]
    if rows:
        yield _table(_COLUMNS, rows)
    else:
        yield "No metric was compared question by question: aggregate-only."
    if report.unavailable:
        yield _list(f"{_name(run.run_id)}: {inline(run.reason, limit=_REASON)}" for run in report.unavailable)
    if rows:
        yield _key(report)
    yield from _section("Significant differences", _differences(report))
    yield from _section("Questions", (_questions(pair) for pair in report.pairs if pair.read))
    yield from _section("Not comparable, so not compared", _incomparable(report))
    yield from _section("What differs", (_differing(pair) for pair in report.pairs if pair.differs))
    yield from _notes(report)


def _row(pair: PairReport, found: MetricComparison) -> tuple[str, ...]:
    statistics = found.statistics
    return (
        inline(pair.suite),
        _runs(pair),
        f"{_name(found.metric)}{_ARROWS[found.better]}",
        f"{statistics.n} ({statistics.clusters})",
        to_fixed(statistics.baseline_mean, _DECIMALS),
        to_fixed(statistics.candidate_mean, _DECIMALS),
        to_fixed(statistics.delta, _DECIMALS),
        _interval(statistics.lower95, statistics.upper95),
        to_fixed(statistics.p_value, _DECIMALS),
        to_fixed(found.holm_p_value, _DECIMALS),
        " / ".join(map(str, _counts(found))),
        "significant" if found.significant else "not significant",
    )


def _runs(pair: PairReport) -> str:
    baseline, candidate = (
        f"{_name(record.run_id)} ({inline(record.mode)})" for record in (pair.baseline, pair.candidate)
    )
    return f"{baseline} → {candidate}"


def _interval(lower: float | None, upper: float | None) -> str:
    if lower is None or upper is None:
        return DASH
    return f"[{to_fixed(lower, _DECIMALS)}, {to_fixed(upper, _DECIMALS)}]"


def _counts(found: MetricComparison) -> tuple[int, int, int]:
    """Wins, losses, ties: a win is a question on which the candidate is better, so smaller where lower is."""
    greater, smaller, ties = found.statistics.wins, found.statistics.losses, found.statistics.ties
    return (smaller, greater, ties) if found.better == "lower" else (greater, smaller, ties)


def _key(report: ModeReport) -> str:
    directions = {found.better for found in report.comparisons}
    parts = [
        "↑ higher is better" if "higher" in directions else "",
        "↓ lower is better" if "lower" in directions else "",
        "a win is a question on which the candidate is better" if directions - {None} else "",
        "without an arrow no direction is declared, and a win is a greater value"
        if None in directions
        else "",
    ]
    text = "; ".join(part for part in parts if part)
    return f"{text[0].upper()}{text[1:]}."


def _differences(report: ModeReport) -> Iterator[str]:
    for pair in report.pairs:
        for found in pair.comparisons:
            if found.significant:
                yield f"{_direction(found)}: {_name(found.metric)} {_change(found)}, {_runs(pair)}"


def _direction(found: MetricComparison) -> str:
    return {True: "**worse**", False: "**better**", None: "**direction not declared**"}[found.adverse]


def _change(found: MetricComparison) -> str:
    delta = found.statistics.delta
    return f"{'rose' if delta > 0 else 'fell'} by {to_fixed(abs(delta), _DECIMALS)}"


def _questions(pair: PairReport) -> str:
    counts = (
        f"{pair.joined} on both sides",
        f"{pair.baseline_only} only in the baseline",
        f"{pair.candidate_only} only in the candidate",
        f"{pair.changed} left out because their content changed" if pair.changed else "",
    )
    return f"{_runs(pair)}: {', '.join(count for count in counts if count)}{_gaps(pair)}"


def _gaps(pair: PairReport) -> str:
    """Per metric, the questions on both sides that did not become a pair."""
    gaps = [
        f"; {_name(found.metric)}: {what}"
        for found in pair.comparisons
        for count, what in (
            (found.not_measured, f"{found.not_measured} without a value on a side"),
            (found.judge_errors, f"{found.judge_errors} with a judge error"),
            (found.abstentions, f"{counted(found.abstentions, 'abstention')} left out"),
        )
        if count
    ]
    return "".join(gaps)


def _incomparable(report: ModeReport) -> Iterator[str]:
    for pair in report.pairs:
        for item in pair.incomparable:
            yield f"{_name(item.metric)}, {_runs(pair)}: {', '.join(map(_field, item.fields))}"


def _differing(pair: PairReport) -> str:
    return f"{_runs(pair)}: {', '.join(map(_field, pair.differs))}"


def _field(diff: FieldDiff) -> str:
    return f"{inline(diff.field)} {_stated(diff.baseline)} → {_stated(diff.candidate)}"


def _stated(value: str | None) -> str:
    return "(not stated)" if value is None else _name(value)


def _notes(report: ModeReport) -> Iterator[str]:
    yield from _section("Notes", (inline(note, limit=_REASON) for note in report.notes))


def _section(title: str, items: Iterator[str]) -> Iterator[str]:
    found = list(items)
    if found:
        yield f"**{title}**"
        yield _list(iter(found))


def _list(items: Iterator[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(columns: Sequence[str], rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> str:
    head = (columns, ("---",) * len(columns))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (*head, *rows))


def _name(text: str) -> str:
    """An identifier as inline code: in backticks where it is ordinary, else neutralised."""
    return f"`{text}`" if _PLAIN.fullmatch(text) else code(text)
