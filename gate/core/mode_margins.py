"""Which questions a search mode wins and loses against the best of the other modes, and by how much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.compare import join, pair
from gate.core.mode_comparison import PAIRING
from gate.core.plan import Better
from gate.core.records.rows import RowTable

MOST: Final = 3
"""How many questions are named on each side."""


@dataclass(frozen=True, slots=True)
class Margin:
    """One question: both modes' values, and how much better the first one is (negative = worse)."""

    question_id: str
    ours: float
    theirs: float
    margin: float
    text: str | None = None
    """The question itself; only where the plan says `show-text`."""


@dataclass(frozen=True, slots=True)
class ModeMargins:
    """One mode against the best of the others: its greatest wins and its greatest losses, the greatest first."""

    mode: str
    against: str
    wins: tuple[Margin, ...] = ()
    losses: tuple[Margin, ...] = ()
    won: int = 0
    lost: int = 0
    tied: int = 0


def ranked(means: Mapping[str, float], better: Better) -> tuple[str, ...]:
    """The modes, best first; of equals the one that is named first."""
    sign = -1 if better == "higher" else 1
    return tuple(sorted(means, key=lambda mode: sign * means[mode]))


def next_best(mode: str, ranking: Sequence[str]) -> str | None:
    """The best of the other modes; None where there is no other."""
    return next((other for other in ranking if other != mode), None)


def margins(ours: RowTable, theirs: RowTable, column: str, better: Better) -> tuple[Margin, ...]:
    """Every question that both sides measured, the greatest win first, equal ones by their ids."""
    pairs = pair(join(theirs, ours), column, PAIRING)
    sign = 1 if better == "higher" else -1
    found = (
        Margin(question, float(mine), float(other), sign * float(mine - other))
        for question, mine, other in zip(pairs.ids, pairs.candidate, pairs.baseline, strict=True)
    )
    return tuple(sorted(found, key=lambda each: (-each.margin, each.question_id)))


def against(mode: str, other: str, found: Sequence[Margin]) -> ModeMargins:
    """The few questions worth looking at, of all margins of a mode, sorted as `margins` gives them."""
    won = [each for each in found if each.margin > 0]
    lost = sorted(
        (each for each in found if each.margin < 0), key=lambda each: (each.margin, each.question_id)
    )
    return ModeMargins(
        mode=mode,
        against=other,
        wins=tuple(won[:MOST]),
        losses=tuple(lost[:MOST]),
        won=len(won),
        lost=len(lost),
        tied=len(found) - len(won) - len(lost),
    )
