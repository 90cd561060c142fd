"""The BrainBench suite of a plan: made by gbrain or read, and held against the figures of the base's tree."""

from gate.core.brainbench.decision import Baselines
from gate.core.brainbench.result import Baseline, Result, read_baseline, read_result
from gate.core.plan import FileRef
from gate.core.records.suite_inputs import BrainbenchInputs
from gate.ports import SystemFailed
from gate.suites.brainbench import METRICS
from gate.systems.gbrain import Gbrain
from gate.wiring.brainbench import BrainbenchOrder, brainbench_facts, judged_brainbench, parsed
from gate.wiring.pinned_bytes import pinned_bytes
from gate.wiring.suite_job import SuiteJob, Unmade, Written, write_unmade


def run_brainbench(inputs: BrainbenchInputs, job: SuiteJob) -> Written:
    """Run or read, judge, and say where the rows are; the baselines are read before anything is run."""
    order = BrainbenchOrder(
        output=job.output, name=job.name, root=job.around.root, seed=inputs.seed, allowed=inputs.allowed
    )
    baselines = Baselines(
        asked=inputs.baseline is not None,
        base=_baseline(inputs.base, job),
        committed=_baseline(inputs.committed, job),
    )
    try:
        result = _result(inputs, job)
    except SystemFailed as error:
        return write_unmade(job, Unmade(questions=(), metrics=METRICS, fingerprints={"mode": "n/a"}), error)
    made = judged_brainbench(order, baselines, result)
    return Written(made.rows, lambda occasion: brainbench_facts(made, order, occasion))


def _result(inputs: BrainbenchInputs, job: SuiteJob) -> Result:
    around = job.around
    around.progress.stage("brainbench")
    if inputs.result is not None:
        data = pinned_bytes(inputs.result, around.root, around.tree)
        return parsed(data, inputs.result.path, read_result)
    gbrain = Gbrain(job.command(), seconds=job.patience())
    return gbrain.brainbench(["--seed", str(inputs.seed)])


def _baseline(file: FileRef | None, job: SuiteJob) -> Baseline | None:
    if file is None:
        return None
    name = file.path if file.commit is None else f"{file.path} at {file.commit[:7]}"
    return parsed(pinned_bytes(file, job.around.root, job.around.tree), name, read_baseline)
