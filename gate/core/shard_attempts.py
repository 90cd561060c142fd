"""Of a shard that was measured more than once, one attempt counts; which, and what they disagree in, is said."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from gate.core.shards import Shard
from gate.core.wording import counted

_UNREPEATABLE: Final = ("latency_ms", "latency_delta_ms", "over_2x_latency", "cost_usd")
"""What may differ when the same question is asked again."""


class ShardFile(Protocol):
    """What one job has left of its shard."""

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def shard(self) -> Shard:
        """Which part it is."""
        ...

    @property
    def rows(self) -> Mapping[str, bytes]:
        """Lines by question."""
        ...

    @property
    def left(self) -> int:
        """How many of its questions it has no row of."""
        ...


File = TypeVar("File", bound=ShardFile)


@dataclass(frozen=True, slots=True)
class Chosen(Generic[File]):
    """The file that counts for each shard's number, and what is to be said about the others."""

    files: Mapping[int, File]
    notes: tuple[str, ...]


def not_finished(shard: Shard, lacking: int) -> str:
    """That so many of a shard's questions have no row, and nobody says why."""
    said = f"{counted(lacking, 'question')} {'was' if lacking == 1 else 'were'} not asked"
    return f"shard {shard} is not finished: {said}"


def chosen(files: Sequence[File]) -> Chosen[File]:
    """The most complete file of each shard; of equals the newest attempt.

    That is the one whose name has the greater numbers (attempt-10 after attempt-2), then the last.
    """
    found: dict[int, File] = {}
    notes = []
    for file in sorted(files, key=lambda file: (-file.left, _numbers(file.name))):
        replaced = found.get(file.shard.number)
        if replaced is not None:
            notes.append(_again(replaced, file))
        found[file.shard.number] = file
    return Chosen(found, tuple(notes))


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall("[0-9]+", name)))


def _again(old: ShardFile, new: ShardFile) -> str:
    """Which of a shard's files counts, and how many of their rows contradict each other."""
    both = sorted(old.rows.keys() & new.rows.keys())
    differing = sum(_measured(old.rows[name]) != _measured(new.rows[name]) for name in both)
    said = f"{old.name}: shard {new.shard} again, {new.name} counts"
    return f"{said}; {differing} of {len(both)} rows differ" if differing else said


def _measured(row: bytes) -> dict[str, object]:
    members = msgspec.json.decode(row, type=dict[str, object])
    return {name: value for name, value in members.items() if name not in _UNREPEATABLE}
