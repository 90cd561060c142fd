"""The step's outputs, for the steps that follow."""

from collections.abc import Callable, Mapping
from pathlib import Path

from gate.errors import UnavailableError
from gate.github.commands import output_entry, unused_token


def append(path: Path, values: Mapping[str, str], *, draw: Callable[[], str]) -> None:
    """Append every output in one piece; `draw` gives a random delimiter of 16 letters and digits or more.

    UnavailableError when the file cannot be written.
    """
    delimiter = unused_token(draw, *values.values())
    text = "".join(output_entry(name, value, delimiter=delimiter) for name, value in values.items())
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UnavailableError(
            f"the step's outputs ({path.name}) cannot be written: {error.strerror or error}",
            remedy="GITHUB_OUTPUT must name a file that this step may write",
        ) from error
