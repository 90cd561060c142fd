"""What one suite's rows show: every metric measured on both sides, and what keeps it from being compared."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from msgspec.structs import replace as replaced
from numpy.typing import NDArray

from gate.core.comparability import definition_differs, differing, outside_share, scale_differs
from gate.core.compare import (
    JUDGED,
    Joined,
    MetricPairs,
    Pairing,
    abstention_rows,
    join,
    measured,
    pair,
    per_question,
    too_large,
)
from gate.core.glossary import direction, lookup
from gate.core.plan import BaselineProblem, BaselineRows, FileRef, MetricSpec, Plan, PlannedSuite
from gate.core.records.rows import RowTable
from gate.core.records.takes_receipt import TakesReceipt
from gate.core.report import Comparison, FieldDiff

SHARE: Final = "share"
PAIRING: Final = Pairing(judge_errors="wrong", abstentions="outside-recall")
_CUT: Final = re.compile(r"^(?P<name>.+)@(?P<k>\d+)$")


@dataclass(frozen=True, slots=True)
class KeptPanel:
    """The receipt of a panel of judges, and the file it lies in."""

    file: FileRef
    receipt: TakesReceipt


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What was read for one suite; `baseline` None = nothing to compare with, `problem` says why.

    `measured` is the file of a suite that this run has asked itself.
    """

    planned: PlannedSuite
    candidate: RowTable
    baseline: RowTable | None = None
    baseline_rows: BaselineRows | None = None
    problem: BaselineProblem | None = None
    measured: FileRef | None = None
    panel: KeptPanel | None = None
    """Where the suite is a panel that was asked."""

    @property
    def rows(self) -> FileRef | None:
        """Where the candidate's rows come from."""
        return self.planned.rows or self.measured


UNTYPED: Final = "(no type)"


