"""What a command says: results on standard output, progress and remarks on standard error."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import click

from gate.errors import UnavailableError
from gate.render.progress import bar, progress_line

if TYPE_CHECKING:
    from gate.core.report import Report
    from gate.ports import Clock, Progress

DRAW_SECONDS: Final = 0.2
EVENT_SECONDS: Final = 1
json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print the report as one JSON object, and nothing else."
)
_COMMENT: Final = MappingProxyType({"comment": "comment.md"})


def progress_on_stderr(clock: "Clock") -> "Progress":
    """A bar on a terminal; elsewhere a line a stage, and one every half minute while it lasts."""
    if sys.stderr.isatty():
        return Bar(clock)
    from gate.process import LoggedProgress

    return LoggedProgress(lambda line: click.echo(line, err=True), clock)


class Bar:
    """Implements Progress on a terminal: one line that is drawn over again, with rate and time left."""

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._began = self._drawn = clock.monotonic()
        self._open = False

    def stage(self, name: str) -> None:
        """Say that a stage begins, below the last one's bar."""
        self._end_line()
        self._began = self._clock.monotonic()
        click.echo(f"{name} …", err=True)

    def step(self, done: int, total: int) -> None:
        """Draw the bar again, a few times a second; the last one stays."""
        now = self._clock.monotonic()
        if done < total and now - self._drawn < DRAW_SECONDS:
            return
        self._drawn, self._open = now, True
        text = f"{bar(done, total)} {progress_line(done, total, now - self._began)}"
        click.echo(f"\r\x1b[2K{text}", nl=False, err=True)
        if done >= total:
            self._end_line()

    def overheard(self, words: str) -> None:
        """Say the end of it, below the bar."""
        self._end_line()
        overheard(words)

    def _end_line(self) -> None:
        if self._open:
            click.echo(err=True)
        self._open = False


class Events:
    """Implements Progress for a program that reads: one JSON object a line on standard output."""

    def __init__(self, clock: "Clock") -> None:
        self._clock = clock
        self._stage = ""
        self._said = clock.monotonic()

    def stage(self, name: str) -> None:
        """An event for the stage that begins."""
        self._stage = name
        self.event("stage", stage=name)

    def step(self, done: int, total: int) -> None:
        """An event for how far it has come, at most one a second, and one for its end."""
        now = self._clock.monotonic()
        if done >= total or now - self._said >= EVENT_SECONDS:
            self._said = now
            self.event("progress", stage=self._stage, done=done, total=total)

    def overheard(self, words: str) -> None:
        """Say the end of it on standard error: events hold nobody's words."""
        overheard(words)

    def event(self, event: str, **members: object) -> None:
        """One event, with the moment it happened."""
        import json

        moment = self._clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        show(json.dumps({"event": event, "at": moment, **members}, ensure_ascii=False))


class Silence:
    """Nothing at all, for --json, but what a system that failed said itself."""

    def stage(self, name: str) -> None:
        """Say nothing."""

    def step(self, done: int, total: int) -> None:
        """Say nothing."""

    def overheard(self, words: str) -> None:
        """Say the end of it on standard error."""
        overheard(words)


def show_report(
    report: "Report", out: Path, *, as_json: bool = False, beside: Mapping[str, str] = _COMMENT
) -> None:
    """A finished report and where its files lie; with `as_json` the report as one object, and nothing else.

    `beside` names the files that are worth opening beside the receipt: what they are → their names below `out`.
    """
    if as_json:
        from gate.render.machine import machine

        show(machine(report))
        return
    show(for_this_terminal(report))
    files = {"receipt": "receipt.json", **beside}
    show("   ".join(f"{what}: {out / name}" for what, name in files.items()))


def for_this_terminal(report: "Report") -> str:
    """The report as text, as wide as the terminal and in its colours; elsewhere 100 wide and plain."""
    from gate.render.palette import ANSI
    from gate.render.terminal import terminal

    if not sys.stdout.isatty():
        return terminal(report)
    import shutil

    width = max(60, min(shutil.get_terminal_size().columns, 120))
    return terminal(report, width=width, colour=ANSI)


def show(text: str) -> None:
    """Print a result and end its last line."""
    show_exactly(text if text.endswith("\n") else f"{text}\n")


def show_exactly(text: str) -> None:
    """Print a result as it is; a reader who has left (a closed pipe) changes nothing about the verdict.

    UnavailableError when the output cannot be written: what nobody could read is not said to have passed.
    """
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        say_no_more()
    except OSError as error:
        say_no_more()
        raise UnavailableError(
            f"standard output cannot be written ({error.strerror or error})",
            remedy="free some space where it goes to, or send it somewhere else",
        ) from error


def complain(text: str) -> None:
    """One remark on standard error; where that cannot be written there is nobody to tell."""
    with suppress(OSError):
        click.echo(text, err=True)


def overheard(words: str) -> None:
    """The end of what a system that failed said itself, on standard error."""
    from gate.render.system_words import system_words

    complain(system_words(words))


def say_no_more() -> None:
    """Standard output leads nowhere from here on, so that nothing fails a second time at exit."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
