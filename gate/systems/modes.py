"""The three named modes of retrieval: what each of them may return."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Mode:
    """At most `limit` hits of together at most `token_budget` tokens; None = no budget."""

    limit: int
    token_budget: int | None


MODES: Final[Mapping[str, Mode]] = {
    "conservative": Mode(limit=10, token_budget=4_000),
    "balanced": Mode(limit=25, token_budget=12_000),
    "tokenmax": Mode(limit=50, token_budget=None),
}

_CHARACTERS_PER_TOKEN: Final = 4


def tokens(characters: int) -> int:
    """The estimate that the modes are defined with: a token is four characters, rounded up."""
    return -(-characters // _CHARACTERS_PER_TOKEN)
