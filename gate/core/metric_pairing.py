"""One pair of runs before the statistics: joined, checked for comparability, everything left out noted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gate.core.comparability import (
    MUST_MATCH,
    definition_differs,
    differing,
    outside_share,
    scale_differs,
)
from gate.core.compare import (
    Joined,
    MetricPairs,
    Pairing,
    columns_in_both,
    join,
    pair,
    rankings_changed,
    refuse_overflow,
)
from gate.core.glossary import SHARE, Better, direction, lookup
from gate.core.mode_report import Incomparable, PairReport
from gate.core.plan import MetricSpec
from gate.core.records.ledger import RunRecord, fingerprints
from gate.core.records.rows import RowTable
from gate.core.report import FieldDiff


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A run and its rows."""

    record: RunRecord
    table: RowTable

    @property
    def conditions(self) -> Mapping[str, str]:
        """What the record and the rows say of the run; where both do, the rows were there."""
        return {**fingerprints(self.record), **self.table.fingerprints}


@dataclass(frozen=True, slots=True, eq=False)
class PairedMetric:
    """A metric with at least one pair of values, ready to be tested."""

    metric: str
    better: Better | None
    pairs: MetricPairs


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A pair of runs up to the statistics."""

    report: PairReport
    metrics: tuple[PairedMetric, ...] = ()
    notes: tuple[str, ...] = ()


def prepare(
    baseline: Side, candidate: Side, *, pairing: Pairing, declared: Mapping[str, MetricSpec]
) -> Prepared:
    """Join two runs and sort their metrics into comparable, incomparable and not measured.

    EvidenceError when a metric's values are too large to be added up.
    """
    joined = join(baseline.table, candidate.table)
    names = columns_in_both(joined)
    diffs = _differing(baseline, candidate, joined, names)
    metrics: list[PairedMetric] = []
    incomparable: list[Incomparable] = []
    unmeasured: list[str] = []
    for name in names:
        spec = _spec(name, candidate.conditions, declared)
        pairs = pair(joined, name, pairing)
        fields = _blocking(name, spec, diffs, joined, pairs)
        if fields:
            incomparable.append(Incomparable(metric=name, fields=fields))
        elif pairs.rows.size:
            refuse_overflow(name, pairs)
            metrics.append(PairedMetric(metric=name, better=spec.better or direction(name), pairs=pairs))
        else:
            unmeasured.append(f"no question has a value of {name} on both sides")
    report = PairReport(
        baseline=baseline.record,
        candidate=candidate.record,
        read=True,
        joined=joined.left.size,
        baseline_only=len(joined.baseline_only),
        candidate_only=len(joined.candidate_only),
        changed=len(joined.changed),
        incomparable=tuple(incomparable),
        differs=tuple(diff for diff in diffs if not diff.blocks),
    )
    notes = (*unmeasured, *_notes(joined, metrics, diffs))
    return Prepared(report, tuple(metrics), tuple(f"{_title(report)}: {note}" for note in notes))


def _differing(
    baseline: Side, candidate: Side, joined: Joined, names: tuple[str, ...]
) -> tuple[FieldDiff, ...]:
    hashed = joined.baseline.content_hashes is not None and joined.candidate.content_hashes is not None
    return differing(
        _with_commit(baseline),
        _with_commit(candidate),
        metrics=names,
        settled=frozenset({"dataset_sha256"}) if hashed else frozenset(),
    )


def _with_commit(side: Side) -> Mapping[str, str]:
    commit = side.record.commit
    return side.conditions if commit is None else {**side.conditions, "commit": commit}


def _spec(metric: str, conditions: Mapping[str, str], declared: Mapping[str, MetricSpec]) -> MetricSpec:
    """What was declared of a metric; recall_all@5 speaks of recall_all@k where the run's k is 5."""
    shown = f"{metric[:-1]}{conditions.get('k', '')}" if metric.endswith("@k") else metric
    return declared.get(metric) or declared.get(shown) or MetricSpec(name=metric)


def _blocking(
    metric: str, spec: MetricSpec, diffs: tuple[FieldDiff, ...], joined: Joined, pairs: MetricPairs
) -> tuple[FieldDiff, ...]:
    """Everything that keeps a metric from being compared; empty = comparable."""
    stated = tuple(diff for diff in diffs if metric in diff.blocks)
    before, after = (
        MetricSpec(name=metric, unit=table.units.get(metric)) for table in (joined.baseline, joined.candidate)
    )
    return (*stated, *definition_differs(before, after), *_scale(metric, spec, pairs))


def _scale(metric: str, spec: MetricSpec, pairs: MetricPairs) -> tuple[FieldDiff, ...]:
    if not pairs.rows.size:
        return ()
    entry = lookup(metric)
    unit = spec.unit or (entry.unit if entry else None)
    found = (outside_share if unit == SHARE else scale_differs)(
        metric,
        (float(pairs.baseline.min()), float(pairs.baseline.max())),
        (float(pairs.candidate.min()), float(pairs.candidate.max())),
    )
    return () if found is None else (found,)


def _notes(joined: Joined, metrics: list[PairedMetric], diffs: tuple[FieldDiff, ...]) -> Iterator[str]:
    for side, table, other in (
        ("baseline", joined.baseline, joined.candidate),
        ("candidate", joined.candidate, joined.baseline),
    ):
        alone = [name for name in table.metrics if name not in other.metrics]
        if alone:
            yield f"only the {side} measures {', '.join(alone)}"
    for diff in diffs:
        if diff.field in MUST_MATCH and None in (diff.baseline, diff.candidate):
            side = "candidate" if diff.baseline is None else "baseline"
            yield f"only the {side} states its {diff.field}, so nobody can tell whether it is the same"
    abstentions = max((found.pairs.abstentions for found in metrics), default=0)
    if abstentions:
        what = "question stays" if abstentions == 1 else "questions stay"
        yield f"{abstentions} abstention {what} outside recall"
    if metrics and all((found.pairs.baseline == found.pairs.candidate).all() for found in metrics):
        changed = rankings_changed(joined)
        if changed:
            yield f"every metric ties on every question, yet {changed} rankings changed"


def _title(report: PairReport) -> str:
    return f"{report.baseline.run_id} → {report.candidate.run_id}"
