"""How the numbers of a comparison were made, in one line that travels with them."""

from collections.abc import Sequence
from typing import Final

from gate.core.mode_report import ALPHA, MetricComparison, ModeReport

AGGREGATE_ONLY: Final = (
    "Aggregate-only: no two runs with per-question rows were compared, so nothing here says whether a "
    "difference is more than chance."
)
_THREATS: Final = (
    "What the numbers cannot see: every question counts as its own cluster unless the rows name one, so "
    "questions on one source make intervals too narrow; a judge's own noise is part of every answer it graded; "
    "with few questions only large differences can become significant, so not significant is not the same as "
    "no change."
)


def methodology(report: ModeReport) -> str:
    """Draws, seed, clusters, methods, the smallest p, the family, the decision rule and the threats."""
    comparisons = report.comparisons
    if not comparisons:
        return AGGREGATE_ONLY
    parts = (_tests(report, comparisons), _family(comparisons), _out_of_reach(comparisons), _THREATS)
    return " ".join(part for part in parts if part)


def _tests(report: ModeReport, comparisons: Sequence[MetricComparison]) -> str:
    statistics = [comparison.statistics for comparison in comparisons]
    ci_methods = _distinct([one.ci_method for one in statistics])
    p_methods = _distinct([one.p_method for one in statistics])
    smallest = min(one.smallest_attainable_p for one in statistics)
    return (
        f"Paired by question: 95% intervals by {ci_methods}, two-sided p by {p_methods}, "
        f"{report.draws} draws, seed {report.seed}, over {_span([one.clusters for one in statistics])} question "
        f"clusters (up to 16 clusters every sign flip is enumerated, beyond that they are drawn). "
        f"The smallest p attainable here is {smallest:.2g}."
    )


def _family(comparisons: Sequence[MetricComparison]) -> str:
    count = len(comparisons)
    noun = "comparison" if count == 1 else "comparisons"
    return (
        f"Holm p is adjusted for the {count} {noun} of this report; a difference is significant when its "
        f"Holm p is at most {ALPHA} and its 95% interval excludes 0 (intervals are not adjusted)."
    )


def _out_of_reach(comparisons: Sequence[MetricComparison]) -> str:
    """How many comparisons no outcome could have made significant: too few of their questions changed."""
    count = sum(comparison.statistics.smallest_attainable_p > ALPHA for comparison in comparisons)
    if not count:
        return ""
    return (
        f"{count} of {len(comparisons)} could not have become significant either way: too few questions "
        f"changed for any p below {ALPHA}."
    )


def _distinct(names: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys(names))


def _span(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    return str(least) if least == most else f"{least} to {most}"
