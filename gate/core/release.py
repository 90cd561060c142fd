"""What a release is told by: the suites of a sweep, mode by mode, from its report, its records and their comparison.

Nothing is computed anew: means are the report's, significance is the comparator's of modes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gate.core.findings import shown_name
from gate.core.mode_margins import ModeMargins, against, margins, next_best, ranked
from gate.core.mode_report import MetricComparison, ModeReport, PairReport
from gate.core.plan import Better, FileRef
from gate.core.records.ledger import COMPLETED, NO_MODE, SEARCH_MODES, RunRecord
from gate.core.records.rows import RowTable
from gate.core.report import Mean, Report, SuiteReport
from gate.core.sweep import Estimate, families

COST: Final = "cost_usd"
"""The metric of rows that say what a question has cost."""

Texts = Callable[[FileRef, frozenset[str]], Mapping[str, str]]
"""The words of questions in a file of rows."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One suite in one mode: what the plan calls it, its record as readers find it, and its rows, if it left any."""

    name: str
    record: RunRecord
    table: RowTable | None = None


@dataclass(frozen=True, slots=True)
class Lead:
    """How far the best mode is ahead of the next best; `delta` is best minus next, in the metric's own unit.

    `delta` None = the two were not compared, and `why` says why.
    """

    best: str
    next_best: str
    delta: float | None = None
    lower95: float | None = None
    upper95: float | None = None
    holm_p_value: float | None = None
    significant: bool = False
    n: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class ModeMetric:
    """One metric in every mode that measured it. `lead` None = there is no best: one mode, or no known direction."""

    metric: str
    better: Better | None
    unit: str | None
    gated: bool
    means: Mapping[str, Mean]
    lead: Lead | None = None


@dataclass(frozen=True, slots=True)
class ReleasedRun:
    """One suite in one mode, as it ran. `record` None = it left none; `cost_usd` None = unknown."""

    report: SuiteReport
    mode: str
    record: RunRecord | None = None
    table: RowTable | None = None
    cost_usd: float | None = None
    costed: int = 0
    """Of how many questions the cost is known."""

    @property
    def failed(self) -> str | None:
        """Why its record says that it failed; None = it completed, or there is no record."""
        if self.record is None or self.record.status == COMPLETED:
            return None
        error = self.record.raw.get("error")
        return error if isinstance(error, str) else self.record.status


@dataclass(frozen=True, slots=True)
class ReleasedSuite:
    """One suite in all its modes, in their order."""

    name: str
    runs: tuple[ReleasedRun, ...]
    metrics: tuple[ModeMetric, ...] = ()
    judged_by: str | None = None
    """The metric whose margins are listed; None = there is none in two modes that can be compared."""
    margins: tuple[ModeMargins, ...] = ()


@dataclass(frozen=True, slots=True)
class Release:
    """Everything a release page shows beside the report. `commands` are shell lines that repeat it."""

    suites: tuple[ReleasedSuite, ...]
    modes: ModeReport
    estimate: Estimate
    panels: Mapping[str, float | None] = field(default_factory=dict)
    """By suite, the most that one cycle of its panel was estimated to cost; None = unknown."""
    commands: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    """Files of the work tree that the commit does not hold, where that was looked at."""
    unseen: str | None = None
    """Why it could not be told which files those are."""


def released(report: Report, modes: ModeReport, recorded: Iterable[Recorded]) -> tuple[ReleasedSuite, ...]:
    """The suites of a finished sweep by what they are called in all their modes, in the plan's order."""
    by_name = {each.name: each for each in recorded}
    families_of, kinds = called(report), {each.name: each for each in report.plan.suites}
    grouped: dict[str, list[ReleasedRun]] = {}
    for suite in report.suites:
        planned = kinds[suite.name]
        if planned.anchored is None:
            mode = planned.mode or suite.candidate.fingerprints.get("mode", NO_MODE)
            run = _run(suite, mode, by_name.get(suite.name))
            grouped.setdefault(families_of[suite.name], []).append(run)
    return tuple(_suite(name, _ordered(runs), report, modes) for name, runs in grouped.items())


def called(report: Report) -> Mapping[str, str]:
    """What every suite of a finished run is called in all its modes."""
    sides = {suite.name: suite.candidate.fingerprints for suite in report.suites}
    return families(report.plan, {name: stated["mode"] for name, stated in sides.items() if "mode" in stated})


def worded(suite: ReleasedSuite, texts: Texts) -> ReleasedSuite:
    """The same, with the words of the questions it lists."""
    files = {run.mode: run.report.candidate.rows for run in suite.runs}
    return replace(suite, margins=tuple(_worded(each, files[each.mode], texts) for each in suite.margins))


def _worded(found: ModeMargins, rows: FileRef | None, texts: Texts) -> ModeMargins:
    if rows is None:
        return found
    known = texts(rows, frozenset(each.question_id for each in (*found.wins, *found.losses)))
    wins, losses = (
        tuple(replace(each, text=known.get(each.question_id)) for each in side)
        for side in (found.wins, found.losses)
    )
    return replace(found, wins=wins, losses=losses)


def _run(suite: SuiteReport, mode: str, recorded: Recorded | None) -> ReleasedRun:
    record, table = (None, None) if recorded is None else (recorded.record, recorded.table)
    paid = next((mean for mean in suite.candidate.means if mean.metric == COST), None)
    if suite.panel is not None:
        return ReleasedRun(suite, mode, record, table, suite.panel.cost_usd, suite.candidate.questions)
    if paid is None or not paid.n:
        return ReleasedRun(suite, mode, record, table)
    return ReleasedRun(suite, mode, record, table, paid.mean * paid.n, paid.n)


