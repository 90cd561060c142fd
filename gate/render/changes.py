"""Which way a change goes: fixed or broken where the direction is known, up or down where it is not."""

from dataclasses import dataclass
from typing import Final

from gate.core.plan import Better
from gate.core.report import Comparison, Flip
from gate.render.numbers import NOISE, SHARE


@dataclass(frozen=True, slots=True)
class Words:
    """What a question's change is called: "16 broke", "16 got worse", "16 went down"."""

    gained: str
    lost: str


_WHOLE: Final = 1e-6

QUESTIONS = Words("fixed", "broken")
VALUES = Words("better", "worse")
NEUTRAL = Words("up", "down")


def words(*comparisons: Comparison) -> Words:
    """What the changes of these comparisons of one metric are called; up and down where nobody says which is good."""
    if any(one.better is None for one in comparisons):
        return NEUTRAL
    return QUESTIONS if all(map(yes_or_no, comparisons)) else VALUES


def yes_or_no(comparison: Comparison) -> bool:
    """Whether a share counts whole questions: then every change is a whole step, and the steps add up."""
    steps = comparison.delta * comparison.n
    return comparison.unit == SHARE and abs(steps - (comparison.wins - comparison.losses)) < _WHOLE


def gained_lost(comparison: Comparison) -> tuple[int, int]:
    """How many questions moved the good way and the bad way; up and down where nobody says which is which."""
    if comparison.better == "lower":
        return comparison.losses, comparison.wins
    return comparison.wins, comparison.losses


def gain(better: Better | None, delta: float) -> float:
    """A difference turned so that greater is better; without a direction, greater counts as better."""
    return -delta if better == "lower" else delta


def worsened(comparison: Comparison) -> bool:
    """Whether the difference is significant and goes the wrong way."""
    return bool(comparison.significant) and gain(comparison.better, comparison.delta) < 0


def improved(comparison: Comparison) -> bool:
    """Whether the difference is significant and goes the right way."""
    return bool(comparison.significant) and gain(comparison.better, comparison.delta) > 0


def flip_word(flip: Flip, better: Better | None) -> str:
    """ "broken", "fixed", "worse", "up": what happened to one question."""
    turned = gain(better, flip.candidate - flip.baseline)
    if abs(turned) < NOISE:
        return "same"
    named = NEUTRAL if better is None else QUESTIONS if whole(flip) else VALUES
    return named.gained if turned > 0 else named.lost


def whole(flip: Flip) -> bool:
    """Whether a question went from answered to not answered, or back."""
    return {flip.baseline, flip.candidate} == {0.0, 1.0}


def adverse_word(better: Better | None) -> str:
    """What a change for the worse is called: a drop, or a rise where lower is better."""
    return "rise" if better == "lower" else "drop"


def arrow(better: Better | None) -> str:
    """↑ higher is better, ↓ lower is better, nothing where nobody says."""
    return {"higher": " ↑", "lower": " ↓"}.get(better or "", "")