@dataclass(frozen=True, slots=True)
class Lost:
    """Of one question type: what the baseline measured, and how much of it has no value now."""

    measured: int
    lost: int


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """One metric of one suite: everything that a rule may ask."""

    metric: str
    """The name shown: recall_all@k carries the run's own k where it states one."""
    column: str
    spec: MetricSpec
    candidate_n: int
    candidate_mean: float | None
    baseline_n: int
    baseline_mean: float | None
    errored: int
    questions: int
    silent: int
    """Questions of the candidate that ended in no error, belong to the metric, and have no value for it.

    How many belong to it the rows may say themselves.
    """
    lost: int
    """Questions the baseline measured and the candidate did not."""
    gained: int
    """Unchanged questions the candidate measured and the baseline did not."""
    pairs: MetricPairs | None
    incomparable: tuple[FieldDiff, ...]
    comparison: Comparison | None = None
    by_type: tuple[Comparison, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """One suite, measured; `joined` is None where there is no baseline."""

    evidence: Evidence
    joined: Joined | None
    candidate: RowTable
    fingerprints: Mapping[str, str]
    baseline_fingerprints: Mapping[str, str]
    differs: tuple[FieldDiff, ...]
    measurements: tuple[Measurement, ...]

    def measurement(self, metric: str) -> Measurement | None:
        """The measurement a rule means by `metric`, under its shown name or its column's."""
        for found in self.measurements:
            if metric in (found.metric, found.column):
                return found
        return None


def find(plan: Plan, evidence: Evidence) -> Findings:
    """Measure every metric of one suite on both sides."""
    candidate = per_question(evidence.candidate)
    joined = None if evidence.baseline is None else join(evidence.baseline, candidate)
    ours = {**candidate.fingerprints, **evidence.planned.fingerprints}
    theirs = _baseline_fingerprints(evidence)
    names = tuple(candidate.metrics)
    settled = _settled(joined)
    differs = (
        ()
        if joined is None
        else differing(theirs, ours, metrics=names, hold_fixed=plan.hold_fixed, settled=settled)
    )
    specs = {spec.name: spec for spec in plan.metrics}
    measurements = tuple(
        _measurement(evidence, candidate, joined, differs, _spec(specs, name, shown_name(name, ours)))
        for name in names
    )
    scale = tuple(diff for found in measurements for diff in found.incomparable if diff not in differs)
    return Findings(
        evidence=evidence,
        joined=joined,
        candidate=candidate,
        fingerprints=ours,
        baseline_fingerprints=theirs,
        differs=differs + scale,
        measurements=measurements,
    )


def shown_name(column: str, fingerprints: Mapping[str, str]) -> str:
    """`recall_all@k` becomes `recall_all@5` where the run states that its k is 5."""
    k = fingerprints.get("k", "")
    return f"{column[:-1]}{k}" if column.endswith("@k") and k.isdigit() else column


def column_of(metric: str) -> str:
    """The column that a name with a number means in rows of the contract: recall_all@5 → recall_all@k."""
    match = _CUT.match(metric)
    return f"{match['name']}@k" if match else metric


def _spec(specs: Mapping[str, MetricSpec], column: str, shown: str) -> tuple[str, str, MetricSpec]:
    spec = specs.get(shown) or specs.get(column) or _known(shown)
    return column, shown, spec


def _known(metric: str) -> MetricSpec:
    """What the glossary says of a metric that no config mentions."""
    entry = lookup(metric)
    return MetricSpec(name=metric, better=direction(metric), unit=entry.unit if entry else None)


def _baseline_fingerprints(evidence: Evidence) -> Mapping[str, str]:
    if evidence.baseline is None:
        return {}
    recorded = {} if evidence.baseline_rows is None else evidence.baseline_rows.fingerprints
    return {**evidence.baseline.fingerprints, **recorded}


def _settled(joined: Joined | None) -> frozenset[str]:
    if joined is None or joined.baseline.content_hashes is None or joined.candidate.content_hashes is None:
        return frozenset()
    return frozenset({"dataset_sha256"})


def _measurement(
    evidence: Evidence,
    candidate: RowTable,
    joined: Joined | None,
    differs: tuple[FieldDiff, ...],
    named: tuple[str, str, MetricSpec],
) -> Measurement:
    column, shown, spec = named
    ours = values_of(candidate, column)
    theirs = np.zeros(0) if joined is None else values_of(joined.baseline, column, without=joined.changed)
    pairs = None if joined is None or column not in joined.baseline.metrics else pair(joined, column, PAIRING)
    paired = 0 if pairs is None else pairs.rows.size
    blocking = tuple(diff for diff in differs if column in diff.blocks)
    comparable = _definition(evidence, candidate, spec, shown) + _scale(shown, spec, theirs, ours)
    return Measurement(
        metric=shown,
        column=column,
        spec=spec,
        candidate_n=ours.size,
        candidate_mean=mean_of(shown, ours),
        baseline_n=theirs.size,
        baseline_mean=mean_of(shown, theirs),
        errored=_errored(candidate, column),
        questions=len(candidate),
        silent=_silent(candidate, column),
        lost=theirs.size - paired,
        gained=_unchanged(candidate, column, joined, ours.size) - paired,
        pairs=pairs if paired else None,
        incomparable=blocking + comparable,
    )


def _silent(table: RowTable, column: str) -> int:
    _, present = measured(table, column, PAIRING)
    asked = ~abstention_rows(table, column, PAIRING) & ~table.errored
    silent = int(np.count_nonzero(asked & ~present))
    meant = table.applies_to.get(column)
    if meant is None:
        return silent
    return min(silent, max(meant - int(np.count_nonzero(present | table.errored)), 0))


def _unchanged(candidate: RowTable, column: str, joined: Joined | None, measured_now: int) -> int:
    """How many of the candidate's measured questions have the content they had."""
    if joined is None or not joined.changed:
        return measured_now
    return values_of(candidate, column, without=joined.changed).size


def lost_by_type(joined: Joined, found: Measurement) -> Mapping[str, Lost]:
    """Each type's measured questions of the baseline, by the types that the comparison goes by."""
    types = _types(joined)
    _, kept = _inside(joined.baseline, found.column, joined.changed)
    before = Counter(types[row] for row in np.flatnonzero(kept).tolist())
    rows = () if found.pairs is None else joined.left[found.pairs.rows].tolist()
    paired = Counter(types[row] for row in rows)
    return {kind: Lost(count, count - paired[kind]) for kind, count in before.items()}


def _types(joined: Joined) -> tuple[str, ...]:
    """The type of every baseline row: its own, or where the baseline names none at all the candidate's."""
    stated = joined.baseline.types
    if stated is None:
        found: list[str | None] = [None] * len(joined.baseline)
        theirs = joined.candidate.types or (None,) * len(joined.candidate)
        for left, right in zip(joined.left.tolist(), joined.right.tolist(), strict=True):
            found[left] = theirs[right]
        stated = tuple(found)
    return tuple(kind or UNTYPED for kind in stated)


def values_of(table: RowTable, column: str, without: Iterable[str] = ()) -> NDArray[np.float64]:
    """The values that count towards a metric's mean: of measured questions, except those to leave out."""
    values, kept = _inside(table, column, without)
    chosen: NDArray[np.float64] = values[kept]
    return chosen


def _inside(
    table: RowTable, column: str, without: Iterable[str]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Values, and the rows that have one inside the metric's denominator."""
    values, present = measured(table, column, PAIRING)
    kept: NDArray[np.bool_] = present & ~abstention_rows(table, column, PAIRING)
    left_out = frozenset(without)
    if left_out:
        kept &= np.array([key not in left_out for key in table.ids], dtype=np.bool_)
    return values, kept


def mean_of(metric: str, values: NDArray[np.float64]) -> float | None:
    """Left-to-right sum over n, as the contract's means; None where nothing was measured."""
    if not values.size:
        return None
    with np.errstate(over="ignore"):
        total = float(np.cumsum(values)[-1])
    if not math.isfinite(total):
        raise too_large(metric, float(np.abs(values).max()))
    return total / values.size


def _errored(table: RowTable, column: str) -> int:
    mask = table.errored | table.judge_errors if column == JUDGED else table.errored
    return int(np.count_nonzero(mask))


def _definition(
    evidence: Evidence, candidate: RowTable, spec: MetricSpec, shown: str
) -> tuple[FieldDiff, ...]:
    if evidence.baseline is None:
        return ()
    rows = evidence.baseline_rows
    recorded = {known.name: known for known in rows.metrics} if rows is not None else {}
    before = recorded.get(shown) or MetricSpec(name=shown, unit=_unit(evidence, shown, spec))
    after = replaced(spec, name=shown, unit=candidate.units.get(shown) or spec.unit)
    return definition_differs(before, after)


def _unit(evidence: Evidence, shown: str, spec: MetricSpec) -> str | None:
    """The unit on the baseline's side: what its record or rows say, else what the config says of both."""
    recorded = {} if evidence.baseline_rows is None else evidence.baseline_rows.units
    rows = {} if evidence.baseline is None else evidence.baseline.units
    return recorded.get(shown) or rows.get(shown) or spec.unit


def _scale(
    shown: str, spec: MetricSpec, baseline: NDArray[np.float64], candidate: NDArray[np.float64]
) -> tuple[FieldDiff, ...]:
    if not baseline.size or not candidate.size:
        return ()
    before = (float(baseline.min()), float(baseline.max()))
    after = (float(candidate.min()), float(candidate.max()))
    rule = outside_share if spec.unit == SHARE else scale_differs
    found = rule(shown, before, after)
    return () if found is None else (found,)