def _ordered(runs: Sequence[ReleasedRun]) -> tuple[ReleasedRun, ...]:
    """The search modes in their own order, then the others as planned."""
    place = {mode: number for number, mode in enumerate(SEARCH_MODES)}
    return tuple(sorted(runs, key=lambda run: place.get(run.mode, len(place))))


def _suite(name: str, runs: tuple[ReleasedRun, ...], report: Report, modes: ModeReport) -> ReleasedSuite:
    metrics = tuple(_metrics(runs, report, modes))
    judged = next((each for each in metrics if _tells(each)), None)
    found = () if judged is None else tuple(_margins(judged, runs, modes))
    return ReleasedSuite(name, runs, metrics, None if judged is None else judged.metric, found)


def _tells(metric: ModeMetric) -> bool:
    """Whether questions can be held against one another by a metric: its modes were compared."""
    return metric.lead is not None and metric.lead.delta is not None


def _metrics(runs: Sequence[ReleasedRun], report: Report, modes: ModeReport) -> Iterator[ModeMetric]:
    """What a rule names first, in the order of the rules, then everything else in the order of the rows."""
    measured = dict.fromkeys(mean.metric for run in runs for mean in run.report.candidate.means)
    gated = dict.fromkeys(
        metric
        for rule in report.plan.rules
        for metric in measured
        if _speaks(rule.metric, metric, runs) and rule.suite in {None, *(run.report.name for run in runs)}
    )
    for metric in (*gated, *(each for each in measured if each not in gated)):
        means = {
            run.mode: mean
            for run in runs
            for mean in run.report.candidate.means
            if mean.metric == metric and mean.n
        }
        if means:
            one = next(iter(means.values()))
            lead = _lead(metric, one.better, means, runs, modes)
            yield ModeMetric(metric, one.better, one.unit, metric in gated, means, lead)


def _speaks(rule: str, metric: str, runs: Sequence[ReleasedRun]) -> bool:
    return rule == metric or any(
        shown_name(rule, run.report.candidate.fingerprints) == metric for run in runs
    )


def _lead(
    metric: str,
    better: Better | None,
    means: Mapping[str, Mean],
    runs: Sequence[ReleasedRun],
    modes: ModeReport,
) -> Lead | None:
    if better is None or len(means) < 2:
        return None
    best, second, *_ = ranked({mode: mean.mean for mode, mean in means.items()}, better)
    by_mode = {run.mode: run for run in runs}
    return _compared(metric, by_mode[best], by_mode[second], modes)


def _compared(metric: str, best: ReleasedRun, second: ReleasedRun, modes: ModeReport) -> Lead:
    lead = Lead(best.mode, second.mode)
    pair = _pair(best, second, modes)
    if pair is None:
        return replace(lead, why=_unpaired(best, second))
    if not pair.read:
        return replace(lead, why="not compared: a run has no rows")
    found = next((one for one in pair.comparisons if _same(one.metric, metric, best)), None)
    if found is not None:
        return _oriented(lead, found, forward=pair.candidate.run_id == _run_id(best))
    fields = (
        diff.field for each in pair.incomparable if _same(each.metric, metric, best) for diff in each.fields
    )
    differing = ", ".join(dict.fromkeys(fields))
    return replace(
        lead, why=f"not comparable: {differing}" if differing else "no question was measured in both"
    )


def _run_id(run: ReleasedRun) -> str:
    """The run id of a run's record; empty where it has none."""
    return "" if run.record is None else run.record.run_id


def _pair(best: ReleasedRun, second: ReleasedRun, modes: ModeReport) -> PairReport | None:
    wanted = {_run_id(best), _run_id(second)}
    return next(
        (pair for pair in modes.pairs if {pair.baseline.run_id, pair.candidate.run_id} == wanted), None
    )


def _unpaired(best: ReleasedRun, second: ReleasedRun) -> str:
    for run in (best, second):
        if run.failed is not None:
            return f"not compared: {run.mode} failed"
    return f"not compared: only {', '.join(SEARCH_MODES)} are"


def _same(column: str, metric: str, run: ReleasedRun) -> bool:
    return metric in (column, shown_name(column, run.report.candidate.fingerprints))


def _oriented(lead: Lead, found: MetricComparison, *, forward: bool) -> Lead:
    """The comparison as seen from the best mode, whichever side it was on."""
    statistics = found.statistics
    lower, upper = statistics.lower95, statistics.upper95
    sides = (lower, upper) if forward else (_negated(upper), _negated(lower))
    return replace(
        lead,
        delta=statistics.delta if forward else -statistics.delta,
        lower95=sides[0],
        upper95=sides[1],
        holm_p_value=found.holm_p_value,
        significant=found.significant,
        n=statistics.n,
    )


def _negated(bound: float | None) -> float | None:
    return None if bound is None else -bound


def _margins(metric: ModeMetric, runs: Sequence[ReleasedRun], modes: ModeReport) -> Iterator[ModeMargins]:
    """Each mode against the best of the others, question by question, where the two can be compared."""
    better = metric.better or "higher"
    ranking = ranked({mode: mean.mean for mode, mean in metric.means.items()}, better)
    by_mode = {run.mode: run for run in runs}
    for mode in metric.means:
        other = next_best(mode, ranking) or mode
        ours, theirs = by_mode[mode].table, by_mode[other].table
        told = _compared(metric.metric, by_mode[mode], by_mode[other], modes).delta is not None
        if told and ours is not None and theirs is not None:
            column = _column(metric.metric, ours, by_mode[mode])
            yield against(mode, other, margins(ours, theirs, column, better))


def _column(metric: str, table: RowTable, run: ReleasedRun) -> str:
    """The column of rows that a shown name means."""
    return next((column for column in table.metrics if _same(column, metric, run)), metric)
