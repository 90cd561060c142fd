"""What the pipeline needs from the world, as Protocols; wiring.py chooses who provides it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gate.core.plan import FileRef
from gate.core.records.rows import RowTable


class Clock(Protocol):
    """Time, passed in."""

    def now(self) -> datetime:
        """The present moment, timezone-aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...


class History(Protocol):
    """What git can tell about commits; every answer may be None, "git cannot tell"."""

    def head(self) -> str | None:
        """The full sha of the commit that is checked out."""
        ...

    def distance(self, ancestor: str, descendant: str) -> int | None:
        """How many first-parent steps lead from `descendant` back to `ancestor` (a full or short sha)."""
        ...


class RowSource(Protocol):
    """Rows of a planned file, checked against its digest."""

    def read(self, rows: FileRef) -> RowTable:
        """The rows; EvidenceError when the file is missing, changed or invalid."""
        ...


class Progress(Protocol):
    """Who is told how far long work has come."""

    def stage(self, name: str) -> None:
        """A new stage begins."""
        ...


class Publisher(Protocol):
    """Where files of a finished run go."""

    def write(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Write (relative name, content) pairs, each atomically."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Every collaborator of one run."""

    clock: Clock
    rows: RowSource
    progress: Progress
