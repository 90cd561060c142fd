"""The retrieval suite of a plan: judged queries asked of the system."""

from gate.core.records.suite_inputs import RetrievalInputs
from gate.wiring.retrieval import RetrievalOrder, conduct_retrieval
from gate.wiring.retrieval_record import retrieval_facts
from gate.wiring.suite_job import SuiteJob, Written
from gate.wiring.systems import system_of


def run_retrieval(inputs: RetrievalInputs, job: SuiteJob) -> Written:
    """Ask everything and say where the rows are."""
    around = job.around
    order = RetrievalOrder(
        root=around.root,
        inputs=inputs,
        output=job.output,
        name=job.name,
        required=job.plan.require,
        show_text=job.plan.show_text,
        part=job.part,
    )
    system = system_of(job.plan.system, around.root, around.environment)
    try:
        made = conduct_retrieval(order, system, job.setting())
    finally:
        system.close()
    return Written(made.rows, lambda occasion: retrieval_facts(made, order, occasion))
