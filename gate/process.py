"""This process: its clock, and the signals that ask it to stop."""

import signal
import time
from datetime import UTC, datetime
from types import FrameType

from gate.errors import Cancelled, ExitCode


class SystemClock:
    """The real clock."""

    def now(self) -> datetime:
        """The present moment, UTC."""
        return datetime.fromtimestamp(time.time(), tz=UTC)

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()


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
