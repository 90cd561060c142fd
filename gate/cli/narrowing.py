"""The flags that say what is measured beside the configuration; the action has them as inputs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from gate.errors import UsageError

_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS: Final = (
    click.option("--suites", metavar="A,B", help="Only these suites, by name or kind."),
    click.option("--modes", metavar="M,N", help="These search modes instead of the configuration's."),
    click.option(
        "--limit", metavar="N", type=click.IntRange(min=1), help="At most so many questions a suite."
    ),
    click.option(
        "--baseline",
        metavar="WHICH",
        help="Compare with `accepted`, `database`, or the receipt at a path, instead of the configuration's.",
    ),
)


def narrowing_options(command: _Command) -> _Command:
    """Adds --suites, --modes, --limit and --baseline; a run that leaves something out can fail and never pass."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def overrides_of(config: Path, asked: Mapping[str, Any]) -> dict[str, str]:
    """What these flags say, as overrides of the settings; a receipt's path from here is one from the workspace.

    UsageError where one is empty, as from an unset variable of a shell: it would quietly mean what no flag means.
    """
    said = {name: str(value) for name, value in asked.items() if value is not None}
    for name, value in said.items():
        if not value.strip():
            raise UsageError(f"--{name} is empty", remedy="say what it should be, or leave it out")
    baseline = said.get("baseline", "")
    if baseline.endswith(".json"):
        from gate.store.workspace import relative, workspace_of

        said["baseline"] = relative(workspace_of(config, Path.cwd()), Path(baseline))
    return said
