"""Suites of a system whose secrets a fork's pull request does not get: not measured, and said so."""

from typing import Final

from gate.core.parts import stated
from gate.core.plan import FileRef, PlannedSuite, PlannedSystem
from gate.core.records.objections import Objection
from gate.core.records.suite_inputs import BrainbenchInputs
from gate.store.growing_rows import GrowingFile
from gate.suites.row_writing import first_line, last_line
from gate.wiring.suite_job import SuiteJob

RULE: Final = "the system can be asked"


def why_withheld(suite: PlannedSuite, job: SuiteJob) -> str | None:
    """Why a suite cannot be asked although nothing is wrong with it; None = it can be, or has to be tried."""
    if job.around.withheld is None or _asks_nobody(suite):
        return None
    lacking = [name for name in _named(job.plan.system) if not job.around.environment.get(name)]
    return f"there is no {' and no '.join(lacking)}: {job.around.withheld}" if lacking else None


def write_withheld(job: SuiteJob, why: str) -> FileRef:
    """A file without a row that says why it has none."""
    rows = GrowingFile(job.output, job.name)
    try:
        rows.write(stated(first_line(metrics=(), fingerprints={}, units={}, questions=0), job.part))
        rows.write(last_line({}, (), (Objection(RULE, "not_measured", why),)))
    finally:
        written = rows.close()
    return written


def _asks_nobody(suite: PlannedSuite) -> bool:
    return isinstance(suite.inputs, BrainbenchInputs) and suite.inputs.result is not None


def _named(system: PlannedSystem) -> tuple[str, ...]:
    """The variables that the configuration names, which secrets are handed over in."""
    return (*([] if system.token_env is None else [system.token_env]), *system.env)
