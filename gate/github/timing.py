"""One deadline for everything that is said to GitHub, on a clock and a sleep that are passed in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from gate.github.failures import DeadlineError
from gate.ports import Clock


@dataclass(frozen=True, slots=True)
class Timing:
    """Until when to go on (monotonic seconds), and how to wait."""

    clock: Clock
    sleep: Callable[[float], None]
    deadline: float

    @classmethod
    def starting_now(cls, clock: Clock, sleep: Callable[[float], None], *, seconds: float) -> Self:
        """A deadline `seconds` from now."""
        return cls(clock, sleep, clock.monotonic() + seconds)

    def now(self) -> float:
        """Monotonic seconds."""
        return self.clock.monotonic()

    def left(self) -> float:
        """Seconds until the deadline; negative after it."""
        return self.deadline - self.clock.monotonic()

    def check(self, what: str) -> None:
        """DeadlineError when no time is left for `what`."""
        if self.left() <= 0:
            raise DeadlineError(
                f"{what}: not asked, the time for publishing is used up",
                remedy="re-run the job; GitHub was slow or limiting",
            )
