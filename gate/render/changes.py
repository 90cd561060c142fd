"""Which way a change goes: fixed or broken where the direction is known, up or down where it is not."""

from dataclasses import dataclass

from gate.core.plan import Better
from gate.core.report import Comparison, Flip
from gate.render.numbers import NOISE, SHARE


@dataclass(frozen=True, slots=True)
class Words:
    """What a question's change is called: "16 broke", "16 got worse", "16 went down"."""

    gained: str
    lost: str


QUESTIONS = Words("fixed", "broken")
VALUES = Words("better", "worse")
NEUTRAL = Words("up", "down")


def words(better: Better | None, unit: str | None) -> Words:
    """Shares of questions are fixed and broken; other values get better and worse; without direction: up, down."""
    if better is None:
        return NEUTRAL
    return QUESTIONS if unit == SHARE else VALUES


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


def flip_word(flip: Flip, better: Better | None, unit: str | None) -> str:
    """ "broke", "fixed", "worse", "up": what happened to one question."""
    named = words(better, unit)
    turned = gain(better, flip.candidate - flip.baseline)
    if abs(turned) < NOISE:
        return "same"
    return named.gained if turned > 0 else named.lost


def adverse_word(better: Better | None) -> str:
    """What a change for the worse is called: a drop, or a rise where lower is better."""
    return "rise" if better == "lower" else "drop"


def arrow(better: Better | None) -> str:
    """↑ higher is better, ↓ lower is better, nothing where nobody says."""
    return {"higher": " ↑", "lower": " ↓"}.get(better or "", "")
