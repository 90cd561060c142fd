"""Whether the sessions that hold the answer are among those found."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Over the distinct sessions of the first k chunks; the hits are None where no session is gold."""

    all_hit: bool | None
    any_hit: bool | None
    gold_total: int
    gold_found: int
    distinct_sessions: int


def recall_at(k: int, sessions: Sequence[str], gold: Sequence[str]) -> Recall:
    """Judge a ranking of chunks, each named by its session."""
    found = set(sessions[:k])
    wanted = set(gold)
    hit = len(wanted & found)
    return Recall(
        all_hit=hit == len(wanted) if wanted else None,
        any_hit=hit > 0 if wanted else None,
        gold_total=len(wanted),
        gold_found=hit,
        distinct_sessions=len(found),
    )
