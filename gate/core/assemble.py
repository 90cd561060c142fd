"""Findings and outcomes become the report: what a renderer may show, decided and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from gate.core.attempts import attempts
from gate.core.compare import rankings_changed
from gate.core.drift import only_broken
from gate.core.findings import Findings, Measurement
from gate.core.flips import KEPT, flips
from gate.core.judging.panel_report import panel_report, total_cost
from gate.core.plan import FileRef, Plan
from gate.core.reasons import without_metric, worst
from gate.core.receipt import plan_digest
from gate.core.records.panel_figures import PanelReport
from gate.core.records.rows import RowNotes, RowTable
from gate.core.report import Mean, Outcome, Report, SideReport, SuiteReport, Verdict
from gate.core.significance import gated_by
from gate.core.wording import counted

EXIT: Final[Mapping[Verdict, int]] = {"pass": 0, "fail": 1, "inconclusive": 2}
_LEGACY: Final = "only say whether any gold session was found"
_LAST: Final = "the last one taken"
UNPAIRED_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is true of this run and of no other: who ran it, when, how long each stage took."""

    tool_version: str
    created_at: str
    durations_ms: Mapping[str, int]
    copies: Mapping[tuple[str, str], FileRef]
    """(suite, "candidate" | "baseline") → the slim copy of its rows below the output folder."""


def assemble(
    plan: Plan, findings: Sequence[Findings], outcomes: Sequence[Outcome], facts: Circumstances
) -> Report:
    """The report of a finished run, not yet sealed."""
    deciding = worst(outcomes)
    verdict: Verdict = "inconclusive" if deciding is None else deciding.verdict
    suites = tuple(_suite(plan, suite, outcomes, facts) for suite in findings)
    reason = "empty_suite" if deciding is None else deciding.reason
    return Report(
        tool_version=facts.tool_version,
        created_at=facts.created_at,
        gate=plan.gate,
        mode=plan.mode,
        verdict=verdict,
        reason=reason,
        exit_code=exit_code(plan, verdict, outcomes),
        regressed=_regressed(outcomes),
        plan=plan,
        plan_sha256=plan_digest(plan),
        suites=suites,
        outcomes=tuple(outcomes),
        notes=plan.notes + (() if plan.baseline is None else plan.baseline.notes),
        cost_usd=total_cost(tuple(suite.panel for suite in suites if suite.panel is not None)),
        durations_ms=facts.durations_ms,
        complete=True,
    )


def timed(report: Report, durations_ms: Mapping[str, int]) -> Report:
    """The same report, saying how long each stage took."""
    return replace(report, durations_ms=dict(durations_ms))


def cancelled(plan: Plan, facts: Circumstances, *, code: int, kept: tuple[str, ...] = ()) -> Report:
    """The truthful report of a run that was stopped before it could decide; `kept` says what is left of it.

    `code` is what the process ends with, 130 or 143.
    """
    stopped = without_metric(
        "the run finished", "cancelled", "the run was cancelled before it could decide", suite=None
    )
    report = assemble(plan, (), (stopped,), facts)
    return replace(report, exit_code=code, complete=False, notes=report.notes + kept)


def not_begun(plan: Plan, facts: Circumstances, why: str) -> Report:
    """The truthful report of a run that would have cost more than it may: nothing ran, and no policy lets that pass."""
    said = without_metric("what it may cost is within the budget", "budget_exhausted", why, suite=None)
    report = assemble(plan, (), (said,), facts)
    return replace(report, exit_code=EXIT["inconclusive"], complete=False)


def not_applicable(plan: Plan, facts: Circumstances) -> Report:
    """The report of a change that touches nothing watched: nothing ran, and the check still reports."""
    count = 0 if plan.watch is None else plan.watch.changed or 0
    message = (
        "the one changed file is not watched"
        if count == 1
        else f"none of the {count} changed files is watched"
    )
    said = without_metric("something watched has changed", "not_applicable", message, suite=None)
    return assemble(plan, (), (said,), facts)


def exit_code(plan: Plan, verdict: Verdict, outcomes: Sequence[Outcome]) -> int:
    """What the process says: the verdict's code, softened only where the plan says so."""
    if plan.mode == "advisory":
        return 0
    if plan.purpose == "drift" and verdict == "fail" and only_broken(outcomes):
        return EXIT["inconclusive"]  # 1 is drift, and whether anything drifts is not known
    if verdict != "inconclusive":
        return EXIT[verdict]
    reasons = {outcome.reason for outcome in outcomes if outcome.verdict == "inconclusive"}
    default = plan.on_inconclusive.get("default", "fail")
    let_through = all(plan.on_inconclusive.get(str(reason), default) == "pass" for reason in reasons)
    return 0 if reasons and let_through else EXIT[verdict]


