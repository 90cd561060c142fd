"""This process: its clock, what it says while it works, and the signals that ask it to stop."""

import gc
import os
import signal
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import FrameType
from typing import TYPE_CHECKING, Final, TypeVar

from gate.errors import Cancelled, ExitCode
from gate.render.progress import progress_line

if TYPE_CHECKING:
    from gate.ports import Clock

_T = TypeVar("_T")

LOG_SECONDS: Final = 30
"""How often a log, which nobody can overwrite, is told how far work has come."""


class SystemClock:
    """The real clock."""

    def now(self) -> datetime:
        """The present moment, UTC."""
        return datetime.fromtimestamp(time.time(), tz=UTC)

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()


class LoggedProgress:
    """Implements Progress for a log: a line a stage, and one every LOG_SECONDS while a stage lasts."""

    def __init__(
        self, say: Callable[[str], None], clock: "Clock", quietly: Callable[[str], None] | None = None
    ) -> None:
        """`quietly` says what is not ours; None = as everything else."""
        self._say = say
        self._quietly = quietly or say
        self._clock = clock
        self._began = self._said = clock.monotonic()

    def stage(self, name: str) -> None:
        """Say that a stage begins."""
        self._began = self._said = self._clock.monotonic()
        self._say(f"{name} …")

    def step(self, done: int, total: int) -> None:
        """Say how far the stage has come, if nothing was said for a while."""
        now = self._clock.monotonic()
        if now - self._said >= LOG_SECONDS:
            self._said = now
            self._say(progress_line(done, total, now - self._began))

    def overheard(self, words: str) -> None:
        """Say the end of it."""
        from gate.render.system_words import system_words

        self._quietly(system_words(words))


def cancel_on_signals() -> None:
    """From here on SIGINT and SIGTERM raise Cancelled in the main thread, once; the next one kills.

    Process 1 of a container has no default actions: there the handlers are what makes a signal arrive at all,
    and a second one is ignored until the runner kills.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        for known in (signal.SIGINT, signal.SIGTERM):
            signal.signal(known, signal.SIG_DFL)
        raise Cancelled(ExitCode.INTERRUPTED if number == signal.SIGINT else ExitCode.TERMINATED)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def within(seconds: float, work: Callable[[], _T]) -> _T | None:
    """What the work gives; None where it takes longer, and then nobody waits for it, not even the process's end."""
    given: list[_T] = []
    failed: list[Exception] = []

    def attempt() -> None:
        try:
            given.append(work())
        except Exception as error:  # noqa: BLE001 - it is raised again, where somebody waits for it
            failed.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(seconds)
    for error in failed:
        raise error
    return given[0] if given else None


def start_lean() -> None:
    """Save a fifth of a short command's time, before anything heavy is imported.

    Imports leave no garbage worth looking for; threads for BLAS pay for nothing here; and pydantic need not search
    every installed package for plugins, which have no business inside a gate either.
    """
    gc.set_threshold(50_000)
    for name, value in (("OPENBLAS_NUM_THREADS", "1"), ("PYDANTIC_DISABLE_PLUGINS", "__all__")):
        os.environ.setdefault(name, value)  # noqa: TID251 - for the libraries, before they are imported
