"""A panel of judges in a report: its verdict, what every dimension got, how far the judges agree, what it cost."""

from typing import Final

from gate.core.records.panel_figures import PanelDimension, PanelJudge, PanelReport
from gate.core.report import Comparison, Report, SuiteReport
from gate.core.wording import counted
from gate.render.dialect import Dialect, listed
from gate.render.markdown import capital
from gate.render.numbers import DASH, Scale, p_value, usd
from gate.render.tables import Column, Row, Table, without_empty_columns

SCORE: Final = Scale(None, 1)
"""Means of scores from 1 to 10, as the panel itself rounds them."""
_FINE: Final = Scale(None, 2)
_SAYS: Final = {"pass": "the panel{named} passes the takes", "fail": "the panel{named} fails the takes"}
_UNSURE: Final = "the panel{named} came to no verdict"


def panels(report: Report) -> tuple[tuple[SuiteReport, PanelReport], ...]:
    """Every suite that is a panel which was asked."""
    return tuple((suite, suite.panel) for suite in report.suites if suite.panel is not None)


def panel_title(report: Report, suite: SuiteReport, panel: PanelReport, dialect: Dialect) -> str:
    """The verdict with its mark."""
    return f"{dialect.marks[panel.verdict]} {capital(panel_verdict(report, suite, panel, dialect))}"


def panel_verdict(report: Report, suite: SuiteReport, panel: PanelReport, dialect: Dialect) -> str:
    """ "the panel passes the takes (7.6 of 10 overall, +0.3 against the baseline)"."""
    named = f" of {dialect.name(suite.name)}" if len(report.suites) > 1 else ""
    return _SAYS.get(panel.verdict, _UNSURE).format(named=named) + _overall(panel)


def dimension_table(suite: SuiteReport, panel: PanelReport, dialect: Dialect) -> Table:
    """One row a dimension; intervals and p only where several batches were compared, batch by batch."""
    rows = tuple(_dimension_row(suite, panel, one, dialect) for one in panel.dimensions)
    columns = (
        Column("dimension", "left"),
        Column("mean"),
        Column("baseline", optional=2),
        Column("Δ", optional=1),
        Column("95 % CI", optional=3),
        Column("p", optional=4),
        Column("lowest", optional=7),
        Column("range", optional=5),
        Column("sd", optional=6),
        Column("alpha", optional=8),
    )
    return without_empty_columns(Table(columns, rows), empty=DASH)


def judge_table(panel: PanelReport, dialect: Dialect) -> Table:
    """One row a model of the panel; of an error only its kind, whatever the model wrote."""
    names = tuple(one.name for one in panel.dimensions)
    columns = (
        Column("judge", "left", wraps=True),
        *(Column(dialect.label(name), optional=place) for place, name in enumerate(names, 2)),
        Column("error", "left", optional=1),
    )
    rows = tuple(_judge_row(judge, names, dialect) for judge in panel.judges)
    return without_empty_columns(Table(columns, rows), empty=DASH)


def panel_lines(suite: SuiteReport, panel: PanelReport, dialect: Dialect) -> tuple[str, ...]:
    """What was judged, how sure the numbers are, how far the judges agree, what it cost: a sentence each."""
    lines = (
        _judged(panel, dialect),
        _uncertainty(suite, panel),
        _agreement(panel, dialect),
        _compared(panel, dialect),
        _cost(panel, dialect),
    )
    return tuple(line for line in lines if line)


def panel_numbers(suite: SuiteReport, dimension: PanelDimension) -> str:
    """One dimension on one line, for machines that show text alone."""
    said = f"mean {SCORE.value(dimension.mean)}, lowest {SCORE.value(dimension.least)}"
    delta = _delta(suite, dimension)
    return f"{said}, {delta} against the baseline" if delta != DASH else said


def _overall(panel: PanelReport) -> str:
    if panel.overall is None:
        return ""
    delta = SCORE.delta(panel.overall_delta)
    against = f", {delta} against the baseline" if delta != DASH else ""
    return f" ({SCORE.value(panel.overall)} of 10 overall{against})"


def _dimension_row(
    suite: SuiteReport, panel: PanelReport, dimension: PanelDimension, dialect: Dialect
) -> Row:
    found = _comparison(suite, dimension.name)
    told = found if found is not None and panel.run.batches > 1 else None
    before = dimension.before if found is None else found.baseline_mean
    name = dialect.label(dimension.name)
    failed = dimension.failed is not None
    return Row(
        (
            f"{dialect.marks['fail']} {dialect.strong(name)}" if failed else name,
            SCORE.value(dimension.mean),
            SCORE.value(before),
            _delta(suite, dimension),
            DASH if told is None else _interval(told),
            DASH if told is None else p_value(told.p_value),
            SCORE.value(dimension.least),
            SCORE.value(dimension.range),
            _FINE.value(dimension.sd),
            _FINE.value(dimension.alpha),
        ),
        "bad" if failed else None,
    )


