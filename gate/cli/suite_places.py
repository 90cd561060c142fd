"""Where a suite's command writes, and what it is called in records; how a foreign command line is read."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.core.plan import PlannedSystem
    from gate.core.records.new_record import NewRecord
    from gate.core.records.run_records import Occasion
    from gate.ports import Clock
    from gate.systems.process import Command


CONFIG: Final = Path("eval-gate.yml")
PATIENCE: Final = 6 * 3600.0
"""How long a whole command of gbrain may take, in seconds, where no configuration says."""


class Happening:
    """A run while it lasts: where and since when."""

    def __init__(self, clock: "Clock", root: Path, seed: int) -> None:
        self._clock = clock
        self.root = root
        self._seed = seed
        self._began, self._since = clock.now(), clock.monotonic()

    def over(self, *datasets: Path) -> "Occasion":
        """It has ended now; `datasets` are the files its questions come from."""
        from gate.core.records.run_records import Occasion
        from gate.store.dataset_commit import dataset_commit
        from gate.store.git_history import GitHistory

        return Occasion(
            commit=GitHistory(self.root).head(),
            seed=self._seed,
            started=self._began,
            duration_ms=round((self._clock.monotonic() - self._since) * 1000),
            dataset_commit=dataset_commit(datasets) if datasets else None,
        )


def output_of(output: Path | None, suite: str, mode: str) -> tuple[Path, str, Path]:
    """The file for the rows, its name in records, and the repository's root."""
    from gate.store.run_rows import repository_root

    plain = "".join(letter if letter.isalnum() else "-" for letter in mode)
    path = output or Path("gate-out") / "rows" / f"{suite}-{plain}.ndjson"
    root = repository_root(Path.cwd())
    resolved = path.resolve()
    inside = resolved.is_relative_to(root.resolve())
    return path, resolved.relative_to(root.resolve()).as_posix() if inside else str(resolved), root


def planned_system(config: Path | None) -> "tuple[PlannedSystem, Path]":
    """The system that the configuration names, and the folder its paths start at; without one, the built-in."""
    from gate.core.plan import PlannedSystem
    from gate.store.workspace import workspace_of

    built_in = PlannedSystem(kind="reference")
    named = config or CONFIG
    if config is None and not named.exists():
        return built_in, Path.cwd()
    from gate.settings import load_settings

    root = workspace_of(named, Path.cwd())
    planned = load_settings(named, root).request().policy.system
    return (built_in if planned.kind == "rows" and config is None else planned), root


@dataclass(frozen=True, slots=True)
class Called:
    """How gbrain is called, and how long one of its commands may take, in seconds."""

    command: "Command"
    patience: float = PATIENCE


def gbrain_of(
    command: str | None, grants: Sequence[str], config: Path | None, environment: Mapping[str, str]
) -> Called | None:
    """How gbrain is called: as `--gbrain` says, else as the configuration's `system` does; None = by neither."""
    from gate.systems.process import Command, granted

    if command is not None:
        return Called(program_of(command, grants, environment))
    planned, root = planned_system(config)
    if planned.kind != "gbrain":
        return None
    program = Command(
        argv=planned.run, folder=root / planned.folder, environment=granted(planned.env, environment)
    )
    return Called(program, patience=planned.waits.question)


def program_of(command: str, grants: Sequence[str], environment: Mapping[str, str]) -> "Command":
    """A command line split as a shell would, without being one, seeing only what it is granted."""
    from gate.systems.process import Command, granted

    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f"--gbrain: {error}", remedy="quote it as for a shell") from error
    if not words:
        raise UsageError("--gbrain: names no program", remedy='call it as you do, e.g. --gbrain "gbrain"')
    return Command(argv=words, folder=Path.cwd(), environment=granted(grants, environment))


def append_to_ledger(record: "NewRecord", root: Path) -> Path:
    """Add a record to the repository's ledger; its path."""
    from gate.ledgers.jsonl import FILE_NAME, FOLDER, JsonlLedger

    ledger = JsonlLedger(root / FOLDER / FILE_NAME)
    ledger.append(record)
    return ledger.path
