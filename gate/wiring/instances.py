"""Several instances of the system under test, for a suite that gives every question a clean one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gate.core.plan import PlannedSystem
from gate.errors import UsageError
from gate.ports import System
from gate.wiring.systems import system_of

USUAL: Final[Mapping[str, int]] = {"reference": 2}
"""How many instances there are where nobody says; one, of every other kind."""


def instances_of(
    planned: PlannedSystem, root: Path, environment: Mapping[str, str], count: int | None = None
) -> tuple[System, ...]:
    """`count` of them, which share nothing; None = as many as suit the kind. None is asked anything yet.

    UsageError for several of a service: it holds one haystack at a time. ConfigError as `system_of`.
    """
    wanted = USUAL.get(planned.kind, 1) if count is None else count
    if planned.kind == "http" and wanted > 1:
        raise UsageError(
            "a service holds the documents of one question at a time",
            remedy="leave out --jobs; to be faster, start several services and give each a --shard",
        )
    made: list[System] = []
    try:
        for _ in range(wanted):
            made.append(system_of(planned, root, environment))  # noqa: PERF401 - what was made before a failure is closed
    except BaseException:
        for system in made:
            system.close()
        raise
    return tuple(made)
