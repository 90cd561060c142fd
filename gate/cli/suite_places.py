"""Where a suite's command writes, and what it is called in records; how a foreign command line is read."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.errors import Cancelled, GateError, UsageError

if TYPE_CHECKING:
    from gate.core.plan import Feature, Plan, PlannedSystem
    from gate.core.records.new_record import NewRecord
    from gate.systems.process import Command
    from gate.wiring.happening import Happening


CONFIG: Final = Path("eval-gate.yml")
FEATURES: "Final[tuple[Feature, ...]]" = ("vector", "reranker", "expansion")
PATIENCE: Final = 6 * 3600.0
"""How long a whole command of gbrain may take, in seconds, where no configuration says."""


def output_of(output: Path | None, suite: str, mode: str) -> tuple[Path, str, Path]:
    """The file for the rows, its name in records, and the repository's root."""
    from gate.store.run_rows import repository_root

    plain = "".join(letter if letter.isalnum() else "-" for letter in mode)
    path = output or Path("gate-out") / "rows" / f"{suite}-{plain}.ndjson"
    root = repository_root(Path.cwd())
    return path, name_in_records(path, root), root


def name_in_records(path: Path, root: Path) -> str:
    """What records of the repository call a file: its path there, or its whole path where it lies elsewhere."""
    from gate.store.workspace import relative_or

    return relative_or(root, path, str(path.resolve()))


def all_required(named: Sequence[str], own: Sequence[str]) -> "tuple[Feature, ...]":
    """What is named on the command line, and what the configuration requires by itself."""
    return tuple(feature for feature in FEATURES if feature in {*named, *own})


@dataclass(frozen=True, slots=True)
class Called:
    """How gbrain is called, and how long one of its commands may take, in seconds."""

    command: "Command"
    patience: float = PATIENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedSystem:
    """The system a suite asks: as it is planned, the folder its paths start at, what it must not go without."""

    planned: "PlannedSystem"
    root: Path
    require: "tuple[Feature, ...]" = ()
    gbrain: Called | None = None
    """How it is called, where it is gbrain."""


def asked_system(config: Path | None, environment: Mapping[str, str]) -> AskedSystem:
    """The `system` of the configuration; the built-in one where there is none, or one that only brings rows."""
    from gate.core.plan import PlannedSystem

    found = configured(config)
    if found is None:
        return AskedSystem(planned=PlannedSystem(kind="reference"), root=Path.cwd())
    policy, root = found
    return AskedSystem(
        planned=policy.system,
        root=root,
        require=policy.require,
        gbrain=_as_configured(policy.system, root, environment),
    )


def named_gbrain(command: str, grants: Sequence[str], environment: Mapping[str, str]) -> AskedSystem:
    """The gbrain of `--gbrain`, whatever a configuration says."""
    from gate.core.plan import PlannedSystem

    called = Called(program_of(command, grants, environment))
    return AskedSystem(planned=PlannedSystem(kind="gbrain"), root=Path.cwd(), gbrain=called)


def _as_configured(planned: "PlannedSystem", root: Path, environment: Mapping[str, str]) -> Called | None:
    from gate.wiring.systems import command_of

    if planned.kind != "gbrain":
        return None
    return Called(command_of(planned, root, environment), patience=planned.waits.question)


def configured(config: Path | None) -> "tuple[Plan, Path] | None":
    """The policy that a system is named in; None = none is: no file, or one that only brings rows."""
    from gate.store.workspace import workspace_of

    named = config or CONFIG
    if config is None and not named.exists():
        return None
    from gate.settings import load_settings

    root = workspace_of(named, Path.cwd())
    policy = load_settings(named, root).request().policy
    return None if policy.system.kind == "rows" and config is None else (policy, root)


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


@contextmanager
def ends_in_ledger(suite: str, mode: str, happening: "Happening", *datasets: Path) -> Iterator[None]:
    """A run that was cancelled, that crashed or whose system failed leaves a failed record, and is raised again.

    Other foreseen errors (an input that is not valid) are no runs, and a run that is not recorded leaves nothing.
    """
    from gate.core.records.run_records import failed_facts, run_record
    from gate.ports import SystemFailed
    from gate.wiring.happening import recorded_end, why_it_broke_off

    try:
        yield
    except (Exception, Cancelled, KeyboardInterrupt) as error:
        ended = isinstance(error, SystemFailed) or not isinstance(error, GateError)
        if happening.recorded and ended:
            facts = failed_facts(suite, mode, happening.over(*datasets), why_it_broke_off(error))
            recorded_end(error, lambda: append_to_ledger(run_record(facts), happening.root))
        raise


def append_to_ledger(record: "NewRecord", root: Path) -> Path:
    """Add a record to the repository's ledger; its path."""
    from gate.ledgers.jsonl import FILE_NAME, FOLDER, JsonlLedger

    ledger = JsonlLedger(root / FOLDER / FILE_NAME)
    ledger.append(record)
    return ledger.path
