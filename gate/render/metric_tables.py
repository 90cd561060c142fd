"""The tables of a report: gated metrics, question types, and everything that was compared.

Narrow enough for a comment: the verdict stands below the metric's name, the interval below its difference.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gate.core.report import Comparison, Report, SuiteReport, Verdict
from gate.render.changes import arrow, gained_lost, improved, words, worsened
from gate.render.dialect import Dialect
from gate.render.gated import Gated, gated_metrics
from gate.render.numbers import DASH, SHARE, Scale, count, interval, p_value, scale, scale_of, spelled_out
from gate.render.outcomes import outcome_cell, significance
from gate.render.tables import Column, Row, Table, Tone, without_empty_columns

TYPES_SHOWN: Final = 8
_TONES: Final[Mapping[Verdict, Tone]] = {"pass": "good", "fail": "bad", "inconclusive": "unsure"}


def gated_table(report: Report, dialect: Dialect) -> Table:
    """One row a gated metric (and suite, where there are several), the worst verdict first."""
    metrics = gated_metrics(report)
    compared = [one.comparison for one in metrics if one.comparison is not None]
    rows = tuple(_gated_row(report, one, dialect, compared) for one in metrics)
    return without_empty_columns(Table(_metric_columns("gated metric", compared), rows), empty=DASH)


def all_metrics_table(report: Report, dialect: Dialect) -> Table:
    """Every metric of every suite, gated or not, over all its questions."""
    compared = [one for suite in report.suites for one in suite.comparisons]
    rows = tuple(
        Row(
            (f"{_metric(one, report, suite, dialect)}\n{significance(one)}", *_cells(one, compared)),
            _tone(one),
        )
        for suite in report.suites
        for one in suite.comparisons
    )
    return without_empty_columns(Table(_metric_columns("metric", compared), rows), empty=DASH)


def type_table(gated: Gated, dialect: Dialect, *, most: int | None = TYPES_SHOWN) -> Table:
    """One row a question type: significant ones first, then by size; beyond `most`, small types share a row."""
    ordered = sorted(gated.by_type, key=_type_order)
    kept = len(ordered)
    if most is not None and kept > most:
        kept = max(most - 1, sum(bool(one.significant) for one in ordered))
    rows = [_type_row(one, dialect, ordered) for one in ordered[:kept]]
    if kept < len(ordered):
        rows.append(_folded_row(ordered[kept:], ordered))
    named = words(*gated.by_type)
    columns = (
        Column("question type", "left", wraps=True),
        Column("n"),
        Column("baseline"),
        Column("candidate"),
        Column(f"{_delta_title(ordered)} [95 % CI]"),
        Column("Holm p" if _in_family(ordered) else "p", optional=1),
        Column(f"{named.gained} / {named.lost}", optional=2),
    )
    return Table(columns, tuple(rows))


def unmarked(gated: Gated, dialect: Dialect) -> str:
    """What it means that a row of the type table carries no mark, and which types lost too much to be judged."""
    if not _in_family(gated.by_type):
        return "No rule gates single types: these p are not adjusted and decide nothing."
    marked = any(one.significant for one in gated.by_type)
    said = "Types without a mark: not significant." if marked else "Every type: not significant."
    lost = [kind for one in gated.outcomes if one.reason == "not_measured" for kind in one.types]
    if not lost:
        return said
    return (
        f"{said} Too little measured to judge, whatever their rows say: {', '.join(map(dialect.name, lost))}."
    )


def named_in(report: Report, suite: SuiteReport | None, dialect: Dialect) -> str:
    """The suite's name on its own line, where there is more than one suite."""
    return "" if suite is None or len(report.suites) < 2 else f"\n{dialect.label(suite.name)}"


def _metric_columns(title: str, compared: Sequence[Comparison]) -> tuple[Column, ...]:
    return (
        Column(title, "left"),
        Column("n"),
        Column("baseline"),
        Column("candidate"),
        Column(f"{_delta_title(compared)}\n[95 % CI]", optional=1),
        Column("p", optional=3),
        Column("Holm p", optional=2),
        Column("questions", optional=4),
    )


def _cells(found: Comparison, compared: Sequence[Comparison]) -> tuple[str, ...]:
    measure = scale_of(found)
    change = _delta(measure, found.delta, compared)
    return (
        count(found.n),
        measure.value(found.baseline_mean),
        measure.value(found.candidate_mean),
        f"{change}\n{interval(found)}",
        p_value(found.p_value),
        p_value(found.holm_p_value),
        _questions(found),
    )


