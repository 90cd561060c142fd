"""One job of a matrix on its way: every suite's part is measured, its rows are written, and nothing is judged."""

from msgspec.structs import replace

from gate.core.leg import Leg, Share, leg
from gate.core.parts import Part, part_of_line, stated
from gate.core.plan import PlannedSuite
from gate.core.shards import Shard
from gate.ports import Ran
from gate.store.atomic import write_atomic
from gate.store.output_folder import set_aside
from gate.wiring import Job
from gate.wiring.suite_job import SuiteJob, rows_place


def measured(job: Job, shard: Shard) -> Leg:
    """Run what the plan has, which is this job's part; Cancelled on the way, the rows so far are kept."""
    set_aside(job.around.out)
    job.ports.output.open()
    shares = [_share(job, suite) for suite in job.plan.suites]
    return leg(job.plan, str(shard), shares)


def state_whole(job: SuiteJob, ran: Ran) -> None:
    """Rows of a suite that is not split say so in their first line, and which panel belongs to them."""
    if job.part is None or not job.part.whole:
        return
    panel = None if ran.panel is None else ran.panel.file
    first, _, rest = job.output.read_bytes().partition(b"\n")
    write_atomic(job.output, stated(first, replace(job.part, panel=panel)) + rest)


def _share(job: Job, suite: PlannedSuite) -> Share:
    if job.ports.suites is None:
        raise ValueError("nobody runs the suites of this plan")
    ran = job.ports.suites.run(suite)
    return Share(suite.suite, _stated_in(job, suite), ran.table)


def _stated_in(job: Job, suite: PlannedSuite) -> Part:
    with rows_place(job.around, suite)[0].open("rb") as file:
        part = part_of_line(file.readline())
    if part is None:
        raise ValueError(f"{suite.name} has written rows that state no part")
    return part
