"""How far judges agree: spread within a unit, and Krippendorff's alpha over several units.

A unit is one set of scores of one dimension, a score per judge: one batch in one cycle. Reference: Krippendorff,
"Computing Krippendorff's Alpha-Reliability" (2011), interval difference function, missing scores allowed.
"""

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

Unit = Sequence[float]


class Alpha(Struct, frozen=True):
    """Disagreement observed within units and expected between any two scores: mean squared differences."""

    observed: float
    expected: float
    units: int

    @property
    def value(self) -> float | None:
        """1 = perfect, 0 = as good as chance, below = worse. None = one unit, or none, cannot tell."""
        if self.units < 2:
            return None
        return 1.0 if self.expected == 0 else 1.0 - self.observed / self.expected


def alpha(units: Iterable[Unit]) -> Alpha:
    """Interval-scale disagreement over units; a unit with fewer than two scores says nothing and is left out.

    Where no score differs from any other there is no variation, and that counts as agreement: alpha is 1.
    """
    pairable = [unit for unit in units if len(unit) > 1]
    every = [score for unit in pairable for score in unit]
    if not every:
        return Alpha(0.0, 0.0, 0)
    within = math.fsum(_squared_differences(unit) / (len(unit) - 1) for unit in pairable)
    return Alpha(
        observed=within / len(every),
        expected=_squared_differences(every) / (len(every) * (len(every) - 1)),
        units=len(pairable),
    )


def pooled(parts: Iterable[Alpha]) -> float | None:
    """One alpha for several dimensions: their disagreements added up, observed and expected; None = cannot tell."""
    known = [part for part in parts if part.value is not None]
    if not known:
        return None
    expected = math.fsum(part.expected for part in known)
    return 1.0 if expected == 0 else 1.0 - math.fsum(part.observed for part in known) / expected


def score_range(units: Iterable[Unit]) -> float | None:
    """The greatest distance between two judges within one unit, in points; None when no unit has two scores."""
    return max((max(unit) - min(unit) for unit in units if len(unit) > 1), default=None)


def within_sd(units: Iterable[Unit]) -> float | None:
    """The standard deviation between judges, in points: variances within units (n-1) pooled by their freedom.

    None when no unit has two scores.
    """
    pairable = [unit for unit in units if len(unit) > 1]
    freedom = sum(len(unit) - 1 for unit in pairable)
    if not freedom:
        return None
    squares = math.fsum(_squared_differences(unit) / (2 * len(unit)) for unit in pairable)
    return math.sqrt(squares / freedom)


def _squared_differences(scores: Unit) -> float:
    """The sum over ordered pairs of two different scores."""
    if min(scores) == max(scores):
        return 0.0
    mean = math.fsum(scores) / len(scores)
    return 2 * len(scores) * math.fsum((score - mean) ** 2 for score in scores)