def _gated_row(report: Report, gated: Gated, dialect: Dialect, compared: Sequence[Comparison]) -> Row:
    name = dialect.label(gated.metric)
    label = dialect.strong(name) if gated.verdict == "fail" else name
    said = "\n".join(outcome_cell(report, gated, outcome, dialect) for outcome in gated.outcomes)
    first = f"{label}{arrow(gated.better)}{named_in(report, gated.suite, dialect)}\n{said}"
    cells = _one_side(gated) if gated.comparison is None else _cells(gated.comparison, compared)
    return Row((first, *cells), _TONES[gated.verdict])


def _one_side(gated: Gated) -> tuple[str, ...]:
    """What the candidate measured where nothing could be compared."""
    alone = gated.mean
    if alone is None:
        return (DASH,) * 7
    return (count(alone.n), DASH, scale(gated.unit, alone.mean).value(alone.mean), *[DASH] * 4)


def _metric(found: Comparison, report: Report, suite: SuiteReport, dialect: Dialect) -> str:
    """Name, direction, a unit that is no plain word, suite."""
    unit = "" if spelled_out(found.unit) else f" ({dialect.label(found.unit or '')})"
    return dialect.label(found.metric) + arrow(found.better) + unit + named_in(report, suite, dialect)


def _type_row(found: Comparison, dialect: Dialect, compared: Sequence[Comparison]) -> Row:
    name = dialect.label(found.question_type or "")
    label = f"{_mark(found, dialect)} {dialect.strong(name) if worsened(found) else name}".strip()
    measure = scale_of(found)
    cells = (
        count(found.n),
        measure.value(found.baseline_mean),
        measure.value(found.candidate_mean),
        f"{_delta(measure, found.delta, compared)} {interval(found)}",
        p_value(found.holm_p_value if _in_family(compared) else found.p_value),
        " / ".join(map(count, gained_lost(found))),
    )
    return Row((label, *cells), _tone(found))


def _folded_row(folded: Sequence[Comparison], compared: Sequence[Comparison]) -> Row:
    """Several types in one row: pooled means (types do not share questions), no interval and no p."""
    total = sum(one.n for one in folded)
    before = sum(one.baseline_mean * one.n for one in folded) / max(total, 1)
    after = sum(one.candidate_mean * one.n for one in folded) / max(total, 1)
    measure = scale(folded[0].unit, before, after)
    changes = [sum(values) for values in zip(*map(gained_lost, folded), strict=True)]
    cells = (
        count(total),
        measure.value(before),
        measure.value(after),
        _delta(measure, after - before, compared),
        DASH,
        " / ".join(map(count, changes)),
    )
    return Row((f"other {len(folded)} types", *cells), "quiet")


def _mark(found: Comparison, dialect: Dialect) -> str:
    if worsened(found):
        return dialect.marks["fail"]
    return dialect.marks["pass"] if improved(found) else ""


def _questions(found: Comparison) -> str:
    """ "7 fixed, 22 broken, 441 same", on three lines."""
    named = words(found)
    gained, lost = gained_lost(found)
    return f"{count(gained)} {named.gained}\n{count(lost)} {named.lost}\n{count(found.ties)} same"


def _type_order(comparison: Comparison) -> tuple[bool, bool, int, str]:
    return (
        not worsened(comparison),
        not comparison.significant,
        -comparison.n,
        comparison.question_type or "",
    )


def _tone(comparison: Comparison) -> Tone | None:
    if worsened(comparison):
        return "bad"
    return "good" if improved(comparison) else None


def _in_family(compared: Iterable[Comparison]) -> bool:
    return any(one.gated for one in compared)


def _all_shares(compared: Iterable[Comparison]) -> bool:
    return {one.unit for one in compared} == {SHARE}


def _delta_title(compared: Sequence[Comparison]) -> str:
    return "Δ points" if _all_shares(compared) else "Δ"


def _delta(measure: Scale, delta: float, compared: Sequence[Comparison]) -> str:
    """With its unit, unless the column's title says it for all rows."""
    return measure.delta(delta) + ("" if _all_shares(compared) else measure.delta_suffix)
