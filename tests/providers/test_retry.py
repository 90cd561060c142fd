import pytest

from gate.core.chat import PASSING, ChatRequest, Completion, FailureKind, ModelFailure, Outcome
from gate.providers.retry import Patience, Retrying
from tests.providers.three import request
from tests.suites.judges import DOWN, Scripted, Ticking, Turn, gives

SLOW = ModelFailure(kind="timeout", message="no reply", lost=True)


def limited(seconds: float) -> ModelFailure:
    return ModelFailure(kind="rate_limited", message="HTTP 429: slow down", retry_after=seconds)


class Tried:
    """What a model said in the end, how often it was asked and what was waited for."""

    def __init__(self, *turns: Turn, cancelled: bool = False, takes: float = 0.0, **patience: float) -> None:
        self.clock, self.pauses, self.takes = Ticking(), list[float](), takes
        self._cancelled = cancelled
        self.script = Scripted(turns)
        model = Retrying(self, Patience(**patience), self.clock, self.wait)  # type: ignore[arg-type]  # tries is an int
        self.outcome = model.complete(request(timeout=60.0))

    def complete(self, asked: ChatRequest) -> Outcome:
        self.clock.seconds += min(self.takes, asked.timeout)
        return self.script.complete(asked)

    def wait(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        self.clock.seconds += seconds
        return self._cancelled

    @property
    def tries(self) -> int:
        return len(self.script.asked)

    @property
    def message(self) -> str:
        assert isinstance(self.outcome, ModelFailure)
        return self.outcome.message


def test_a_reply_is_not_asked_for_again() -> None:
    tried = Tried(gives(8))

    assert (tried.tries, tried.pauses) == (1, [])


@pytest.mark.parametrize("kind", sorted(PASSING))
def test_what_may_pass_is_tried_again_with_growing_pauses(kind: FailureKind) -> None:
    tried = Tried(ModelFailure(kind=kind, message="x"))

    assert (tried.tries, tried.pauses) == (4, [1, 2, 4])
    assert tried.message == "x (given up after 4 tries)"


@pytest.mark.parametrize("kind", ["garbage", "auth", "unknown_model", "rejected", "budget", "not_recorded"])
def test_what_will_not_pass_is_not(kind: FailureKind) -> None:
    tried = Tried(ModelFailure(kind=kind, message="x"), gives(8))

    assert (tried.tries, tried.message) == (1, "x")


def test_a_reply_after_failures_is_a_reply() -> None:
    tried = Tried(DOWN, SLOW, gives(8))

    assert isinstance(tried.outcome, Completion)
    assert tried.tries == 3


def test_retry_after_is_kept_to_the_second() -> None:
    assert Tried(limited(7.5), limited(0), gives(8)).pauses == [7.5, 0]


def test_more_patience_than_is_allowed_is_given_up_at_once() -> None:
    tried = Tried(limited(300), gives(8))

    assert (tried.tries, tried.pauses) == (1, [])
    assert tried.message.endswith("(it asks for 300 s of patience, 60 s are allowed)")


def test_pauses_do_not_grow_beyond_their_limit() -> None:
    assert Tried(DOWN, tries=6, first_pause=10, longest_pause=25).pauses == [10, 20, 25, 25, 25]


def test_the_total_deadline_covers_tries_and_pauses() -> None:
    tried = Tried(SLOW, takes=60, deadline=150)

    assert tried.pauses == [1, 2]
    assert [each.timeout for each in tried.script.asked] == [60, 60, 27]
    assert tried.clock.seconds == 150
    assert tried.message.endswith("(given up, 150 s were allowed in all)")


def test_a_try_gets_no_more_time_than_is_left() -> None:
    tried = Tried(SLOW, takes=60, deadline=70, first_pause=0.5)

    assert [each.timeout for each in tried.script.asked] == [60, 9.5]
    assert tried.message.endswith("(given up, 70 s were allowed in all)")


def test_a_cancelled_run_is_not_waited_for() -> None:
    tried = Tried(DOWN, gives(8), cancelled=True)

    assert tried.tries == 1
    assert isinstance(tried.outcome, ModelFailure)
    assert tried.outcome.kind == "cancelled"


def test_a_try_that_the_budget_forbids_says_how_often_was_asked_before_and_what_came() -> None:
    forbidden = ModelFailure(kind="budget", message="not asked: it could cost more than is left")

    tried = Tried(SLOW, DOWN, forbidden)

    assert tried.message == f"{forbidden.message} (asked 2 times before: {DOWN.message})"
    assert Tried(SLOW, forbidden).message == f"{forbidden.message} (asked 1 time before: no reply)"
