"""What a comparison of this size could have seen at all."""

import math
from statistics import NormalDist

_STANDARD = NormalDist()


def smallest_detectable_drop(
    differences_sd: float, clusters: int, family_size: int, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the smallest true drop found with that power: (z[1 - alpha / 2m] + z[power]) sd / sqrt(G).

    ``differences_sd`` is the standard deviation of the cluster differences in the metric's unit, ``clusters``
    is G, and ``family_size`` is m, all comparisons that share alpha (Holm's first step). Normal approximation
    of Miller 2024, arXiv 2411.00640: good from a few hundred clusters, optimistic below one hundred.
    None when nothing can be said: no spread to judge by, or fewer than two clusters.
    Raises ValueError for a spread that is negative or not finite, an empty family, and alpha or power outside
    0..1.
    """
    if not (math.isfinite(differences_sd) and differences_sd >= 0):
        raise ValueError(
            f"the differences' standard deviation must be finite and >= 0, got {differences_sd!r}"
        )
    _check_family(family_size, alpha)
    if not 0 < power < 1:
        raise ValueError(f"power must lie between 0 and 1, got {power!r}")
    if differences_sd == 0 or clusters < 2:
        return None
    quantiles = _STANDARD.inv_cdf(power) - _STANDARD.inv_cdf(alpha / (2 * family_size))
    return quantiles * differences_sd / math.sqrt(clusters)


def losses_needed(family_size: int, *, alpha: float = 0.05) -> int:
    """Return the fewest losses, without a single win, that the exact sign-flip test calls significant.

    With k clusters that differ, all the same way, the two-sided p is 2^(1-k); inside a family of m the first
    step of Holm multiplies it by m. So 6 suffice alone and 9 among 12.
    Raises ValueError for an empty family and alpha outside 0..1.
    """
    _check_family(family_size, alpha)
    losses = 1
    while family_size * 2.0 ** (1 - losses) > alpha:
        losses += 1
    return losses


def _check_family(family_size: int, alpha: float) -> None:
    if family_size < 1:
        raise ValueError(f"a family holds at least one comparison, got {family_size!r}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha!r}")
