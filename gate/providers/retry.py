"""The one policy by which a failed call is tried again; the SDKs' own are off.

Tried again is what may pass: 429, 408, 409, 5xx, 529, a lost connection, a time-out. The provider's Retry-After is
kept to the second up to a limit, beyond which the call is given up at once; without one the pause doubles. A total
deadline covers every try and every pause.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from gate.core.chat import PASSING, ChatRequest, Completion, ModelFailure, Outcome
from gate.ports import ChatModel, Clock

_SHORTEST_TRY: Final = 1.0
"""Seconds; with less than this left another try could only be charged, not answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often, and for how many seconds, to try."""

    tries: int = 4
    first_pause: float = 1.0
    longest_pause: float = 30.0
    longest_retry_after: float = 60.0
    deadline: float = 300.0

    def pause(self, failure: ModelFailure, attempt: int) -> float | str:
        """Seconds to wait after the `attempt`-th try (from 1); or why there is no other."""
        if failure.kind not in PASSING:
            return ""
        if attempt >= self.tries:
            return f"given up after {attempt} tries"
        if failure.retry_after is None:
            return min(self.first_pause * float(1 << (attempt - 1)), self.longest_pause)
        if failure.retry_after > self.longest_retry_after:
            return f"it asks for {failure.retry_after:g} s of patience, {self.longest_retry_after:g} s are allowed"
        return failure.retry_after


class Retrying:
    """Implements ChatModel over another: the same question until it is answered, hopeless, or out of time.

    `wait` sleeps that many seconds and returns True when the run was cancelled meanwhile (threading.Event.wait).
    """

    def __init__(
        self, model: ChatModel, patience: Patience, clock: Clock, wait: Callable[[float], bool]
    ) -> None:
        self._model = model
        self._patience = patience
        self._clock = clock
        self._wait = wait

    def complete(self, request: ChatRequest) -> Outcome:
        """The first reply, or the last failure with what became of the tries."""
        until = self._clock.monotonic() + self._patience.deadline
        attempt, before = 0, ""
        while True:
            attempt += 1
            left = until - self._clock.monotonic()
            outcome = self._model.complete(replace(request, timeout=min(request.timeout, left)))
            if isinstance(outcome, Completion):
                return outcome
            pause = self._patience.pause(outcome, attempt)
            if isinstance(pause, str):
                return _given_up(outcome, pause or before)
            before = f"asked {attempt} time{'s' * (attempt != 1)} before: {outcome.message}"
            if self._clock.monotonic() + pause + _SHORTEST_TRY > until:
                return _given_up(outcome, f"given up, {self._patience.deadline:g} s were allowed in all")
            if self._wait(pause):
                return ModelFailure(
                    kind="cancelled", message=f"cancelled while waiting after {outcome.message}"
                )


def _given_up(failure: ModelFailure, why: str) -> ModelFailure:
    return replace(failure, message=f"{failure.message} ({why})") if why else failure
