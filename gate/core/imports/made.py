"""What an import comes to: rows, and what a reader must know about how they were made."""

from collections.abc import Mapping
from dataclasses import dataclass, field


class ImportProblem(ValueError):  # noqa: N818 - what is wrong with a foreign file, said to whoever brought it
    """A foreign file cannot be used; says where, and what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question. `error` None = it was answered; members that are None are not written."""

    id: str
    members: Mapping[str, object]
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Every row, the names of the metrics, and what was left out or resolved."""

    rows: tuple[Row, ...]
    metrics: tuple[str, ...]
    notes: tuple[str, ...] = ()
    k: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