def _comparison(suite: SuiteReport, dimension: str) -> Comparison | None:
    return next((one for one in suite.comparisons if one.metric == dimension), None)


def _delta(suite: SuiteReport, dimension: PanelDimension) -> str:
    """Over what both runs judged where it was compared pair by pair; else of the two panels' means."""
    found = _comparison(suite, dimension.name)
    return SCORE.delta(dimension.delta) if found is None else _FINE.delta(found.delta)


def _interval(found: Comparison) -> str:
    """A single batch cannot say how far others would differ."""
    return DASH if found.clusters < 2 else _FINE.interval(found.lower95, found.upper95)


def _judge_row(judge: PanelJudge, names: tuple[str, ...], dialect: Dialect) -> Row:
    cells = tuple(SCORE.value(judge.scores.get(name)) for name in names)
    error = DASH if judge.error is None else dialect.label(judge.error)
    return Row((dialect.label(judge.model), *cells, error), "unsure" if judge.error else None)


def _judged(panel: PanelReport, dialect: Dialect) -> str:
    run = panel.run
    of = f" of {run.eligible:,}" if run.eligible is not None and run.eligible > run.takes else ""
    prefix = "" if run.slug_prefix is None else f" of pages {dialect.name(run.slug_prefix)}"
    parts = [
        f"{counted(run.takes, 'take')}{of}{prefix}",
        counted(len(panel.judges), "judge"),
        counted(run.batches, "batch", "batches"),
        counted(run.cycles, "cycle") + ("" if run.cycles < 2 else f" (`{run.cycle_policy}` decides)"),
        f"rubric {dialect.prose(panel.rubric_version)}",
    ]
    return f"Judged: {', '.join(parts)}." + _corrected(panel)


def _corrected(panel: PanelReport) -> str:
    count = panel.run.corrections
    return f" {counted(count, 'malformed reply', 'malformed replies')} asked for once more." if count else ""


def _uncertainty(suite: SuiteReport, panel: PanelReport) -> str:
    if not panel.dimensions:
        return ""
    if panel.run.batches < 2:
        return "One batch: no uncertainty can be given for these means (`batches`)."
    shared = next((one for one in suite.comparisons), None)
    if shared is None:
        return ""
    return (
        f"Differences are over {counted(shared.n, 'pair')} of batch and judge that both runs have, "
        f"in {counted(shared.clusters, 'batch', 'batches')}."
    )


def _agreement(panel: PanelReport, dialect: Dialect) -> str:
    """The figure where there is one, and the widest gap between two judges always."""
    ranges = {one.name: one.range for one in panel.dimensions if one.range is not None}
    if not ranges:
        return ""
    worst = max(ranges, key=lambda name: ranges[name])
    points = "point" if ranges[worst] == 1 else "points"
    gap = f"two of them lie up to {SCORE.value(ranges[worst])} {points} apart ({dialect.name(worst)})"
    if panel.alpha is None:
        return f"Whether the judges agree beyond chance cannot be told from one unit; {gap}."
    figure = f"Krippendorff's alpha {_FINE.value(panel.alpha)} over {panel.units:,} units"
    return f"Judges' agreement: {figure} (1 is perfect, 0 is chance); {gap}."


def _compared(panel: PanelReport, dialect: Dialect) -> str:
    if "rubric" in panel.unlike:
        return "Not compared with the baseline's panel: it had another rubric."
    if panel.unlike:
        names = listed(tuple(dialect.prose(name) for name in panel.unlike))
        return f"The baseline's panel had other {names}: part of a difference may be that."
    return ""


def _cost(panel: PanelReport, dialect: Dialect) -> str:
    run = panel.run
    if run.replayed:
        replies = counted(run.replayed, "reply was", "replies were")
        return f"Replayed: {replies} played back from a cassette; no model was asked, nothing was paid."
    if panel.cost_usd is None:
        names = listed(tuple(dialect.name(name) for name in panel.unpriced))
        return f"Cost: unknown{f' (no price for {names})' if names else ''}."
    budget = "" if panel.budget_usd is None else f" of a budget of {usd(panel.budget_usd)}"
    calls = "" if run.calls is None else f", {counted(run.calls, 'reply', 'replies')}"
    return f"Cost: {usd(panel.cost_usd)}{budget}{calls}{_charged(panel)}."


def _charged(panel: PanelReport) -> str:
    count = panel.run.charged_at_bound
    return f"; {counted(count, 'lost call')} counted at the most it could cost" if count else ""
