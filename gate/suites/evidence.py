"""Planned files become evidence: both sides of every suite, read and checked against their digests."""

from gate.core.findings import Evidence
from gate.core.plan import BaselineProblem, BaselineRows, Plan, PlannedSuite
from gate.ports import Ports


def gather(plan: Plan, ports: Ports) -> tuple[Evidence, ...]:
    """Read every suite's rows and, where the plan found one, its baseline's."""
    return tuple(_evidence(plan, suite, ports) for suite in plan.suites)


def baseline_rows(plan: Plan, suite: str) -> BaselineRows | None:
    """The planned baseline of a suite, if there is one."""
    every = () if plan.baseline is None else plan.baseline.rows
    return next((rows for rows in every if rows.suite == suite), None)


def baseline_problem(plan: Plan, suite: str) -> BaselineProblem | None:
    """Why a suite has no baseline, where the plan says so."""
    every = () if plan.baseline is None else plan.baseline.problems
    return next((problem for problem in every if problem.suite in (None, suite)), None)


def _evidence(plan: Plan, suite: PlannedSuite, ports: Ports) -> Evidence:
    if suite.rows is None:
        raise ValueError(f"suite {suite.name} has no rows in the plan")
    before = baseline_rows(plan, suite.name)
    return Evidence(
        planned=suite,
        candidate=ports.rows.read(suite.rows),
        baseline=None if before is None else ports.rows.read(before.rows),
        baseline_rows=before,
        problem=baseline_problem(plan, suite.name),
    )
