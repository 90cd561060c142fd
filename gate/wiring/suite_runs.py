"""The suites of a plan that have no rows yet: each is run on its own inputs."""

from gate.core.plan import Plan, PlannedSuite, metrics_asked_for
from gate.core.records.panel_terms import TakesInputs
from gate.core.records.suite_inputs import (
    BrainbenchInputs,
    LongMemEvalInputs,
    ReplayInputs,
    RetrievalInputs,
)
from gate.core.shards import Shard
from gate.ports import Ran
from gate.store.row_files import read_rows
from gate.suites.sharding import part_of
from gate.wiring.known_modes import refuse_unknown_modes
from gate.wiring.sharding import state_whole
from gate.wiring.suite_job import SuiteJob, Surroundings, Written, rows_place
from gate.wiring.withheld import why_withheld, write_withheld


class PlannedRuns:
    """Implements SuiteRuns for one plan. The deadline counts from the first suite, and holds for all."""

    def __init__(self, plan: Plan, around: Surroundings, shard: Shard | None = None) -> None:
        """`shard` = this is one job of a matrix, whose rows state what they are a part of."""
        self._shard = shard
        self._plan = plan
        self._around = around
        self._deadline: float | None = None
        self._spent = 0.0
        self._modes_known = plan.purpose == "sweep" or around.withheld is not None or not _several(plan)

    def run(self, suite: PlannedSuite) -> Ran:
        """Ask everything, write the rows, read them back."""
        job = self._job(suite)
        self._check_modes()
        ran = (
            self._paid(suite.inputs, job) if isinstance(suite.inputs, TakesInputs) else self._free(suite, job)
        )
        state_whole(job, ran)
        return ran

    def _check_modes(self) -> None:
        """ConfigError before the first suite is asked anything, where a later one could not be.

        A sweep has looked before; without secrets nobody can; a suite alone finds it out itself.
        """
        if not self._modes_known:
            refuse_unknown_modes(self._plan, self._around.root, self._around.environment)
        self._modes_known = True

    def _free(self, suite: PlannedSuite, job: SuiteJob) -> Ran:
        withheld = why_withheld(suite, job)
        made = _made(suite, job) if withheld is None else Written(write_withheld(job, withheld), withheld)
        table = read_rows(job.output, name=job.name, required=metrics_asked_for(self._plan))
        return Ran(made.rows, table, recordable=made.recordable)

    def _paid(self, inputs: TakesInputs, job: SuiteJob) -> Ran:
        """A panel, with what earlier ones have left of the budget."""
        from gate.wiring.run_takes_quality import run_takes_quality

        cap = self._plan.budget_usd
        ran = run_takes_quality(inputs, job, None if cap is None else max(cap - self._spent, 0.0))
        cost = None if ran.panel is None else ran.panel.receipt.cost_usd
        self._spent += cost or 0.0
        return ran

    def _job(self, suite: PlannedSuite) -> SuiteJob:
        seconds = self._plan.deadline_seconds
        if self._deadline is None and seconds is not None:
            self._deadline = self._around.clock.monotonic() + seconds
        output, name = rows_place(self._around, suite)
        return SuiteJob(
            plan=self._plan,
            around=self._around,
            output=output,
            name=name,
            deadline=self._deadline,
            part=None if self._shard is None else part_of(self._plan, suite, self._shard),
        )


def _several(plan: Plan) -> bool:
    """Whether more than one suite is run."""
    return sum(suite.rows is None and suite.anchored is None for suite in plan.suites) > 1


def _made(suite: PlannedSuite, job: SuiteJob) -> Written:
    """Each suite's own code is imported when it is run: most runs have none, or one."""
    match suite.inputs:
        case RetrievalInputs() as inputs:
            from gate.wiring.run_retrieval import run_retrieval

            return run_retrieval(inputs, job)
        case LongMemEvalInputs() as inputs:
            from gate.wiring.run_longmemeval import run_longmemeval

            return run_longmemeval(inputs, job)
        case ReplayInputs() as inputs:
            from gate.wiring.run_replay import run_replay

            return run_replay(inputs, job)
        case BrainbenchInputs() as inputs:
            from gate.wiring.run_brainbench import run_brainbench

            return run_brainbench(inputs, job)
        case _:
            raise ValueError(f"suite {suite.name} has neither rows nor anything to ask")
