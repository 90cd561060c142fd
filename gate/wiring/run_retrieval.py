"""The retrieval suite of a plan: judged queries asked of the system."""

from gate.core.plan import FileRef
from gate.core.records.suite_inputs import RetrievalInputs
from gate.wiring.retrieval import RetrievalOrder, conduct_retrieval
from gate.wiring.suite_job import SuiteJob
from gate.wiring.systems import system_of


def run_retrieval(inputs: RetrievalInputs, job: SuiteJob) -> FileRef:
    """Ask everything and say where the rows are."""
    around = job.around
    order = RetrievalOrder(
        root=around.root,
        inputs=inputs,
        output=job.output,
        name=job.name,
        required=job.plan.require,
        show_text=job.plan.show_text,
    )
    system = system_of(job.plan.system, around.root, around.environment)
    try:
        return conduct_retrieval(order, system, job.setting()).rows
    finally:
        system.close()
