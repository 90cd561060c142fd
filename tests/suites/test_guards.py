import pytest
from msgspec.structs import replace

from gate.core.records.system import Flags
from gate.suites.guards import Feature, degradations
from tests.scripted_system import reply

ALL: tuple[Feature, ...] = ("vector", "reranker", "expansion")
FULL = Flags(vector_enabled=True, reranked=True, expansion_applied=True)


def test_a_reply_that_affirms_everything_required_is_what_was_asked_for() -> None:
    assert degradations(reply(("a", 1.0), flags=FULL), ALL) == frozenset()


@pytest.mark.parametrize("said", [False, None])
@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("vector_enabled", "vector_degraded"),
        ("reranked", "reranker_fell_open"),
        ("expansion_applied", "expansion_failed"),
    ],
)
def test_what_is_required_and_not_affirmed_is_missing_also_when_nothing_is_said(
    *, part: str, reason: str, said: bool | None
) -> None:
    flags = replace(FULL, **{part: said})
    assert degradations(reply(("a", 1.0), flags=flags), ALL) == {reason}


def test_what_nobody_requires_may_be_off() -> None:
    off = Flags(vector_enabled=False, reranked=False, expansion_applied=False)
    assert degradations(reply(("a", 1.0), flags=off), ()) == frozenset()


def test_a_system_that_says_itself_that_something_failed_is_believed_unasked() -> None:
    flags = Flags(reranked=False, degraded=("reranker_fell_open",))
    assert degradations(reply(("a", 1.0), flags=flags), ()) == {"reranker_fell_open"}


def test_without_hits_there_was_nothing_to_rerank() -> None:
    required: tuple[Feature, ...] = ("reranker",)
    assert degradations(reply(flags=Flags(reranked=False)), required) == frozenset()
