"""Shards of one run put together: every question exactly once, and nothing missing without being said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from gate.core.longmemeval.row_file import Kept
from gate.core.longmemeval.run import Run, differences
from gate.core.shard_attempts import chosen, not_finished
from gate.core.shards import ALL, Shard

_APART = frozenset({"shard"})


class MergeError(ValueError):
    """Files that are not shards of one run; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Part:
    """One shard's file: its name in messages, the run it states, what it holds."""

    name: str
    run: Run
    kept: Kept

    @property
    def shard(self) -> Shard:
        """Which part it is."""
        return self.run.shard

    @property
    def rows(self) -> Mapping[str, bytes]:
        """Lines by question."""
        return self.kept.rows

    @property
    def left(self) -> int:
        """How many of its questions it has no row of."""
        return len(self.run.own_questions()) - len(self.kept.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The whole run; `missing` says in words which shards are not there or not finished.

    `distrusted` = one of them says that it failed, although its rows may not show it.
    """

    run: Run
    rows: Mapping[str, bytes]
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    distrusted: bool = False


def merge(parts: Sequence[Part]) -> Merged:
    """Join shards of one run, at least one; MergeError when they are not of one run or a row is out of place.

    Of one shard's several files (a shard that was started again) the most complete counts; of equals the newest.
    """
    first = parts[0]
    for part in parts:
        _check_same(first, part)
        _check_rows(part)
    found = chosen(parts)
    return Merged(
        run=replace(first.run, shard=ALL),
        rows={name: row for part in found.files.values() for name, row in part.rows.items()},
        missing=_missing(first.run.shard.of, found.files),
        notes=found.notes,
        distrusted=any(part.kept.failed for part in found.files.values()),
    )


def _missing(of: int, chosen: Mapping[int, Part]) -> tuple[str, ...]:
    found = []
    for number in range(1, of + 1):
        part = chosen.get(number)
        if part is None:
            found.append(f"shard {number}/{of} is missing")
        elif part.left:
            found.append(not_finished(part.shard, part.left))
    return tuple(found)


def _check_same(first: Part, part: Part) -> None:
    found = differences(first.run, part.run, ignoring=_APART)
    if first.run.shard.of != part.run.shard.of:
        found = (*found, f"shards: {first.run.shard.of} and {part.run.shard.of}")
    if found:
        raise MergeError(f"{first.name} and {part.name} are not of one run ({'; '.join(found)})")


def _check_rows(part: Part) -> None:
    strangers = sorted(part.kept.rows.keys() - set(part.run.own_questions()))
    if strangers:
        raise MergeError(
            f"{part.name}: has a row of {strangers[0]!a}, which shard {part.run.shard} does not hold"
        )
