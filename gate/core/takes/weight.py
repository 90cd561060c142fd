"""The weight of a take: as it is stored, and as text that no precision of a column can change."""

import math
from dataclasses import dataclass
from typing import Final

from gate.core.records.ecmascript import math_round, number_text

UNSAID: Final = 0.5
"""What stands for a weight that is not given or is no number."""

_STEPS: Final = 20


@dataclass(frozen=True, slots=True)
class StoredWeight:
    """A weight on the grid of 0.05, and whether it had to be brought into [0, 1] first."""

    weight: float
    clamped: bool


def stored_weight(raw: float | None) -> StoredWeight:
    """The weight that storing gives: not given or not finite → 0.5, cut to [0, 1], halves of 0.05 rounded up."""
    if raw is None:
        return StoredWeight(UNSAID, clamped=False)
    if not math.isfinite(raw):
        return StoredWeight(UNSAID, clamped=True)
    inside = min(max(raw, 0.0), 1.0)
    return StoredWeight(math_round(inside * _STEPS) / _STEPS, clamped=inside != raw)


def weight_text(stored: float | str) -> str:
    """The text the contract prints for a stored weight; a text is what the database printed for a REAL.

    PostgreSQL prints the shortest text that reads back as the same single-precision number: "0.85", where its
    binary form is 0.8500000238…. Raises ValueError for what is no finite number.
    """
    return number_text(float(stored))
