"""A request becomes a plan: files pinned by their content, a baseline chosen and explained."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from msgspec.structs import replace

from gate.core.baseline import LATEST, Ancestry, Chosen, choose
from gate.core.judging.panel_report import earlier_panel
from gate.core.plan import (
    BaselineKind,
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
from gate.core.wording import counted
from gate.errors import EvidenceError
from gate.ports import Files, History, RunLedger, UnusableReceiptError
from gate.suites.pinning import pinned_inputs


@dataclass(frozen=True, slots=True)
class World:
    """What planning looks at. On a pull request `baseline_files` reads from the base's tree."""

    files: Files
    baseline_files: Files
    history: History
    now: datetime
    commits: Commits | None = None
    """The commit under test and its base, where an event says them; None = git's HEAD, and no base."""
    database: RunLedger | None = None
    """The ledger that many places share; None = the environment names none."""

    @property
    def start(self) -> str | None:
        """The commit that ancestors are counted from: the base where there is one, else the head."""
        commits = self.commits or Commits(head=self.history.head())
        return commits.base or commits.head


def make_plan(request: Request, world: World) -> Plan:
    """Everything decided, nothing run; EvidenceError when a suite's rows cannot be read.

    Where nothing watched has changed there is nothing to read: such a plan has no suites.
    """
    policy = request.policy
    commits = world.commits or Commits(head=world.history.head())
    plan = replace(policy, commits=commits)
    if policy.watch is not None and not policy.watch.applies:
        return plan
    suites = tuple(_pinned(suite, world) for suite in request.suites)
    plan = replace(plan, suites=suites)
    if request.baseline is not None:
        plan = _with_baseline(plan, _chosen(request.baseline, suites, world))
    if request.anchor is not None:
        anchored = tuple(
            replace(suite, name=f"{suite.name} against the anchor", anchored=suite.name) for suite in suites
        )
        plan = replace(plan, suites=plan.suites + anchored, anchor=_chosen(request.anchor, anchored, world))
    return plan


def _anchored(suite: PlannedSuite) -> PlannedSuite:
    return replace(suite, name=f"{suite.name} against the anchor", anchored=suite.name)


def _with_baseline(plan: Plan, baseline: PlannedBaseline) -> Plan:
    measured = next((rows.commit for rows in baseline.rows if rows.commit is not None), None)
    base = plan.commits.base or measured
    return replace(plan, baseline=baseline, commits=replace(plan.commits, base=base))


def _chosen(asked: BaselineRequest, suites: Sequence[PlannedSuite], world: World) -> PlannedBaseline:
    if asked.problem is not None:
        nothing = PlannedBaseline(kind=asked.kind, source=asked.path)
        return _failed(nothing, asked.problem.reason, asked.problem.message)
    return _without_itself(suites, SOURCES[asked.kind](asked, suites, world))


def _pinned(suite: SuiteRequest, world: World) -> PlannedSuite:
    files = world.files
    return PlannedSuite(
        suite=suite.suite,
        name=suite.name,
        rows=None if suite.rows is None else files.pin(suite.rows),
        inputs=None if suite.asked is None else pinned_inputs(suite.asked, files, world.baseline_files),
        earlier=tuple(files.pin(path) for path in suite.earlier),
        limited_to=suite.limited_to,
        fingerprints=suite.fingerprints,
    )


def _from_ledger(asked: BaselineRequest, suites: Sequence[PlannedSuite], world: World) -> PlannedBaseline:
    ledger = world.baseline_files.ledger(asked.path)
    planned = PlannedBaseline(kind="ledger", source=asked.path, notes=_ledger_notes(asked.path, ledger))
    if ledger.missing:
        return _failed(planned, "no_baseline", f"the ledger {asked.path} does not exist")
    return _with_records(planned, asked, suites, ledger, world)


def _from_database(asked: BaselineRequest, suites: Sequence[PlannedSuite], world: World) -> PlannedBaseline:
    """Runs of a ledger that many places share. UnavailableError when it is out of reach, which is no missing one."""
    planned = PlannedBaseline(kind="database", source=asked.path)
    if world.database is None:
        return _failed(planned, "no_baseline", "GATE_DATABASE_URL does not name the database")
    ledger = world.database.read()
    if ledger.missing:
        return _failed(planned, "no_baseline", "the database has no run ledger yet")
    ledger, passed_over = _of_the_base(ledger, asked, world)
    planned = replace(planned, notes=_ledger_notes(asked.path, ledger) + passed_over)
    return _with_records(planned, asked, suites, ledger, world)


def _of_the_base(ledger: Ledger, asked: BaselineRequest, world: World) -> tuple[Ledger, tuple[str, ...]]:
    """A pull request cannot bring its own baseline: only runs of its base, and of commits before it, are its latest."""
    if asked.run != LATEST or world.commits is None or world.commits.base is None:
        return ledger, ()
    commits = {record.commit for record in ledger.records if record.commit is not None}
    known = {commit for commit in commits if _distance(commit, world) is not None}
    records = tuple(record for record in ledger.records if record.commit in known)
    passed_over = len(ledger.records) - len(records)
    why = f"{asked.path}: {passed_over} runs of commits that are not known to be before the base are passed over"
    return Ledger(records=records, skips=ledger.skips), (why,) if passed_over else ()


