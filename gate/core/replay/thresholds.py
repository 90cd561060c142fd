"""The floors and the ceiling that a replay is judged by."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """`jaccard` and `top1` are the least allowed means, `latency_multiplier` the most allowed ratio of means.

    Raises ValueError for NaN, the infinities and numbers out of range: none of them would ever be missed.
    """

    jaccard: float = 0.85
    top1: float = 0.80
    latency_multiplier: float = 2.0

    def __post_init__(self) -> None:
        for name in ("jaccard", "top1"):
            share = getattr(self, name)
            if not 0 <= share <= 1:  # false for NaN too
                raise ValueError(f"the threshold {name} must be a share between 0 and 1, not {share}")
        if not (math.isfinite(self.latency_multiplier) and self.latency_multiplier > 0):
            raise ValueError(
                f"the threshold latency_multiplier must be a number above 0, not {self.latency_multiplier}"
            )
