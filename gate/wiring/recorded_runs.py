"""The runs of a plan, each in a ledger as soon as it has ended, however it ended."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from gate.core.plan import FileRef, Plan, PlannedSuite
from gate.core.records.ledger import RunRecord, read_line
from gate.core.records.new_record import record_line
from gate.core.records.panel_terms import TakesInputs
from gate.core.records.rows import RowTable
from gate.core.records.run_records import Occasion, Recordable, RunFacts, failed_facts, run_record
from gate.core.records.suite_inputs import LongMemEvalInputs, ReplayInputs, RetrievalInputs
from gate.core.release import Recorded, called
from gate.core.report import Report, SuiteReport
from gate.core.sweep import families
from gate.errors import Cancelled
from gate.ports import Ran, RunLedger, SuiteRuns
from gate.store.confinement import confine
from gate.store.run_rows import repository_root
from gate.store.workspace import relative_or
from gate.wiring.happening import Happening, recorded_end, why_it_broke_off
from gate.wiring.suite_job import Surroundings, rows_place


class RecordedRuns:
    """Implements SuiteRuns: who asks is somebody else; what came of it is appended to the ledger."""

    def __init__(self, runs: SuiteRuns, plan: Plan, ledger: RunLedger, around: Surroundings) -> None:
        self._runs = runs
        self._plan = plan
        self._ledger = ledger
        self._around = around
        self._families = families(plan)
        self.recorded: list[Recorded] = []

    def run(self, suite: PlannedSuite) -> Ran:
        """Ask everything; a run that breaks off leaves a failed record, and its error is raised again."""
        happening = self._happening(suite)
        try:
            ran = self._runs.run(suite)
        except (Exception, Cancelled, KeyboardInterrupt) as error:
            why, occasion = why_it_broke_off(error), happening.over(*self._datasets(suite))
            recorded_end(error, lambda: self._keep(suite, why, occasion))
            raise
        if ran.recordable is not None:
            self._keep(suite, ran.recordable, happening.over(*self._datasets(suite)), ran.table)
        return ran

    def brought(self, report: Report, suite: PlannedSuite, found: SuiteReport, table: RowTable) -> None:
        """Rows that were measured elsewhere: they are recorded as what they say of themselves."""
        self._families = called(report)
        happening = self._happening(suite)
        self._keep(suite, lambda occasion: _brought(found, occasion), happening.over(), table)

    def _happening(self, suite: PlannedSuite) -> Happening:
        root = repository_root(self._around.root)
        return Happening(self._around.clock, root, _seed(suite, self._plan))

    def _keep(
        self, suite: PlannedSuite, recordable: Recordable, occasion: Occasion, table: RowTable | None = None
    ) -> None:
        facts = (
            failed_facts(suite.suite, suite.mode or "n/a", occasion, recordable)
            if isinstance(recordable, str)
            else recordable(occasion)
        )
        if facts.rows_path is not None and suite.rows is None:
            facts = replace(facts, rows_path=_rows_of(suite, self._around))
        record = run_record(replace(facts, suite=self._families[suite.name]))
        self._ledger.append(record)
        read = read_line(record_line(record), number=len(self.recorded) + 1)
        if isinstance(read, RunRecord):
            self.recorded.append(Recorded(suite.name, read, table))

    def _datasets(self, suite: PlannedSuite) -> tuple[Path, ...]:
        """The files of the workspace that its questions come from."""
        match suite.inputs:
            case RetrievalInputs(qrels=qrels, queries=None):
                files: tuple[FileRef, ...] = (qrels,)
            case RetrievalInputs(qrels=qrels, queries=FileRef() as queries):
                files = (qrels, queries)
            case LongMemEvalInputs(dataset=dataset):
                files = (dataset,)
            case ReplayInputs(against=against):
                files = (against,)
            case _:
                files = ()
        return tuple(confine(self._around.root, file.path) for file in files if file.commit is None)


def _rows_of(suite: PlannedSuite, around: Surroundings) -> str:
    """What records call a suite's rows: their whole path where they lie outside of the workspace."""
    path, _ = rows_place(around, suite)
    return relative_or(around.root, path, str(path.resolve()))


def _seed(suite: PlannedSuite, plan: Plan) -> int:
    """What its questions are drawn with; the plan's own where it draws none."""
    if isinstance(suite.inputs, TakesInputs):
        return suite.inputs.takes.seed
    seed: int = getattr(suite.inputs, "seed", plan.stats.seed)
    return seed


def _brought(found: SuiteReport, occasion: Occasion) -> RunFacts:
    side = found.candidate
    stated: Mapping[str, str] = side.fingerprints
    return RunFacts(
        suite=found.name,
        mode=stated.get("mode", "n/a"),
        occasion=occasion,
        rows_path=None if side.rows is None else side.rows.path,
        rows_sha256=None if side.rows is None else side.rows.sha256,
        identities={name: value for name, value in stated.items() if name != "mode"},
        params={"measured": "elsewhere", "questions_run": side.questions, "errors": side.errored},
        metrics={mean.metric: mean.mean for mean in side.means},
    )