def _regressed(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    named = [
        outcome.metric if not outcome.types else f"{outcome.metric} ({', '.join(outcome.types)})"
        for outcome in outcomes
        if outcome.reason == "regression"
    ]
    return tuple(dict.fromkeys(named))


def _suite(plan: Plan, findings: Findings, outcomes: Sequence[Outcome], facts: Circumstances) -> SuiteReport:
    name = findings.evidence.planned.name
    mine = [outcome for outcome in outcomes if outcome.suite in (None, name)]
    broken = frozenset(kind for outcome in mine for kind in outcome.types)
    gated = _worth_looking_at(plan, findings, mine)
    every = flips(findings, gated, broken)
    joined = findings.joined
    paired = 0 if joined is None else int(joined.left.size)
    return SuiteReport(
        suite=findings.evidence.planned.suite,
        name=name,
        candidate=_candidate(findings, facts),
        baseline=_baseline(findings, facts),
        paired=paired,
        baseline_only=0 if joined is None else len(joined.baseline_only),
        candidate_only=0 if joined is None else len(joined.candidate_only),
        content_changed=0 if joined is None else len(joined.changed),
        unpaired_ids=_unpaired(findings),
        rankings_changed=None if joined is None else rankings_changed(joined),
        comparisons=tuple(
            found.comparison for found in findings.measurements if found.comparison is not None
        ),
        by_type=tuple(made for found in findings.measurements for made in found.by_type),
        flips=every[:KEPT],
        flips_total=len(every),
        questions_changed=len({flip.question_id for flip in every}),
        differs=findings.differs,
        panel=_panel(findings),
    )


def _panel(findings: Findings) -> PanelReport | None:
    kept, before = findings.evidence.panel, findings.evidence.baseline_rows
    if kept is None:
        return None
    return panel_report(kept.file, kept.receipt, None if before is None else before.panel)


def _worth_looking_at(plan: Plan, findings: Findings, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The metrics whose changed questions are listed: those that did not hold, or all gated ones if all held."""
    name = findings.evidence.planned.subject
    gated = tuple(
        found.metric
        for found in findings.measurements
        if any(gated_by(rule, name, found) for rule in plan.rules)
    )
    broken = {outcome.metric for outcome in outcomes if outcome.verdict == "fail"}
    return tuple(metric for metric in gated if metric in broken) or gated


def _unpaired(findings: Findings) -> tuple[str, ...]:
    joined = findings.joined
    if joined is None:
        return ()
    return (joined.baseline_only + joined.candidate_only + joined.changed)[:UNPAIRED_SHOWN]


def _candidate(findings: Findings, facts: Circumstances) -> SideReport:
    planned = findings.evidence.planned
    return replace(
        _side(findings.evidence.candidate, findings.candidate, findings.fingerprints),
        rows=findings.evidence.rows,
        copy=facts.copies.get((planned.name, "candidate")),
        means=tuple(
            _mean(found, found.candidate_n, found.candidate_mean, missing=found.silent)
            for found in findings.measurements
            if found.candidate_mean is not None
        ),
        attempts=attempts(findings),
    )


def _baseline(findings: Findings, facts: Circumstances) -> SideReport | None:
    rows, table, joined = findings.evidence.baseline_rows, findings.evidence.baseline, findings.joined
    if rows is None or table is None or joined is None:
        return None
    return replace(
        _side(table, joined.baseline, findings.baseline_fingerprints),
        rows=rows.rows,
        copy=facts.copies.get((findings.evidence.planned.name, "baseline")),
        run_id=rows.run_id,
        commit=rows.commit,
        ran_at=rows.ran_at,
        means=tuple(
            _mean(found, found.baseline_n, found.baseline_mean)
            for found in findings.measurements
            if found.baseline_mean is not None
        ),
    )


def _mean(found: Measurement, n: int, mean: float, *, missing: int = 0) -> Mean:
    return Mean(
        metric=found.metric, n=n, mean=mean, better=found.spec.better, unit=found.spec.unit, missing=missing
    )


def _side(table: RowTable, questions: RowTable, fingerprints: Mapping[str, str]) -> SideReport:
    return SideReport(
        rows=None,
        questions=len(questions),
        repeats=len(table) - len(questions),
        errored=int(questions.errored.sum()),
        judge_errors=int(questions.judge_errors.sum()),
        abstentions=int(questions.abstentions.sum()),
        fingerprints=dict(sorted(fingerprints.items())),
        notes=_notes(table.notes),
    )


def _notes(notes: RowNotes) -> tuple[str, ...]:
    """What the reader left out or resolved, in words; nothing where there was nothing."""
    kinds = (
        (notes.torn_lines, "torn line skipped", "torn lines skipped"),
        (
            notes.duplicate_ids,
            f"duplicate question id, {_LAST}",
            f"duplicate question ids, {_LAST}",
        ),
        (notes.legacy_rows, f"legacy row that {_LEGACY}", f"legacy rows that {_LEGACY}"),
    )
    said = [counted(count, one, many) for count, one, many in kinds if count]
    said += [f"{name} holds numbers and text: not compared" for name in notes.not_metrics]
    return (*said, *notes.stated)
