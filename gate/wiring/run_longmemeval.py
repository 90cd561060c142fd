"""The LongMemEval suite of a plan: asked of instances of the system, or by gbrain's own command."""

from collections.abc import Mapping

from gate.core.longmemeval.row_file import kept_of
from gate.core.longmemeval.selection import Selection, SelectionError, ids_of_text, selected
from gate.core.records.row_fields import RECALL_ALL, RECALL_ANY
from gate.core.records.suite_inputs import LongMemEvalInputs
from gate.core.shards import ALL
from gate.errors import EvidenceError, UnavailableError
from gate.ports import SystemFailed
from gate.store.confinement import confine
from gate.store.longmemeval_dataset import read_dataset
from gate.store.resumable_rows import remove_rows, rows_there
from gate.suites.execute import overhear
from gate.wiring.instances import instances_of
from gate.wiring.longmemeval import Order, conduct
from gate.wiring.longmemeval_record import longmemeval_facts
from gate.wiring.suite_job import SuiteJob, Unmade, Written, write_unmade


def run_longmemeval(inputs: LongMemEvalInputs, job: SuiteJob) -> Written:
    """Ask everything and say where the rows are; an earlier run's rows are gone on with or replaced, as was asked.

    Whoever cancels it finds the rows so far. EvidenceError when a file is not what was pinned, or the rows to go on
    with are of another run; UnavailableError when the system fails before any more are asked: those there stay.
    """
    begun = job.around.resume and _begun(job)
    if not begun:
        remove_rows(job.output)
    order = _order(inputs, job)
    try:
        return _made(order, job)
    except SystemFailed as error:
        if begun:
            overhear(job.around.progress, error)
            raise _not_gone_on(job, error) from error
        return write_unmade(job, _unmade(inputs, order), error)


def _begun(job: SuiteJob) -> bool:
    """Whether an earlier run has left rows to go on with; what else lies there is replaced, and it is said."""
    data = rows_there(job.output)
    if data is None:
        return False
    begun = kept_of(data).run is not None
    if not begun:
        job.around.progress.stage(f"{job.name} holds no run to go on with: everything is asked")
    return begun


def _not_gone_on(job: SuiteJob, error: SystemFailed) -> UnavailableError:
    return UnavailableError(
        f"{job.name}: could not be gone on with: {error.message}",
        remedy="nothing of its rows is lost: see to the system, then run with --resume again",
    )


def _made(order: Order, job: SuiteJob) -> Written:
    around, system = job.around, job.plan.system
    systems = () if order.gbrain is not None else instances_of(system, around.root, around.environment)
    try:
        made = conduct(order, systems, around.clock, around.progress)
    finally:
        for each in systems:
            each.close()
    for note in made.notes:
        around.progress.stage(note)
    if made.cancelled is not None:
        raise made.cancelled
    return Written(made.rows, lambda occasion: longmemeval_facts(made, order, occasion))


def _order(inputs: LongMemEvalInputs, job: SuiteJob) -> Order:
    around, system = job.around, job.plan.system
    named = inputs.question_ids
    return Order(
        dataset=confine(around.root, inputs.dataset.path),
        output=job.output,
        name=job.name,
        mode=inputs.mode,
        k=inputs.k,
        sha256=inputs.dataset.sha256,
        limit=inputs.limit,
        seed=inputs.seed,
        question_ids=None if named is None else confine(around.root, named.path),
        answers=inputs.reader == "on",
        show_text=job.plan.show_text,
        resume=around.resume,
        judged=True,
        required=job.plan.require,
        seconds=job.left(),
        gbrain=job.command() if system.kind == "gbrain" else None,
        gbrain_options=inputs.options,
        patience=system.waits.question,
        shard=ALL if job.part is None else job.part.shard,
        part=job.part,
    )


def _unmade(inputs: LongMemEvalInputs, order: Order) -> Unmade:
    """What would have been asked: the same selection from the same dataset."""
    dataset = read_dataset(order.dataset)
    named = None if order.question_ids is None else ids_of_text(order.question_ids.read_text())
    wish = Selection(named=named, limit=inputs.limit, seed=inputs.seed)
    try:
        questions = selected(tuple(each.id for each in dataset.questions), wish)
    except SelectionError as error:
        raise EvidenceError(
            f"{order.question_ids}: {error}", remedy="name questions of the dataset"
        ) from error
    return Unmade(questions=questions, metrics=(RECALL_ALL, RECALL_ANY), fingerprints=_stated(inputs))


def _stated(inputs: LongMemEvalInputs) -> Mapping[str, str]:
    return {"dataset_sha256": inputs.dataset.sha256, "k": str(inputs.k), "mode": inputs.mode}
