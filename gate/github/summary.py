"""The job summary: appended to the runner's file, which is dropped whole when it grows beyond its limit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gate.errors import UnavailableError
from gate.render.fitting import fit, size_in_bytes

MOST_BYTES: Final = 900 * 1024
"""Of the runner's 1 MiB for one step, with room for whoever writes after us."""


@dataclass(frozen=True, slots=True)
class Appended:
    """What was written: which rendition, and how many bytes."""

    rung: int
    bytes: int


def append(path: Path, renditions: Sequence[Callable[[], str]]) -> Appended | None:
    """Append the fullest rendition for which the file has room; None = it has room for none.

    UnavailableError when the file cannot be written.
    """
    try:
        there = path.stat().st_size if path.exists() else 0
        separator = "\n" if there else ""
        room = MOST_BYTES - there - len(separator) - 1
        if room <= 0:
            return None
        fitted = fit(renditions, max_chars=room, max_bytes=room)
        if not fitted.text:
            return None
        text = separator + fitted.text.rstrip("\n") + "\n"
        with path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UnavailableError(
            f"the job summary ({path.name}) cannot be written: {error.strerror or error}",
            remedy="GITHUB_STEP_SUMMARY must name a file that this step may write",
        ) from error
    return Appended(fitted.rung, size_in_bytes(text))
