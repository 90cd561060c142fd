"""Shards of one run put together: every question exactly once, and nothing missing without being said."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
from msgspec.structs import replace

from gate.core.longmemeval.row_file import Kept
from gate.core.longmemeval.run import Run, differences
from gate.core.longmemeval.selection import Shard

_APART = frozenset({"shard"})
_UNREPEATABLE: Final = ("latency_ms", "cost_usd")
"""What may differ when the same question is asked again."""


class MergeError(ValueError):
    """Files that are not shards of one run; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Part:
    """One shard's file: its name in messages, the run it states, what it holds."""

    name: str
    run: Run
    kept: Kept

    @property
    def left(self) -> int:
        """How many of its questions it has no row of."""
        return len(self.run.own_questions()) - len(self.kept.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The whole run; `missing` says in words which shards are not there or not finished."""

    run: Run
    rows: Mapping[str, bytes]
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def merge(parts: Sequence[Part]) -> Merged:
    """Join shards of one run, at least one; MergeError when they are not of one run or a row is out of place.

    Of one shard's several files (a shard that was started again) the most complete counts; of equals the newest
    attempt, which is the one whose name has the greater numbers (attempt-10 after attempt-2), then the last.
    """
    first = parts[0]
    for part in parts:
        _check_same(first, part)
        _check_rows(part)
    chosen: dict[int, Part] = {}
    notes = []
    for part in sorted(parts, key=lambda part: (-part.left, _numbers(part.name))):
        replaced = chosen.get(part.run.shard.number)
        if replaced is not None:
            notes.append(_again(replaced, part))
        chosen[part.run.shard.number] = part
    return Merged(
        run=replace(first.run, shard=Shard(1, 1)),
        rows={name: row for part in chosen.values() for name, row in part.kept.rows.items()},
        missing=_missing(first.run.shard.of, chosen),
        notes=tuple(notes),
    )


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall("[0-9]+", name)))


def _again(old: Part, new: Part) -> str:
    """Which of a shard's files counts, and how many of their rows contradict each other."""
    both = sorted(old.kept.rows.keys() & new.kept.rows.keys())
    differing = sum(_measured(old.kept.rows[name]) != _measured(new.kept.rows[name]) for name in both)
    said = f"{old.name}: shard {new.run.shard} again, {new.name} counts"
    return f"{said}; {differing} of {len(both)} rows differ" if differing else said


def _measured(row: bytes) -> dict[str, object]:
    members = msgspec.json.decode(row, type=dict[str, object])
    return {name: value for name, value in members.items() if name not in _UNREPEATABLE}


def _missing(of: int, chosen: Mapping[int, Part]) -> tuple[str, ...]:
    found = []
    for number in range(1, of + 1):
        part = chosen.get(number)
        if part is None:
            found.append(f"shard {number}/{of} is missing")
        elif part.left:
            found.append(f"shard {number}/{of} is not finished: {part.left} questions were not asked")
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
