"""The replay suite of a plan: captured queries asked of the system again, or by gbrain's own command."""

from pathlib import Path

from gate.core.records.suite_inputs import ReplayInputs
from gate.ports import SystemFailed
from gate.store.capture_files import read_capture_file
from gate.suites.replay import METRICS
from gate.wiring.pinned_bytes import pinned_path
from gate.wiring.replay_record import replay_facts
from gate.wiring.replaying import Limits, ReplayMade, ReplayOrder, conduct_replay
from gate.wiring.suite_job import SuiteJob, Unmade, Written, write_unmade
from gate.wiring.systems import system_of


def run_replay(inputs: ReplayInputs, job: SuiteJob) -> Written:
    """Ask again and say where the rows are; what does not hold is in them. EvidenceError for a changed file."""
    around = job.around
    with pinned_path(inputs.against, around.root, around.tree) as against:
        order = _order(inputs, job, against)
        if order.gbrain is not None:
            return _by_gbrain(inputs, job, order)
        system = system_of(job.plan.system, around.root, around.environment)
        try:
            return _written(conduct_replay(order, system, around.clock, around.progress), order)
        finally:
            system.close()


def _written(made: ReplayMade, order: ReplayOrder) -> Written:
    return Written(made.rows, lambda occasion: replay_facts(made, order, occasion))


def _by_gbrain(inputs: ReplayInputs, job: SuiteJob, order: ReplayOrder) -> Written:
    try:
        return _written(conduct_replay(order, None, job.around.clock, job.around.progress), order)
    except SystemFailed as error:
        names = read_capture_file(order.against).file.names()[: inputs.limit]
        stated = {"dataset_sha256": inputs.against.sha256, "mode": inputs.mode}
        return write_unmade(job, Unmade(questions=names, metrics=METRICS, fingerprints=stated), error)


def _order(inputs: ReplayInputs, job: SuiteJob, against: Path) -> ReplayOrder:
    around, system, limits = job.around, job.plan.system, inputs.limits
    return ReplayOrder(
        against=against,
        output=job.output,
        name=job.name,
        root=around.root,
        mode=inputs.mode,
        corpus=inputs.corpus,
        sha256=inputs.against.sha256,
        gbrain=job.command() if system.kind == "gbrain" else None,
        compare_limit=inputs.compare_limit,
        limit=inputs.limit,
        limits=Limits(jaccard=limits.jaccard, top1=limits.top1, latency_multiplier=limits.latency_multiplier),
        required=job.plan.require,
        show_text=job.plan.show_text,
        seconds=job.left(),
        width=system.concurrency,
        patience=job.patience(),
        part=None if job.part is None or job.part.whole else job.part,
    )
