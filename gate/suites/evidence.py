"""Planned suites become evidence: run where they have no rows yet, read, checked against their digests."""

from dataclasses import dataclass, replace

from gate.core.findings import Evidence, KeptPanel
from gate.core.plan import BaselineProblem, BaselineRows, FileRef, Plan, PlannedBaseline, PlannedSuite
from gate.core.pooling import pooled
from gate.core.records.rows import RowTable
from gate.core.report import Report
from gate.ports import Ports, Ran, RowSource


def gather(plan: Plan, ports: Ports) -> tuple[Evidence, ...]:
    """Read the rows and baselines that are there, then run the suites that have none: nothing is asked in vain."""
    there = {suite.name: _there(plan, suite, ports) for suite in plan.suites}
    measured = {
        suite.name: _run(suite, ports)
        for suite in plan.suites
        if suite.rows is None and suite.anchored is None
    }
    return tuple(
        _evidence(plan, suite, there[suite.name], measured.get(suite.subject)) for suite in plan.suites
    )


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


@dataclass(frozen=True, slots=True)
class _There:
    """What stood in files before anything ran: earlier attempts and rows that were brought, and the baseline's."""

    rows: tuple[RowTable, ...]
    baseline: RowTable | None


def _there(plan: Plan, suite: PlannedSuite, ports: Ports) -> _There:
    files = suite.earlier if suite.rows is None else (*suite.earlier, suite.rows)
    before = baseline_rows(plan, suite.name)
    return _There(
        rows=tuple(map(ports.rows.read, files)),
        baseline=None if before is None else ports.rows.read(before.rows),
    )


def _evidence(plan: Plan, suite: PlannedSuite, there: _There, asked: Ran | None) -> Evidence:
    newest = () if suite.rows is not None or asked is None else (asked.table,)
    return Evidence(
        planned=suite,
        candidate=pooled([*there.rows, *newest]),
        baseline=there.baseline,
        baseline_rows=baseline_rows(plan, suite.name),
        problem=baseline_problem(plan, suite.name),
        measured=None if asked is None else asked.rows,
        panel=None if asked is None or suite.anchored is not None else asked.panel,
    )
