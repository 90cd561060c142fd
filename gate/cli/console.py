"""What a command says: results on standard output, progress and remarks on standard error."""

import signal
import sys
import time
from datetime import UTC, datetime
from types import FrameType

import click

from gate.errors import Cancelled, ExitCode


class SystemClock:
    """The real clock."""

    def now(self) -> datetime:
        """The present moment, UTC."""
        return datetime.fromtimestamp(time.time(), tz=UTC)

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()


class StageLines:
    """One line a stage on standard error."""

    def stage(self, name: str) -> None:
        """Say that a stage begins."""
        click.echo(f"{name} …", err=True)


class Silence:
    """Nothing at all, for --json."""

    def stage(self, name: str) -> None:
        """Say nothing."""


def show(text: str) -> None:
    """Print a result; a reader who has left (a closed pipe) changes nothing about the verdict."""
    try:
        click.echo(text, nl=not text.endswith("\n"))
        sys.stdout.flush()
    except BrokenPipeError:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def cancel_on_signals() -> None:
    """From here on SIGINT and SIGTERM raise Cancelled in the main thread, once; the next one kills."""

    def stop(number: int, _frame: FrameType | None) -> None:
        for known in (signal.SIGINT, signal.SIGTERM):
            signal.signal(known, signal.SIG_DFL)
        raise Cancelled(ExitCode.INTERRUPTED if number == signal.SIGINT else ExitCode.TERMINATED)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
