"""Holm's step-down correction for many comparisons."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the adjusted p-values in the order given; the family is all of them, whatever their dependence.

    Holm 1979, Scand. J. Statist. 6:65: stable ascending order, rank r of m is multiplied by m - r, capped at 1
    and never below its predecessor. Raises ValueError for a p that is not within 0..1.
    """
    for p in p_values:
        if not 0 <= p <= 1:
            raise ValueError(f"a p-value must lie within 0..1, got {p!r}")
    family = len(p_values)
    adjusted = [0.0] * family
    reached = 0.0
    for rank, index in enumerate(sorted(range(family), key=lambda i: p_values[i])):
        reached = max(reached, min(1.0, p_values[index] * (family - rank)))
        adjusted[index] = reached
    return tuple(adjusted)
