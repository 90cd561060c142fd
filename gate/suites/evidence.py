"""Planned suites become evidence: run where they have no rows yet, read, checked against their digests."""

from collections.abc import Mapping
from dataclasses import replace

from gate.core.findings import Evidence, KeptPanel
from gate.core.plan import BaselineProblem, BaselineRows, FileRef, Plan, PlannedBaseline, PlannedSuite
from gate.core.pooling import pooled
from gate.core.report import Report
from gate.ports import Ports, Ran, RowSource

_Measured = Mapping[str, Ran]


def gather(plan: Plan, ports: Ports) -> tuple[Evidence, ...]:
    """Run the suites that have no rows yet, then read every suite's rows and, where there is one, its baseline's."""
    measured = {
        suite.name: _run(suite, ports)
        for suite in plan.suites
        if suite.rows is None and suite.anchored is None
    }
    return tuple(_evidence(plan, suite, measured, ports) for suite in plan.suites)


def _run(suite: PlannedSuite, ports: Ports) -> Ran:
    if ports.suites is None:
        raise ValueError(f"suite {suite.name} has no rows in the plan, and nobody runs it")
    return ports.suites.run(suite)


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
    sources = {suite.name: suite.candidate.rows for suite in report.suites}
    panels = {suite.name: suite.panel.receipt for suite in report.suites if suite.panel is not None}
    return tuple(
        replace(
            _kept(report.plan, suite, sources.get(suite.name), copies, rows),
            panel=_panel(panels.get(suite.name), rows),
        )
        for suite in report.plan.suites
    )


def _panel(receipt: FileRef | None, rows: RowSource) -> KeptPanel | None:
    return None if receipt is None else KeptPanel(receipt, rows.panel(receipt))


def _kept(
    plan: Plan,
    suite: PlannedSuite,
    source: FileRef | None,
    copies: dict[tuple[str, str], FileRef],
    rows: RowSource,
) -> Evidence:
    before = copies.get((suite.name, "baseline"))
    return Evidence(
        planned=suite,
        candidate=rows.read(copies[suite.name, "candidate"]),
        baseline=None if before is None else rows.read(before),
        baseline_rows=baseline_rows(plan, suite.name),
        problem=baseline_problem(plan, suite.name),
        measured=source,
    )


def _evidence(plan: Plan, suite: PlannedSuite, measured: _Measured, ports: Ports) -> Evidence:
    before = baseline_rows(plan, suite.name)
    asked = measured.get(suite.subject)
    newest = ports.rows.read(suite.rows) if suite.rows is not None else measured[suite.subject].table
    return Evidence(
        planned=suite,
        candidate=pooled([*(ports.rows.read(rows) for rows in suite.earlier), newest]),
        baseline=None if before is None else ports.rows.read(before.rows),
        baseline_rows=before,
        problem=baseline_problem(plan, suite.name),
        measured=None if asked is None else asked.rows,
        panel=None if asked is None or suite.anchored is not None else asked.panel,
    )
