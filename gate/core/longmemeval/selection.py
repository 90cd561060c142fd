"""Which questions of a dataset a run asks: those that are named, a sample of them, one shard of these."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from gate.core.longmemeval.splits import sample

MOST_SHARDS: Final = 1_000
_SHARD: Final = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", re.ASCII)


class SelectionError(ValueError):
    """What was asked for cannot be selected; the text says why."""


class Shard(Struct, frozen=True):
    """The `number`th of `of` parts that together hold every question exactly once."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, question_id: str) -> bool:
        """Whether a question belongs to this part: by its id alone, wherever it is computed."""
        return _stable_hash(question_id) % self.of == self.number - 1


def shard_of_text(text: str) -> Shard:
    """The shard that `i/n` names; SelectionError when it names none."""
    match = _SHARD.fullmatch(text)
    shard = Shard(int(match[1]), int(match[2])) if match else Shard(0, 0)
    if not 1 <= shard.number <= shard.of <= MOST_SHARDS:
        raise SelectionError(f"{text!a} is no shard: write i/n, such as 1/4 for the first of four")
    return shard


class Selection(Struct, frozen=True, kw_only=True):
    """What to select, in this order: the named questions, a sample of `limit` of them drawn with `seed`."""

    named: tuple[str, ...] | None = None
    limit: int | None = None
    seed: int = 42


def selected(ids: Sequence[str], selection: Selection) -> tuple[str, ...]:
    """The selected ids in the order of the dataset; SelectionError when one is named that it does not have."""
    wanted = set(ids) if selection.named is None else set(selection.named)
    unknown = sorted(wanted.difference(ids))
    if unknown:
        more = f" and {len(unknown) - 1} more" if unknown[1:] else ""
        raise SelectionError(f"the dataset has no question {unknown[0]!a}{more}")
    if selection.limit is not None and selection.limit < len(wanted):
        wanted = set(sample(wanted, selection.limit, selection.seed))
    return tuple(each for each in ids if each in wanted)


def ids_of_text(text: str) -> tuple[str, ...]:
    """The ids of a file with one a line; blank lines and those that begin with # say nothing."""
    lines = (line.strip() for line in text.splitlines())
    found = tuple(line for line in lines if line and not line.startswith("#"))
    twice = [each for each, count in Counter(found).items() if count > 1]
    if twice:
        raise SelectionError(f"the question {twice[0]!a} is named twice")
    if not found:
        raise SelectionError("no question is named")
    return found


def _stable_hash(question_id: str) -> int:
    return int.from_bytes(hashlib.sha256(question_id.encode()).digest()[:8], "big")