def _with_records(
    planned: PlannedBaseline,
    asked: BaselineRequest,
    suites: Sequence[PlannedSuite],
    ledger: Ledger,
    world: World,
) -> PlannedBaseline:
    for suite in suites:
        mode = suite.mode or asked.mode
        if asked.mode not in (None, mode):
            said = f"{suite.name} runs in mode {mode}: compared with runs of that mode, not of {asked.mode}"
            planned = replace(planned, notes=(*planned.notes, said))
        chosen = choose(
            ledger.records,
            suite=_ledger_suite(ledger, suite),
            mode=mode,
            run=asked.run,
            ancestry=_ancestry(world),
            now=world.now,
        )
        planned = _with_record(planned, suite, chosen, world.baseline_files)
    return planned


def _ancestry(world: World) -> Ancestry:
    """Without a commit to count from, no record can lie on another line."""
    return Ancestry(
        distance=lambda commit: _distance(commit, world),
        elsewhere=lambda commit: world.start is not None and world.history.elsewhere(commit, world.start),
    )


def _distance(commit: str, world: World) -> int | None:
    return None if world.start is None else world.history.distance(commit, world.start)


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
    rows = files.pin(output)
    replaced = record.replaced(rows.sha256)
    if replaced is not None:
        raise EvidenceError(replaced, remedy="restore the run's own rows, or name another run")
    return BaselineRows(
        suite=suite.name,
        rows=rows,
        run_id=record.run_id,
        mode=record.mode,
        commit=record.commit,
        ran_at=record.ran_at,
        fingerprints=fingerprints(record),
    )


def _ledger_suite(ledger: Ledger, suite: PlannedSuite) -> str | None:
    """The ledger's name for a suite: its own, the one it has in all its modes, or its kind, where the ledger knows it.

    None = any, for rows that were made elsewhere; a suite that is run is never compared with one of another kind.
    """
    known = {record.suite for record in ledger.records}
    unknown = None if suite.inputs is None else suite.suite
    names = (suite.subject, suite.subject.removesuffix(f"-{suite.mode}"), suite.suite)
    return next((name for name in names if name in known), unknown)


def _ledger_notes(path: str, ledger: Ledger) -> tuple[str, ...]:
    skipped = {kind: count for kind, count in ledger.skipped.items() if count and kind != "blank"}
    named = {kind.replace("_", " "): count for kind, count in skipped.items()}
    notes = [f"{path}: {counted(count, f'{kind} line')} skipped" for kind, count in named.items()]
    if ledger.duplicate_run_ids:
        twice = len(ledger.duplicate_run_ids)
        notes.append(f"{path}: {counted(twice, 'run id')} stand{'s' * (twice == 1)} for more than one record")
    return tuple(notes)


def _from_receipt(asked: BaselineRequest, suites: Sequence[PlannedSuite], world: World) -> PlannedBaseline:
    files = world.baseline_files
    planned = PlannedBaseline(kind=asked.kind, source=asked.path)
    try:
        report = files.receipt(asked.path)
    except UnusableReceiptError as error:
        return _failed(planned, error.reason, error.message)
    planned = replace(planned, chosen=_receipt_chosen(asked, report, world))
    for suite in suites:
        planned = _with_receipt_suite(planned, suite, report, files)
    return planned


def _receipt_chosen(asked: BaselineRequest, report: Report, world: World) -> str:
    """How far back an accepted, fetched or named receipt lies, in plain words."""
    what = {"accepted": "the accepted baseline", "artifact": "the newest run on the base branch"}
    named = what.get(asked.kind, "the receipt")
    commit = report.plan.commits.head
    steps = None if commit is None else _distance(commit, world)
    distance = "" if steps is None else f", {steps} commit{'' if steps == 1 else 's'} back"
    return f"{named} of {report.created_at[:10]}{distance}"


def _with_receipt_suite(
    planned: PlannedBaseline, suite: PlannedSuite, report: Report, files: Files
) -> PlannedBaseline:
    measured = next((known for known in report.suites if known.name == suite.subject), None)
    if measured is None or measured.candidate.copy is None:
        return _failed(planned, "no_baseline", f"the receipt has no suite {suite.subject}", suite.name)
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
        panel=None if measured.panel is None else earlier_panel(measured.panel),
    )


def _from_rows(asked: BaselineRequest, suites: Sequence[PlannedSuite], world: World) -> PlannedBaseline:
    files = world.baseline_files
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


SOURCES: Final[
    Mapping[BaselineKind, Callable[[BaselineRequest, Sequence[PlannedSuite], World], PlannedBaseline]]
] = {
    "ledger": _from_ledger,
    "database": _from_database,
    "receipt": _from_receipt,
    "accepted": _from_receipt,
    "artifact": _from_receipt,
    "rows": _from_rows,
}
"""Where each kind of baseline comes from; an accepted or fetched one is a receipt that lies where it was put."""
