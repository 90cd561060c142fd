"""The report seen metric by metric: each gated metric with its rules' outcomes and its comparisons."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gate.core.plan import Better, MetricSpec, Rule
from gate.core.report import Comparison, Mean, Outcome, Report, SuiteReport, Verdict

_SEVERITY: Final[dict[Verdict, int]] = {"fail": 0, "inconclusive": 1, "pass": 2}


@dataclass(frozen=True, slots=True)
class Gated:
    """One metric of one suite that rules speak about; `suite` None = no suite measures it."""

    metric: str
    suite: SuiteReport | None
    outcomes: tuple[Outcome, ...]
    comparison: Comparison | None
    by_type: tuple[Comparison, ...]
    mean: Mean | None
    spec: MetricSpec

    @property
    def verdict(self) -> Verdict:
        """The worst of its outcomes."""
        return min((outcome.verdict for outcome in self.outcomes), key=_SEVERITY.__getitem__)

    @property
    def better(self) -> Better | None:
        """Its direction, from whoever states it."""
        stated = (
            self.comparison and self.comparison.better,
            self.mean and self.mean.better,
            self.spec.better,
        )
        return next((better for better in stated if better), None)

    @property
    def unit(self) -> str | None:
        """Its unit, from whoever states it."""
        stated = (self.comparison and self.comparison.unit, self.mean and self.mean.unit, self.spec.unit)
        return next((unit for unit in stated if unit), None)


def gated_metrics(report: Report) -> tuple[Gated, ...]:
    """Every metric a rule speaks about, the worst verdict first, otherwise in the order of the rules."""
    grouped: dict[tuple[str | None, str], list[Outcome]] = {}
    for outcome in report.outcomes:
        grouped.setdefault((outcome.suite, outcome.metric), []).append(outcome)
    found = [
        _gated(report, suite, metric, outcomes) for (suite, metric), outcomes in grouped.items() if metric
    ]
    return tuple(sorted(found, key=lambda gated: _SEVERITY[gated.verdict]))


def suite_named(report: Report, name: str | None) -> SuiteReport | None:
    """The suite of this name; with None the only one there is, if there is only one."""
    if name is None:
        return report.suites[0] if len(report.suites) == 1 else None
    by_name = (suite for suite in report.suites if suite.name == name)
    return next(by_name, None)


def rule_of(report: Report, outcome: Outcome) -> Rule | None:
    """The pre-registered rule an outcome answers; None for what is checked without a rule."""
    return next((rule for rule in report.plan.rules if rule.id == outcome.rule), None)


def family(report: Report) -> int:
    """How many comparisons Holm ran over."""
    return sum(comparison.gated for comparison in every_comparison(report))


def every_comparison(report: Report) -> Iterator[Comparison]:
    """All comparisons of all suites, whole metrics before types."""
    for suite in report.suites:
        yield from suite.comparisons
        yield from suite.by_type


def _gated(report: Report, suite: str | None, metric: str, outcomes: list[Outcome]) -> Gated:
    found = suite_named(report, suite)
    specs = (spec for spec in report.plan.metrics if spec.name == metric)
    return Gated(
        metric=metric,
        suite=found,
        outcomes=tuple(outcomes),
        comparison=None if found is None else next(_about(found.comparisons, metric), None),
        by_type=() if found is None else tuple(_about(found.by_type, metric)),
        mean=None if found is None else next((m for m in found.candidate.means if m.metric == metric), None),
        spec=next(specs, MetricSpec(name=metric)),
    )


def _about(comparisons: tuple[Comparison, ...], metric: str) -> Iterator[Comparison]:
    return (comparison for comparison in comparisons if comparison.metric == metric)
