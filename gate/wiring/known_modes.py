"""The search modes of a plan, held against what the system says it has, before anything is asked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gate.core.plan import Plan
from gate.core.records.suite_inputs import LongMemEvalInputs, ReplayInputs, RetrievalInputs
from gate.errors import ConfigError
from gate.ports import SystemFailed
from gate.wiring.systems import system_of

_ASKED: Final = (RetrievalInputs, LongMemEvalInputs, ReplayInputs)
"""Suites that name a mode to the system, question by question."""
_WITHOUT_CAPABILITIES: Final = ("gbrain", "rows")


def refuse_unknown_modes(plan: Plan, root: Path, environment: Mapping[str, str]) -> None:
    """ConfigError, before anything is paid for, where the system has not every mode it would be asked in.

    A system that does not answer now is told by the suites themselves.
    """
    wanted = dict.fromkeys(suite.inputs.mode for suite in plan.suites if isinstance(suite.inputs, _ASKED))
    if not wanted or plan.system.kind in _WITHOUT_CAPABILITIES:
        return
    system = system_of(plan.system, root, environment)
    try:
        said = system.capabilities()
    except SystemFailed:
        return
    finally:
        system.close()
    missing = [mode for mode in wanted if mode not in said.modes]
    if missing:
        raise ConfigError(
            f"the system {said.name!a} has no mode {', '.join(map(ascii, missing))}: nothing was run",
            remedy=f"name modes that it has: `modes` {', '.join(said.modes)}",
        )
