"""A text as GitHub takes it: the fullest rendition that fits, and the next shorter one where GitHub disagrees."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from gate.github.failures import TooLongError
from gate.render.fitting import Fitted, fit

MOST_CHARS: Final = 60_000
MOST_BYTES: Final = 240_000

_Written = TypeVar("_Written")


def drafted(renditions: Sequence[Callable[[], str]], rung: int, room: int) -> Fitted:
    """The fullest rendition from `rung` on that leaves `room` characters; its own rung counts from the first."""
    fitted = fit(renditions[rung:], max_chars=MOST_CHARS - room, max_bytes=MOST_BYTES - room)
    return replace(fitted, rung=fitted.rung + rung)


def written_within(
    renditions: Sequence[Callable[[], str]], room: int, write: Callable[[Fitted], _Written]
) -> tuple[_Written, Fitted]:
    """What `write` made of the fullest rendition that GitHub took; TooLongError when it took none."""
    rung = 0
    while True:
        fitted = drafted(renditions, rung, room)
        try:
            return write(fitted), fitted
        except TooLongError:
            rung = fitted.rung + 1
            if rung >= len(renditions):
                raise
