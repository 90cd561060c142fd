"""How far the answers to captured queries have moved, query by query and in sum."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gate.core.replay.captures import Capture
from gate.core.replay.thresholds import Thresholds

LEAST_LIMIT: Final = 20
EMPTY_QUERY: Final = "empty query"

BreachName = Literal["mean_jaccard@k", "top1_stability_rate", "latency_ratio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """One replayed query. `jaccard` compares everything found, as the contract does; `jaccard_at_k` the first k.

    The latency is in milliseconds; its delta is None, and it is not over, where the capture knows none.
    """

    jaccard: float
    jaccard_at_k: float
    k: int
    top1_match: bool
    latency_ms: float
    latency_delta_ms: float | None
    over_2x_latency: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A replay in sum. The means are over the replayed rows, None when there are none.

    The `counted_` means are over the errored rows too, which found nothing: 0.
    """

    rows_total: int
    rows_replayed: int
    rows_skipped: int
    rows_errored: int
    mean_jaccard: float | None
    mean_jaccard_at_k: float | None
    top1_stability_rate: float | None
    mean_latency_delta_ms: float | None
    rows_over_2x_latency: int
    counted_mean_jaccard_at_k: float | None
    counted_top1_stability_rate: float | None
    latency_ratio: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A threshold that was missed; `observed` None = nothing could be measured."""

    metric: BreachName
    observed: float | None
    threshold: float


def limit_of(capture: Capture, compare_limit: int | None) -> int:
    """How many pages to ask for: as told, else as many as were captured, at least LEAST_LIMIT."""
    return compare_limit if compare_limit is not None else max(len(capture.slugs), LEAST_LIMIT)


def jaccard(left: Iterable[str], right: Iterable[str]) -> float:
    """What two sets share of what they hold together; two empty ones are equal."""
    one, other = frozenset(left), frozenset(right)
    together = len(one | other)
    return len(one & other) / together if together else 1.0


def compared(
    capture: Capture, pages: Sequence[str], latency_ms: float, *, compare_limit: int | None = None
) -> Stability:
    """One capture against the pages found now, best first, each once.

    k is the compare limit, else the number of captured pages, at least 1.
    """
    k = compare_limit if compare_limit is not None else max(len(capture.slugs), 1)
    then = capture.latency_ms
    return Stability(
        jaccard=jaccard(capture.slugs, pages),
        jaccard_at_k=jaccard(capture.slugs[:k], pages[:k]),
        k=k,
        top1_match=bool(capture.slugs) and tuple(pages[:1]) == capture.slugs[:1],
        latency_ms=latency_ms,
        latency_delta_ms=None if then is None else latency_ms - then,
        over_2x_latency=then is not None and latency_ms > 2 * then,
    )


def summarise(
    replayed: Sequence[Stability], *, errored: int, skipped: int, baseline_mean_ms: float | None
) -> Summary:
    """The sum of a replay; the latency ratio is None where the baseline's mean is none to divide by."""
    deltas = [row.latency_delta_ms for row in replayed if row.latency_delta_ms is not None]
    delta = _mean(deltas, 0)
    whole = [row.jaccard for row in replayed]
    cut = [row.jaccard_at_k for row in replayed]
    top1 = [float(row.top1_match) for row in replayed]
    return Summary(
        rows_total=len(replayed) + errored + skipped,
        rows_replayed=len(replayed),
        rows_skipped=skipped,
        rows_errored=errored,
        mean_jaccard=_mean(whole, 0),
        mean_jaccard_at_k=_mean(cut, 0),
        top1_stability_rate=_mean(top1, 0),
        mean_latency_delta_ms=delta,
        rows_over_2x_latency=sum(row.over_2x_latency for row in replayed),
        counted_mean_jaccard_at_k=_mean(cut, errored),
        counted_top1_stability_rate=_mean(top1, errored),
        latency_ratio=_ratio(baseline_mean_ms, delta),
    )


def breaches(summary: Summary, thresholds: Thresholds) -> tuple[Breach, ...]:
    """Every threshold that was missed; a value equal to its threshold holds, one that is unknown does not.

    The Jaccard that is judged is the one cut at k: the contract's, which nothing cuts, falls with every result
    that is asked for beyond the captured ones. The latency is judged only where the baseline knows its own.
    """
    floors: tuple[tuple[BreachName, float | None, float], ...] = (
        ("mean_jaccard@k", summary.counted_mean_jaccard_at_k, thresholds.jaccard),
        ("top1_stability_rate", summary.counted_top1_stability_rate, thresholds.top1),
    )
    missed = [
        Breach(metric=name, observed=seen, threshold=floor)
        for name, seen, floor in floors
        if seen is None or not seen >= floor
    ]
    ratio = summary.latency_ratio
    if ratio is not None and not ratio <= thresholds.latency_multiplier:
        missed.append(Breach(metric="latency_ratio", observed=ratio, threshold=thresholds.latency_multiplier))
    return tuple(missed)


def _mean(values: Sequence[float], zeros: int) -> float | None:
    """The mean of the values and so many zeros; None when there is nothing at all."""
    count = len(values) + zeros
    return math.fsum(values) / count if count else None


def _ratio(baseline_mean_ms: float | None, delta: float | None) -> float | None:
    if baseline_mean_ms is None or baseline_mean_ms <= 0 or delta is None:
        return None
    return (baseline_mean_ms + delta) / baseline_mean_ms
