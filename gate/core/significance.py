"""The paired comparator over everything a suite measured, and Holm over what the rules gate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gate.core.compare import MetricPairs, refuse_overflow
from gate.core.findings import UNTYPED, Findings, Measurement
from gate.core.plan import QUESTION_TYPE, Plan, Rule
from gate.core.records.ecmascript import utf16_key
from gate.core.report import Comparison
from gate.core.stats.detectable import smallest_detectable_drop
from gate.core.stats.holm import holm
from gate.core.stats.paired import PairedSample, PairedStatistics, compare_paired

ALPHA: Final = 0.05
EXACT_CLUSTERS: Final = 16
SIGNIFICANT: Final = "significant"


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """One comparison to make: a measurement over all its questions, or over those of one type."""

    findings: Findings
    measurement: Measurement
    question_type: str | None
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    clusters: tuple[str, ...]
    gated: bool
    gated_by_type: bool = False


def compare_all(plan: Plan, findings: Sequence[Findings]) -> tuple[Findings, ...]:
    """Every suite with its comparisons: all metrics, gated ones per type, Holm over the gated family."""
    jobs = [job for suite in findings for job in _jobs(plan, suite)]
    samples = [
        PairedSample(clusters=job.clusters, baseline=job.baseline, candidate=job.candidate) for job in jobs
    ]
    results = compare_paired(samples, draws=plan.stats.draws, seed=plan.stats.seed) if samples else ()
    adjusted = _holm(jobs, results)
    family = len(adjusted)
    comparisons = [
        _comparison(job, result, adjusted.get(index), family)
        for index, (job, result) in enumerate(zip(jobs, results, strict=True))
    ]
    return tuple(_attached(suite, jobs, comparisons) for suite in findings)


def gated_by(rule: Rule, suite: str, measurement: Measurement) -> bool:
    """Whether a rule speaks about this measurement of this suite."""
    named = rule.metric in (measurement.metric, measurement.column)
    return named and rule.suite in (None, suite)


def could_be_significant(comparison: Comparison, *, family: int, draws: int) -> bool:
    """Whether any outcome on these clusters could have reached Holm p ≤ 0.05 in a family of this size."""
    clusters = comparison.clusters
    if clusters < 2:
        return False
    best = 2.0 ** (1 - clusters) if clusters <= EXACT_CLUSTERS else 1 / (draws + 1)
    return best * max(family, 1) <= ALPHA


def adverse(comparison: Comparison) -> bool:
    """Whether the difference points the wrong way for this metric."""
    return comparison.delta > 0 if comparison.better == "lower" else comparison.delta < 0


def _jobs(plan: Plan, findings: Findings) -> Iterator[_Job]:
    suite = findings.evidence.planned.subject
    for found in findings.measurements:
        if found.pairs is None or found.incomparable:
            continue
        refuse_overflow(found.metric, found.pairs)
        rules = [rule for rule in plan.rules if gated_by(rule, suite, found)]
        gates = {rule.per for rule in rules if rule.rule == SIGNIFICANT}
        whole = _job(findings, found, found.pairs, gated=None in gates)
        yield replace(whole, gated_by_type=QUESTION_TYPE in gates)
        if rules:
            yield from _typed(findings, found, found.pairs, gated=QUESTION_TYPE in gates)


def _job(findings: Findings, found: Measurement, pairs: MetricPairs, *, gated: bool) -> _Job:
    return _Job(findings, found, None, pairs.baseline, pairs.candidate, pairs.clusters, gated)


def _typed(findings: Findings, found: Measurement, pairs: MetricPairs, *, gated: bool) -> Iterator[_Job]:
    """One job a question type, in sorted order; questions that name no type are one more, so none is lost."""
    if pairs.types is None or not any(pairs.types):
        return
    rows: dict[str, list[int]] = {}
    for row, kind in enumerate(pairs.types):
        rows.setdefault(kind or UNTYPED, []).append(row)
    for kind in sorted(rows, key=utf16_key):
        chosen = np.array(rows[kind], dtype=np.intp)
        clusters = tuple(pairs.clusters[row] for row in rows[kind])
        yield _Job(
            findings, found, kind, pairs.baseline[chosen], pairs.candidate[chosen], clusters, gated=gated
        )


def _holm(jobs: Sequence[_Job], results: Sequence[PairedStatistics]) -> Mapping[int, float]:
    """Holm-adjusted p of the gated comparisons, by position; they alone are the family."""
    gated = [index for index, job in enumerate(jobs) if job.gated]
    return dict(zip(gated, holm([_deciding_p(results[index]) for index in gated]), strict=True))


def _deciding_p(result: PairedStatistics) -> float:
    """The contract's p, never below what so many changed clusters can attain.

    The contract's tolerance is absolute: among values of 10,000 and more, rounding can keep even the observed
    outcome from counting as extreme, and p comes out as 0 (Phipson & Smyth 2010: it never is).
    """
    return max(result.p_value, result.smallest_attainable_p)


def _comparison(job: _Job, result: PairedStatistics, adjusted: float | None, family: int) -> Comparison:
    pairs = job.measurement.pairs
    spec = job.measurement.spec
    whole = job.question_type is None and pairs is not None
    excludes_zero = None not in (result.lower95, result.upper95) and _excludes_zero(result)
    return Comparison(
        suite=job.findings.evidence.planned.name,
        metric=job.measurement.metric,
        question_type=job.question_type,
        better=spec.better,
        unit=spec.unit,
        matters=spec.matters,
        n=result.n,
        clusters=result.clusters,
        nontied_clusters=result.nontied_clusters,
        baseline_mean=result.baseline_mean,
        candidate_mean=result.candidate_mean,
        delta=result.delta,
        lower95=result.lower95,
        upper95=result.upper95,
        p_value=result.p_value,
        p_method=result.p_method,
        ci_method=result.ci_method,
        smallest_attainable_p=result.smallest_attainable_p,
        wins=result.wins,
        losses=result.losses,
        ties=result.ties,
        holm_p_value=adjusted,
        significant=None if adjusted is None else adjusted <= ALPHA and excludes_zero,
        gated=job.gated,
        gated_by_type=job.gated_by_type,
        detectable=_detectable(job, family),
        not_measured=pairs.not_measured if whole and pairs else 0,
        judge_errors=pairs.judge_errors if whole and pairs else 0,
    )


def _excludes_zero(result: PairedStatistics) -> bool:
    return (result.lower95 or 0) > 0 or (result.upper95 or 0) < 0


def _detectable(job: _Job, family: int) -> float | None:
    """Clusters weigh by their rows, so their sums are scaled to the mean's own unit first."""
    differences = job.candidate - job.baseline
    keys = {key: index for index, key in enumerate(dict.fromkeys(job.clusters))}
    group = np.array([keys[key] for key in job.clusters], dtype=np.intp)
    sums = np.bincount(group, weights=differences, minlength=len(keys)) * len(keys) / differences.size
    if len(keys) < 2:
        return None
    return smallest_detectable_drop(float(np.std(sums, ddof=1)), len(keys), max(family, 1))


def _attached(suite: Findings, jobs: Sequence[_Job], comparisons: Sequence[Comparison]) -> Findings:
    mine = [(job, made) for job, made in zip(jobs, comparisons, strict=True) if job.findings is suite]
    whole = {job.measurement.column: made for job, made in mine if job.question_type is None}
    typed: dict[str, list[Comparison]] = {}
    for job, made in mine:
        if job.question_type is not None:
            typed.setdefault(job.measurement.column, []).append(made)
    return replace(
        suite,
        measurements=tuple(
            replace(found, comparison=whole.get(found.column), by_type=tuple(typed.get(found.column, ())))
            for found in suite.measurements
        ),
    )


def family_size(findings: Sequence[Findings]) -> int:
    """How many comparisons Holm ran over."""
    made = (
        comparison
        for suite in findings
        for found in suite.measurements
        for comparison in (found.comparison, *found.by_type)
    )
    return sum(comparison is not None and comparison.gated for comparison in made)
