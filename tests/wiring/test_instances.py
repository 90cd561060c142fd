from pathlib import Path

import pytest

from gate.core.plan import PlannedSystem
from gate.errors import ConfigError, UsageError
from gate.wiring.instances import instances_of

PROGRAM = PlannedSystem(kind="command", run=("x",))
SERVICE = PlannedSystem(kind="http", url="http://search:8000")


@pytest.mark.parametrize(
    ("planned", "asked", "count"),
    [
        (PlannedSystem(kind="reference"), None, 2),
        (PlannedSystem(kind="reference"), 5, 5),
        (PROGRAM, None, 1),
        (PROGRAM, 3, 3),
        (SERVICE, None, 1),
        (SERVICE, 1, 1),
    ],
)
def test_there_are_as_many_as_are_asked_for_or_suit_the_kind(
    planned: PlannedSystem, asked: int | None, count: int
) -> None:
    systems = instances_of(planned, Path(), {}, asked)
    assert len({id(system) for system in systems}) == count
    for system in systems:
        system.close()


def test_a_service_cannot_hold_two_haystacks() -> None:
    with pytest.raises(UsageError, match="one question at a time"):
        instances_of(SERVICE, Path(), {}, 2)


def test_a_system_that_cannot_be_reached_is_refused() -> None:
    with pytest.raises(ConfigError, match="cannot be asked anything"):
        instances_of(PlannedSystem(kind="rows"), Path(), {})
