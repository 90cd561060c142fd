"""From paired values to one difference per cluster, every addition in the contract's order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gate.core.records.ecmascript import utf16_key

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Which cluster, in the order of the keys, each pair belongs to, and how many pairs each has; (n,), (C,)."""

    of_pair: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @property
    def even(self) -> bool:
        """Whether all clusters have the same number of pairs."""
        return bool(self.sizes.min() == self.sizes.max())


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the contract's inference needs to know of one sample; ``sums`` has shape (C,)."""

    layout: Layout
    sums: Values
    baseline_mean: float
    candidate_mean: float
    wins: int
    losses: int

    @property
    def n(self) -> int:
        """How many pairs there are."""
        return len(self.layout.of_pair)

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self.sums)

    @property
    def delta(self) -> float:
        """The difference of the means (which need not be the mean of the differences)."""
        return self.candidate_mean - self.baseline_mean


def layout(keys: Sequence[str] | None, pairs: int) -> Layout:
    """Return the clusters of the pairs; without keys every pair is its own, in the order given."""
    if keys is None:
        return Layout(np.arange(pairs), np.ones(pairs, dtype=np.intp))
    position = {key: index for index, key in enumerate(sorted(set(keys), key=utf16_key))}
    of_pair = np.fromiter((position[key] for key in keys), dtype=np.intp, count=pairs)
    return Layout(of_pair, np.bincount(of_pair))


def evidence(clusters: Layout, baseline: Values, candidate: Values) -> Evidence:
    """Return the means, the cluster sums and who won; ValueError when the values are too large to be added."""
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.bincount(clusters.of_pair, weights=candidate - baseline).astype(np.float64, copy=False)
        found = Evidence(
            clusters,
            sums,
            baseline_mean=_mean(baseline),
            candidate_mean=_mean(candidate),
            wins=int(np.count_nonzero(candidate > baseline)),
            losses=int(np.count_nonzero(candidate < baseline)),
        )
        reach = np.abs(sums).max() * len(sums)  # no resample can go further
    if not (math.isfinite(found.delta) and math.isfinite(reach)):
        raise ValueError("the values are so large that their sums leave the range of a double")
    return found


def _mean(values: Values) -> float:
    """Return the mean of the left-to-right sum, neither pairwise nor compensated."""
    return float(np.add.accumulate(values)[-1] + 0.0) / len(values)
