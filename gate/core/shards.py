"""The parts that a matrix of jobs measures: which of them a question belongs to follows from its id alone."""

import hashlib
import re
from typing import Final

from msgspec import Struct

MOST_SHARDS: Final = 1_000
_SHARD: Final = re.compile(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", re.ASCII)


class ShardError(ValueError):
    """No shard; the text says what one looks like."""


class Shard(Struct, frozen=True):
    """The `number`th of `of` parts that together hold every question exactly once."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def exists(self) -> bool:
        """Whether there can be such a part."""
        return 1 <= self.number <= self.of <= MOST_SHARDS

    def holds(self, question_id: str) -> bool:
        """Whether a question belongs to this part: by its id alone, wherever it is computed."""
        return number_of(question_id, self.of) == self.number


ALL: Final = Shard(1, 1)


def number_of(question_id: str, of: int) -> int:
    """Which of `of` parts a question belongs to, from 1."""
    return _stable_hash(question_id) % of + 1


def shard_of_text(text: str) -> Shard:
    """The shard that `i/n` names; ShardError when it names none."""
    match = _SHARD.fullmatch(text)
    shard = Shard(int(match[1]), int(match[2])) if match else Shard(0, 0)
    if not shard.exists:
        raise ShardError(
            f"{text!a} is no shard: write i/n, such as 1/4 for the first of four, n at most {MOST_SHARDS}"
        )
    return shard


def _stable_hash(question_id: str) -> int:
    return int.from_bytes(hashlib.sha256(question_id.encode()).digest()[:8], "big")
