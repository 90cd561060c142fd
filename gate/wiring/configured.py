"""What the configuration that a repository has already asks of the workflows that `gate init` writes."""

from dataclasses import dataclass
from pathlib import Path

from gate.errors import GateError
from gate.github.reaching import lacking_program
from gate.settings import load_settings
from gate.store.presence import is_missing
from gate.store.starter_files import CONFIG


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """As far as it is known; where it is not, rows are taken to be measured by steps before the gate's."""

    told: str
    missing: bool = False
    program: str | None = None
    """The program of the system under test that our image has not."""
    brings_rows: bool = True
    """Whether steps before the gate's have to write rows."""


def configured(root: Path) -> Configured:
    """What eval-gate.yml says, without an error where it cannot be read: `gate validate` is for that."""
    if is_missing(root / CONFIG):
        return Configured(told=f"no {CONFIG}", missing=True)
    try:
        settings = load_settings(root / CONFIG, root)
    except GateError:
        return Configured(told=f"{CONFIG}, which cannot be read: `gate validate {CONFIG}` says why")
    suites = settings.request().suites
    system = settings.system.planned()
    program = lacking_program(system)
    return Configured(
        told=f"{CONFIG}: suites {', '.join(suite.name for suite in suites)}; system {system.kind}"
        + ("" if program is None else f", whose program {program} our image has not"),
        program=program,
        brings_rows=any(suite.asked is None for suite in suites),
    )
