"""Resources that tests share; everything else is a factory or a fake, imported by name."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.postgres import database_url, postgres_url

settings.register_profile("gate", deadline=None)  # a loaded machine is no failure
settings.load_profile("gate")


@pytest.fixture(autouse=True)
def _signal_handlers() -> Iterator[None]:
    """What the program does to this process's signals ends with the test."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


__all__ = ["database_url", "postgres_url"]
