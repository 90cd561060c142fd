"""Whole decisions for tests: a plan and two tables go in, the report comes out."""

from collections.abc import Mapping, Sequence

from gate.core.assemble import Circumstances, assemble
from gate.core.findings import Evidence, find
from gate.core.plan import (
    BaselineProblem,
    BaselineRows,
    FileRef,
    Limits,
    MetricSpec,
    Mode,
    Plan,
    PlannedBaseline,
    PlannedSuite,
    Policy,
    Rule,
    Stats,
)
from gate.core.records.rows import RowTable
from gate.core.report import Outcome, Report
from gate.core.significance import compare_all, family_size
from gate.core.verdict import decide

SIGNIFICANT = Rule(metric="hit", rule="significant")
PER_TYPE = Rule(metric="hit", rule="significant", per="question-type")
HIT = MetricSpec(name="hit", better="higher", unit="share")


def floor(at_least: float, metric: str = "hit") -> Rule:
    """A rule with a floor."""
    return Rule(metric=metric, rule="threshold", at_least=at_least)


def ceiling(at_most: float, metric: str) -> Rule:
    """A rule with a ceiling."""
    return Rule(metric=metric, rule="threshold", at_most=at_most)


def ref(path: str) -> FileRef:
    """A file that nothing reads."""
    return FileRef(path=path, sha256="0" * 64, bytes=1)


def plan(
    *rules: Rule,
    metrics: Sequence[MetricSpec] = (HIT,),
    suites: Sequence[str] = ("rows",),
    limits: Limits = Limits(),  # noqa: B008 - frozen
    mode: Mode = "blocking",
    on_inconclusive: Mapping[str, Policy] | None = None,
    hold_fixed: Sequence[str] = (),
    baseline: PlannedBaseline | None = None,
) -> Plan:
    """A plan of 1,000 draws over suites of rows."""
    return Plan(
        mode=mode,
        suites=tuple(PlannedSuite(suite="rows", name=name, rows=ref(f"{name}.ndjson")) for name in suites),
        metrics=tuple(metrics),
        rules=rules,
        limits=limits,
        hold_fixed=tuple(hold_fixed),
        on_inconclusive=dict(on_inconclusive or {}),
        stats=Stats(draws=1_000, seed=42),
        baseline=baseline,
    )


def evidence(
    candidate: RowTable,
    baseline: RowTable | None = None,
    *,
    suite: str = "rows",
    problem: BaselineProblem | None = None,
    metrics: Sequence[MetricSpec] = (),
    units: Mapping[str, str] | None = None,
    fingerprints: Mapping[str, str] | None = None,
    baseline_fingerprints: Mapping[str, str] | None = None,
) -> Evidence:
    """Two tables of one suite."""
    rows = BaselineRows(
        suite=suite,
        rows=ref("baseline.ndjson"),
        run_id="base-run",
        commit="abc1234",
        metrics=tuple(metrics),
        units=dict(units or {}),
        fingerprints=dict(baseline_fingerprints or {}),
    )
    planned = PlannedSuite(
        suite="rows", name=suite, rows=ref(f"{suite}.ndjson"), fingerprints=dict(fingerprints or {})
    )
    return Evidence(
        planned=planned,
        candidate=candidate,
        baseline=baseline,
        baseline_rows=None if baseline is None else rows,
        problem=problem,
    )


def judged(given: Plan, *suites: Evidence) -> Report:
    """The report of the whole pure middle."""
    findings = compare_all(given, [find(given, suite) for suite in suites])
    outcomes = decide(given, findings, family=family_size(findings))
    facts = Circumstances("0.0.0", "2026-01-01T00:00:00.000Z", {}, {})
    return assemble(given, findings, outcomes, facts)


def only(report: Report) -> Outcome:
    """The one outcome of a report that has one."""
    (outcome,) = report.outcomes
    return outcome


def flipped(n: int, *, losses: int = 0, wins: int = 0) -> tuple[list[int], list[int]]:
    """Baseline and candidate hits of n questions: the first ones are lost, the next ones won, the rest hit."""
    baseline = [1] * losses + [0] * wins + [1] * (n - losses - wins)
    candidate = [0] * losses + [1] * wins + [1] * (n - losses - wins)
    return baseline, candidate
