"""Planned files become evidence: both sides of every suite, read and checked against their digests."""

from gate.core.findings import Evidence
from gate.core.plan import BaselineProblem, BaselineRows, FileRef, Plan, PlannedBaseline, PlannedSuite
from gate.core.pooling import pooled
from gate.core.report import Report
from gate.ports import Ports, RowSource


def gather(plan: Plan, ports: Ports) -> tuple[Evidence, ...]:
    """Read every suite's rows and, where the plan found one, its baseline's."""
    return tuple(_evidence(plan, suite, ports) for suite in plan.suites)


def baseline_rows(plan: Plan, suite: str) -> BaselineRows | None:
    """The planned baseline of a suite, if there is one."""
    return next((rows for source in _sources(plan) for rows in source.rows if rows.suite == suite), None)


def baseline_problem(plan: Plan, suite: str) -> BaselineProblem | None:
    """Why a suite has no baseline, where the plan says so."""
    anchored = next((each.anchored is not None for each in plan.suites if each.name == suite), False)
    source = plan.anchor if anchored else plan.baseline
    every = () if source is None else source.problems
    return next((problem for problem in every if problem.suite in (None, suite)), None)


def _sources(plan: Plan) -> tuple[PlannedBaseline, ...]:
    return tuple(source for source in (plan.baseline, plan.anchor) if source is not None)


def copies_named_by(report: Report) -> dict[tuple[str, str], FileRef]:
    """The slim copies of rows that a report names, by suite and side."""
    sides = [
        (suite.name, side, found)
        for suite in report.suites
        for side, found in (("candidate", suite.candidate), ("baseline", suite.baseline))
    ]
    return {
        (name, side): found.copy
        for name, side, found in sides
        if found is not None and found.copy is not None
    }


def from_copies(report: Report, rows: RowSource) -> tuple[Evidence, ...]:
    """The evidence of a finished run, from the copies it kept."""
    copies = copies_named_by(report)
    return tuple(_kept(report.plan, suite, copies, rows) for suite in report.plan.suites)


def _kept(
    plan: Plan, suite: PlannedSuite, copies: dict[tuple[str, str], FileRef], rows: RowSource
) -> Evidence:
    before = copies.get((suite.name, "baseline"))
    return Evidence(
        planned=suite,
        candidate=rows.read(copies[suite.name, "candidate"]),
        baseline=None if before is None else rows.read(before),
        baseline_rows=baseline_rows(plan, suite.name),
        problem=baseline_problem(plan, suite.name),
    )


def _evidence(plan: Plan, suite: PlannedSuite, ports: Ports) -> Evidence:
    if suite.rows is None:
        raise ValueError(f"suite {suite.name} has no rows in the plan")
    before = baseline_rows(plan, suite.name)
    return Evidence(
        planned=suite,
        candidate=pooled([ports.rows.read(rows) for rows in (*suite.earlier, suite.rows)]),
        baseline=None if before is None else ports.rows.read(before.rows),
        baseline_rows=before,
        problem=baseline_problem(plan, suite.name),
    )
