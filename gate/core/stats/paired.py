"""The contract comparator: cluster bootstrap and sign-flip test of paired values, bit for bit, many at once.

Every sample gets the numbers it would get alone (the contract restarts its stream for each); samples with
equally many clusters share the stream, the picks and the flips.

Interval: percentile bootstrap over clusters, order statistics without interpolation (Efron & Tibshirani 1993,
ch. 13). p: two-sided sign-flip test on cluster totals, exact up to 16 clusters (identity included), else Monte
Carlo with (extreme + 1) / (draws + 1) (Phipson & Smyth 2010).
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gate.core.stats.clusters import Evidence, Layout, evidence, layout
from gate.core.stats.resampling import bootstrap_totals, every_flip, flipped_totals

SMALLEST_DRAWS = 1_000

_EXACT_UP_TO = 16
_TOLERANCE = 1e-12  # a replicate this close below the observed difference counts as extreme


@dataclass(frozen=True, slots=True, eq=False)
class PairedSample:
    """One metric of one pair of runs, already joined; shapes (n,), in the order of the baseline's rows.

    ``clusters`` names each pair's cluster (in the contract the question's id). None makes every pair its own
    cluster and takes the pairs to lie in the order of their keys already.
    """

    clusters: tuple[str, ...] | None
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairedStatistics:
    """What the contract says about one sample, and how that was found.

    The bounds are None when fewer than two clusters leave the interval unbounded. ``nontied_clusters`` counts
    those whose difference is not zero, k. ``smallest_attainable_p`` is the smallest p that k differences could
    have had: 2^(1-k), and not below 1 / (draws + 1) where the flips are random (their p scatters about it).
    Whoever decides must not believe a ``p_value`` far below it: the contract's tolerance is absolute, so that
    among values of ten thousand or more rounding can keep the observed difference itself from being counted.
    """

    n: int
    clusters: int
    nontied_clusters: int
    baseline_mean: float
    candidate_mean: float
    delta: float
    wins: int
    losses: int
    ties: int
    lower95: float | None
    upper95: float | None
    p_value: float
    p_method: str
    ci_method: str
    smallest_attainable_p: float
    draws: int
    seed: int


def compare_paired(
    samples: Sequence[PairedSample], *, draws: int = 10_000, seed: int = 42
) -> tuple[PairedStatistics, ...]:
    """Return the contract's statistics of each sample, as if it had been compared alone.

    Raises ValueError for a sample without pairs, sides of different length, values that are not finite, and
    draws or seed that are not whole numbers or, for draws, below 1,000.
    """
    _check_whole("draws", draws, at_least=SMALLEST_DRAWS)
    _check_whole("seed", seed, at_least=0)
    every = _gathered(samples)
    inferred = {each: _degenerate(each) for each in every}
    for group in _equally_clustered(every):
        intervals = _intervals(group, draws=draws, seed=seed)
        tests = _tests(group, draws=draws, seed=seed)
        inferred |= zip(group, zip(intervals, tests, strict=True), strict=True)
    return tuple(_statistics(each, *inferred[each], draws=draws, seed=seed) for each in every)


@dataclass(frozen=True, slots=True)
class _Interval:
    lower95: float | None
    upper95: float | None
    method: str = "percentile-bootstrap"


@dataclass(frozen=True, slots=True)
class _Test:
    p_value: float
    smallest_attainable: float
    method: str


def _check_whole(name: str, value: object, *, at_least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < at_least:
        raise ValueError(f"{name} must be a whole number of at least {at_least}, got {value!r}")


def _gathered(samples: Iterable[PairedSample]) -> list[Evidence]:
    layouts: dict[tuple[str, ...] | int, Layout] = {}
    every = []
    for number, sample in enumerate(samples, 1):
        _check_sample(number, sample)
        pairs = len(sample.baseline)
        key = pairs if sample.clusters is None else sample.clusters
        if key not in layouts:
            layouts[key] = layout(sample.clusters, pairs)
        every.append(evidence(layouts[key], sample.baseline, sample.candidate))
    return every


def _check_sample(number: int, sample: PairedSample) -> None:
    pairs = len(sample.baseline)
    keys = pairs if sample.clusters is None else len(sample.clusters)
    if pairs == 0:
        raise ValueError(f"sample {number} has no pairs: there is nothing to compare")
    if not pairs == len(sample.candidate) == keys:
        sides = f"{pairs} baseline values, {len(sample.candidate)} candidate values and {keys} cluster keys"
        raise ValueError(f"sample {number} has {sides}: they must be equally many")
    if not (np.isfinite(sample.baseline).all() and np.isfinite(sample.candidate).all()):
        raise ValueError(
            f"sample {number} holds a value that is not finite: leave such pairs out and count them"
        )


def _equally_clustered(every: Iterable[Evidence]) -> Iterable[list[Evidence]]:
    """Group the samples that have something to infer by their number of clusters."""
    groups: dict[int, list[Evidence]] = {}
    for each in every:
        if each.clusters > 1 and each.wins + each.losses > 0:
            groups.setdefault(each.clusters, []).append(each)
    return groups.values()


def _degenerate(each: Evidence) -> tuple[_Interval, _Test]:
    """Nothing differs: a point at zero. Fewer than two clusters: no interval at all."""
    bound = 0.0 if each.wins + each.losses == 0 else None
    return _Interval(bound, bound, "degenerate"), _Test(1.0, 1.0, "degenerate")


def _intervals(group: Sequence[Evidence], *, draws: int, seed: int) -> list[_Interval]:
    uneven = list(dict.fromkeys(each.layout for each in group if not each.layout.even))
    columns = [each.sums for each in group] + [clusters.sizes.astype(np.float64) for clusters in uneven]
    totals = bootstrap_totals(columns, draws=draws, seed=seed)
    pairs_drawn = dict(zip(uneven, totals[len(group) :], strict=True))
    return [
        _percentiles(total / pairs_drawn.get(each.layout, np.full(1, each.n)))
        for each, total in zip(group, totals[: len(group)], strict=True)
    ]


def _percentiles(statistics: NDArray[np.float64]) -> _Interval:
    """Return the order statistics floor(0.025 B) and ceil(0.975 B) - 1, counted from zero."""
    draws = len(statistics)
    lower, upper = math.floor(draws * 0.025), math.ceil(draws * 0.975) - 1
    ordered = np.partition(statistics, (lower, upper))
    return _Interval(float(ordered[lower]), float(ordered[upper]))


def _tests(group: Sequence[Evidence], *, draws: int, seed: int) -> list[_Test]:
    if group[0].clusters <= _EXACT_UP_TO:
        return [_exact_test(each) for each in group]
    flipped = flipped_totals([each.sums for each in group], draws=draws, seed=seed)
    return [_monte_carlo_test(each, totals) for each, totals in zip(group, flipped, strict=True)]


def _exact_test(each: Evidence) -> _Test:
    totals = every_flip(each.sums)
    return _Test(_extreme(each, totals) / len(totals), _fewest_flips_p(each), "exact-sign-flip")


def _monte_carlo_test(each: Evidence, totals: NDArray[np.float64]) -> _Test:
    draws = len(totals)
    p_value = (_extreme(each, totals) + 1) / (draws + 1)
    return _Test(p_value, max(_fewest_flips_p(each), 1 / (draws + 1)), "monte-carlo-sign-flip")


def _extreme(each: Evidence, totals: NDArray[np.float64]) -> int:
    """Count the flips whose mean difference is at least as large as the observed one."""
    return int(np.count_nonzero(np.abs(totals) / each.n >= abs(each.delta) - _TOLERANCE))


def _nontied(each: Evidence) -> int:
    return int(np.count_nonzero(each.sums))


def _fewest_flips_p(each: Evidence) -> float:
    """Return 2^(1-k): of k non-tied clusters only the identity and its mirror image are always extreme."""
    return min(1.0, 2.0 ** (1 - _nontied(each)))


def _statistics(
    each: Evidence, interval: _Interval, test: _Test, *, draws: int, seed: int
) -> PairedStatistics:
    return PairedStatistics(
        n=each.n,
        clusters=each.clusters,
        nontied_clusters=_nontied(each),
        baseline_mean=each.baseline_mean,
        candidate_mean=each.candidate_mean,
        delta=each.delta,
        wins=each.wins,
        losses=each.losses,
        ties=each.n - each.wins - each.losses,
        lower95=interval.lower95,
        upper95=interval.upper95,
        p_value=test.p_value,
        p_method=test.method,
        ci_method=interval.method,
        smallest_attainable_p=test.smallest_attainable,
        draws=draws,
        seed=seed,
    )
