"""The contract comparator written out slowly, one step after the other, to check the fast one against."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Pair = tuple[str, float, float]


def generator(seed: int) -> Callable[[], float]:
    """The unmasked mulberry32: its state is a double that only grows."""
    state = float(seed % 2**32)

    def call() -> float:
        nonlocal state
        state += 1831565813.0
        t = int(state) & 0xFFFFFFFF
        t = ((t ^ (t >> 15)) * (t | 1)) & 0xFFFFFFFF
        t ^= (t + ((t ^ (t >> 7)) * (t | 61))) & 0xFFFFFFFF
        return (t ^ (t >> 14)) / 4294967296

    return call


def statistics(pairs: Sequence[Pair], *, draws: int, seed: int) -> dict[str, Any]:
    """Everything the contract prints about one metric of one pair of runs."""
    n = len(pairs)
    baseline_mean = left_to_right(pair[1] for pair in pairs) / n
    candidate_mean = left_to_right(pair[2] for pair in pairs) / n
    delta = candidate_mean - baseline_mean
    wins = sum(candidate > baseline for _, baseline, candidate in pairs)
    losses = sum(candidate < baseline for _, baseline, candidate in pairs)
    sums, counts = by_cluster(pairs)
    if wins + losses == 0:
        lower, upper, p = 0.0, 0.0, 1.0
    elif len(sums) < 2:
        lower, upper, p = None, None, 1.0
    else:
        uniform = generator(seed)
        lower, upper = bootstrap(sums, counts, draws, uniform)
        p = sign_flip(sums, n, abs(delta) - 1e-12, draws, uniform)
    return {
        "n": n,
        "clusters": len(sums),
        "baseline_mean": baseline_mean,
        "candidate_mean": candidate_mean,
        "delta": delta,
        "wins": wins,
        "losses": losses,
        "ties": n - wins - losses,
        "lower95": lower,
        "upper95": upper,
        "p_value": p,
    }


def left_to_right(values: Iterator[float]) -> float:
    """A sum without compensation, in the order given."""
    total = 0.0
    for value in values:
        total += value
    return total


def by_cluster(pairs: Sequence[Pair]) -> tuple[list[float], list[int]]:
    """The clusters' sums and sizes, ordered by the UTF-16 code units of their keys."""
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for key, baseline, candidate in pairs:
        sums[key] = sums.get(key, 0.0) + (candidate - baseline)
        counts[key] = counts.get(key, 0) + 1
    keys = sorted(sums, key=code_units)
    return [sums[key] for key in keys], [counts[key] for key in keys]


def code_units(text: str) -> list[int]:
    """The UTF-16 code units of a text."""
    units: list[int] = []
    for point in map(ord, text):
        high, low = divmod(point - 0x10000, 0x400)
        units += [point] if point < 0x10000 else [0xD800 + high, 0xDC00 + low]
    return units


def bootstrap(
    sums: list[float], counts: list[int], draws: int, uniform: Callable[[], float]
) -> tuple[float, float]:
    """The percentile interval over resampled clusters."""
    replicates = []
    for _ in range(draws):
        total, rows = 0.0, 0
        for _ in sums:
            picked = math.floor(uniform() * len(sums))
            total += sums[picked]
            rows += counts[picked]
        replicates.append(total / rows)
    replicates.sort()
    return replicates[math.floor(draws * 0.025)], replicates[math.ceil(draws * 0.975) - 1]


def sign_flip(sums: list[float], n: int, at_least: float, draws: int, uniform: Callable[[], float]) -> float:
    """The two-sided p: every pattern up to 16 clusters, random ones above."""

    def is_extreme(negated: Iterator[bool]) -> bool:
        total = left_to_right(-s if flip else s for s, flip in zip(sums, negated, strict=True))
        return abs(total) / n >= at_least

    clusters = len(sums)
    if clusters <= 16:
        patterns = range(2**clusters)
        return sum(is_extreme(bool(i >> j & 1) for j in range(clusters)) for i in patterns) / 2**clusters
    extreme = sum(is_extreme(uniform() < 0.5 for _ in sums) for _ in range(draws))
    return (extreme + 1) / (draws + 1)
