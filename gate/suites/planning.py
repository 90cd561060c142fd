"""A request becomes a plan: files pinned by their content, a baseline chosen and explained."""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from gate.core.baseline import Chosen, choose
from gate.core.plan import (
    BaselineProblem,
    BaselineRequest,
    BaselineRows,
    Commits,
    FileRef,
    Plan,
    PlannedBaseline,
    PlannedSuite,
    Request,
    SuiteRequest,
)
from gate.core.records.ledger import Ledger, RunRecord, fingerprints
from gate.core.report import Report, SuiteReport
from gate.errors import EvidenceError
from gate.ports import Files, History, UnusableReceiptError


def make_plan(request: Request, files: Files, history: History, now: datetime) -> Plan:
    """Everything decided, nothing run; EvidenceError when a suite's rows cannot be read."""
    suites = tuple(_pinned(suite, files) for suite in request.suites)
    head = history.head()
    plan = replace(request.policy, suites=suites, commits=Commits(head=head))
    if request.baseline is None:
        return plan
    baseline = _without_itself(suites, _baseline(request.baseline, suites, files, history, now))
    base = next((rows.commit for rows in baseline.rows if rows.commit is not None), None)
    return replace(plan, baseline=baseline, commits=Commits(head=head, base=base))


def _pinned(suite: SuiteRequest, files: Files) -> PlannedSuite:
    return PlannedSuite(
        suite=suite.suite,
        name=suite.name,
        rows=None if suite.rows is None else files.pin(suite.rows),
        fingerprints=suite.fingerprints,
    )


def _baseline(
    asked: BaselineRequest,
    suites: Sequence[PlannedSuite],
    files: Files,
    history: History,
    now: datetime,
) -> PlannedBaseline:
    if asked.kind == "ledger":
        return _from_ledger(asked, suites, files, history, now)
    if asked.kind == "receipt":
        return _from_receipt(asked, suites, files)
    return _from_rows(asked, suites, files)


def _from_ledger(
    asked: BaselineRequest,
    suites: Sequence[PlannedSuite],
    files: Files,
    history: History,
    now: datetime,
) -> PlannedBaseline:
    ledger = files.ledger(asked.path)
    head = history.head()
    planned = PlannedBaseline(kind="ledger", source=asked.path, notes=_ledger_notes(asked.path, ledger))
    if ledger.missing:
        return _failed(planned, "no_baseline", f"the ledger {asked.path} does not exist")
    for suite in suites:
        chosen = choose(
            ledger.records,
            suite=_ledger_suite(ledger, suite),
            mode=asked.mode,
            run=asked.run,
            commit_distance=lambda commit: None if head is None else history.distance(commit, head),
            now=now,
        )
        planned = _with_record(planned, suite, chosen, files)
    return planned


def _with_record(
    planned: PlannedBaseline, suite: PlannedSuite, chosen: Chosen | BaselineProblem, files: Files
) -> PlannedBaseline:
    if isinstance(chosen, BaselineProblem):
        return _failed(planned, chosen.reason, chosen.message, suite.name)
    planned = replace(planned, chosen=chosen.chosen, notes=planned.notes + chosen.notes)
    record = chosen.record
    if record.output is None:
        return _failed(planned, "no_baseline", f"run {record.run_id} names no file of rows", suite.name)
    try:
        rows = _record_rows(record, record.output, suite, files)
    except EvidenceError as error:
        return _failed(planned, "no_baseline", f"run {record.run_id}: {error.message}", suite.name)
    return replace(planned, rows=(*planned.rows, rows))


def _record_rows(record: RunRecord, output: str, suite: PlannedSuite, files: Files) -> BaselineRows:
    return BaselineRows(
        suite=suite.name,
        rows=files.pin(output),
        run_id=record.run_id,
        mode=record.mode,
        commit=record.commit,
        ran_at=record.ran_at,
        fingerprints=fingerprints(record),
    )


def _ledger_suite(ledger: Ledger, suite: PlannedSuite) -> str | None:
    """The ledger's name for a suite: its own name or kind where the ledger knows it, else any."""
    known = {record.suite for record in ledger.records}
    return next((name for name in (suite.name, suite.suite) if name in known), None)


def _ledger_notes(path: str, ledger: Ledger) -> tuple[str, ...]:
    skipped = {kind: count for kind, count in ledger.skipped.items() if count and kind != "blank"}
    notes = [f"{path}: {count} {kind.replace('_', ' ')} lines skipped" for kind, count in skipped.items()]
    if ledger.duplicate_run_ids:
        notes.append(f"{path}: {len(ledger.duplicate_run_ids)} run ids stand for more than one record")
    return tuple(notes)


def _from_receipt(asked: BaselineRequest, suites: Sequence[PlannedSuite], files: Files) -> PlannedBaseline:
    planned = PlannedBaseline(kind="receipt", source=asked.path)
    try:
        report = files.receipt(asked.path)
    except UnusableReceiptError as error:
        return _failed(planned, error.reason, error.message)
    planned = replace(planned, chosen=f"the receipt of {report.created_at}")
    for suite in suites:
        planned = _with_receipt_suite(planned, suite, report, files)
    return planned


def _with_receipt_suite(
    planned: PlannedBaseline, suite: PlannedSuite, report: Report, files: Files
) -> PlannedBaseline:
    measured = next((known for known in report.suites if known.name == suite.name), None)
    if measured is None or measured.candidate.copy is None:
        return _failed(planned, "no_baseline", f"the receipt has no suite {suite.name}", suite.name)
    try:
        rows = files.kept_rows(planned.source, measured.candidate.copy)
    except EvidenceError as error:
        return _failed(planned, "invalid_receipt", error.message, suite.name)
    return replace(planned, rows=(*planned.rows, _receipt_rows(suite, report, measured, rows)))


def _receipt_rows(suite: PlannedSuite, report: Report, measured: SuiteReport, rows: FileRef) -> BaselineRows:
    return BaselineRows(
        suite=suite.name,
        rows=rows,
        run_id=measured.candidate.run_id,
        commit=report.plan.commits.head,
        ran_at=report.created_at,
        fingerprints=measured.candidate.fingerprints,
        metrics=report.plan.metrics,
    )


def _from_rows(asked: BaselineRequest, suites: Sequence[PlannedSuite], files: Files) -> PlannedBaseline:
    planned = PlannedBaseline(kind="rows", source=asked.path, chosen="rows named by the config")
    try:
        rows = files.pin(asked.path)
    except EvidenceError as error:
        return _failed(planned, "no_baseline", error.message)
    return replace(planned, rows=tuple(BaselineRows(suite=suite.name, rows=rows) for suite in suites))


def _without_itself(suites: Sequence[PlannedSuite], planned: PlannedBaseline) -> PlannedBaseline:
    """A run compared with its own rows proves nothing: such a baseline is dropped, and said."""
    candidates = {suite.name: suite.rows for suite in suites}
    for rows in planned.rows:
        tested = candidates[rows.suite]
        if tested is not None and tested.path == rows.rows.path:
            message = f"the baseline's rows are the candidate's own file {tested.path}"
            planned = _failed(
                replace(planned, rows=tuple(kept for kept in planned.rows if kept is not rows)),
                "self_baseline",
                message,
                rows.suite,
            )
    return planned


def _failed(planned: PlannedBaseline, reason: str, message: str, suite: str | None = None) -> PlannedBaseline:
    problem = BaselineProblem(reason=reason, message=message, suite=suite)
    return replace(planned, problems=(*planned.problems, problem))
