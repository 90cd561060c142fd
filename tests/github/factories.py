"""A client of the fake, ready to talk."""

from collections.abc import Iterator
from contextlib import contextmanager

from gate.github.client import Client, connect
from gate.github.timing import Timing
from tests.github.fake_github import FakeGitHub
from tests.github.fake_world import ACTION_TOKEN


@contextmanager
def talking(
    fake: FakeGitHub, *, token: str = ACTION_TOKEN, seconds: float = 600, prefix: str = ""
) -> Iterator[Client]:
    """The gate's client on this fake, with a deadline on the fake's own clock."""
    timing = Timing.starting_now(fake.world.time, fake.world.time.sleep, seconds=seconds)
    with connect(token, fake.url + prefix, timing) as client:
        yield client
