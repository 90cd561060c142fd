"""Two tables of rows become pairs: joined by question id, one pair a question, leftovers listed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from gate.core.records.rows import Column, RowTable
from gate.errors import EvidenceError

ABSTENTION_FREE: Final = "recall"
"""Metrics whose name starts so leave abstention questions outside their denominator."""
JUDGED: Final = "qa_accuracy"

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Pairing:
    """How questions without a plain value are treated.

    `judge_errors`: a question whose judge failed is left out ("dropped", what the contract does) or counts as
    answered wrongly ("wrong", what the gate does). `abstentions`: questions that have no answer stay outside
    recall, or inside.
    """

    judge_errors: Literal["dropped", "wrong"] = "wrong"
    abstentions: Literal["outside-recall", "inside"] = "outside-recall"


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Two tables with one row per question, and which rows belong together.

    `left` and `right` index the rows of `baseline` and `candidate`, shape (joined,), in baseline file order.
    """

    baseline: RowTable
    candidate: RowTable
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    baseline_only: tuple[str, ...]
    candidate_only: tuple[str, ...]
    changed: tuple[str, ...]
    """Questions on both sides whose content hash differs: not the same question any more, left out."""


@dataclass(frozen=True, slots=True, eq=False)
class MetricPairs:
    """One metric of two joined tables: arrays of shape (pairs,), and what did not become a pair."""

    rows: NDArray[np.intp]
    """Positions in `Joined.left`/`Joined.right`."""
    ids: tuple[str, ...]
    types: tuple[str | None, ...] | None
    clusters: tuple[str, ...]
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    not_measured: int
    """Joined questions with a value on one side only, or on neither."""
    judge_errors: int
    abstentions: int
    """Joined questions left out because they are abstentions."""


def join(baseline: RowTable, candidate: RowTable) -> Joined:
    """Pair the questions of two tables by id; repeats are averaged first."""
    left_table, right_table = per_question(baseline), per_question(candidate)
    left, right = _matching_rows(left_table.ids, right_table.ids)
    same = _same_content(left_table, right_table, left, right)
    return Joined(
        baseline=left_table,
        candidate=right_table,
        left=left[same],
        right=right[same],
        baseline_only=_others(left_table.ids, left),
        candidate_only=_others(right_table.ids, right),
        changed=tuple(left_table.ids[row] for row in left[~same]),
    )


def pair(joined: Joined, metric: str, pairing: Pairing) -> MetricPairs:
    """The pairs of one metric, in baseline file order; a metric that a side lacks gives no pairs."""
    base_values, base_present = measured(joined.baseline, metric, pairing)
    cand_values, cand_present = measured(joined.candidate, metric, pairing)
    outside = _outside(joined, metric, pairing)
    both = base_present[joined.left] & cand_present[joined.right] & ~outside
    rows = np.flatnonzero(both)
    left, right = joined.left[rows], joined.right[rows]
    ids = _pick(joined.baseline.ids, left)
    return MetricPairs(
        rows=rows,
        ids=ids,
        types=_stated(joined.baseline.types, left, joined.candidate.types, right),
        clusters=_stated(joined.baseline.clusters, left, joined.candidate.clusters, right) or ids,
        baseline=base_values[left],
        candidate=cand_values[right],
        not_measured=_not_measured(joined, metric, int(np.count_nonzero(~outside)), rows.size),
        judge_errors=_judge_errors(joined, metric, outside),
        abstentions=int(np.count_nonzero(outside)),
    )


def _not_measured(joined: Joined, metric: str, inside: int, paired: int) -> int:
    """The questions of both sides that lack a value: of those the metric is meant for, where both sides say it."""
    meant = [side.applies_to.get(metric, inside) for side in (joined.baseline, joined.candidate)]
    return max(min(inside, max(meant)) - paired, 0)


def measured(table: RowTable, metric: str, pairing: Pairing) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Values and presence of a metric in a table, shape (rows,); judge errors as the pairing says."""
    column = table.metrics.get(metric)
    if column is None:
        column = Column(np.zeros(len(table)), np.zeros(len(table), dtype=np.bool_))
    if metric != JUDGED or pairing.judge_errors == "dropped" or not table.judge_errors.any():
        return column.values, column.present
    values = np.where(table.judge_errors, 0.0, column.values)
    return values, column.present | table.judge_errors


def abstention_rows(table: RowTable, metric: str, pairing: Pairing) -> NDArray[np.bool_]:
    """Which rows stay outside the denominator of a metric, shape (rows,)."""
    if pairing.abstentions == "inside" or not metric.startswith(ABSTENTION_FREE):
        return np.zeros(len(table), dtype=np.bool_)
    return table.abstentions


def per_question(table: RowTable) -> RowTable:
    """One row a question: repeats are averaged metric by metric, over the repeats that were measured."""
    if table.repeats is None or len(set(table.ids)) == len(table.ids):
        return table
    first: dict[str, int] = {}
    group = np.array([first.setdefault(key, len(first)) for key in table.ids], dtype=np.intp)
    heads = np.unique(group, return_index=True)[1]
    size = len(first)
    return replace(
        table,
        ids=tuple(first),
        types=None if table.types is None else _pick(table.types, heads),
        clusters=None if table.clusters is None else _pick(table.clusters, heads),
        repeats=None,
        metrics={name: _averaged(column, group, size) for name, column in table.metrics.items()},
        errored=_any(table.errored, group, size),
        judge_errors=_any(table.judge_errors, group, size),
        abstentions=_any(table.abstentions, group, size),
        gold_ranks=None if table.gold_ranks is None else table.gold_ranks[heads],
        rankings=None if table.rankings is None else _pick(table.rankings, heads),
        content_hashes=None if table.content_hashes is None else _pick(table.content_hashes, heads),
    )


def rankings_changed(joined: Joined) -> int | None:
    """How many joined questions were answered with another ranking; None where the rows do not say."""
    before, after = joined.baseline.rankings, joined.candidate.rankings
    if before is None or after is None:
        return None
    pairs = [(before[i], after[j]) for i, j in zip(joined.left, joined.right, strict=True)]
    known = [(old, new) for old, new in pairs if old is not None and new is not None]
    return sum(old != new for old, new in known) if known else None


def _matching_rows(
    left: tuple[str, ...], right: tuple[str, ...]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if left == right:
        every = np.arange(len(left), dtype=np.intp)
        return every, every
    position = {key: row for row, key in enumerate(right)}
    found = np.array([position.get(key, -1) for key in left], dtype=np.intp)
    matched = np.flatnonzero(found >= 0)
    return matched, found[matched]


def _same_content(
    baseline: RowTable, candidate: RowTable, left: NDArray[np.intp], right: NDArray[np.intp]
) -> NDArray[np.bool_]:
    before, after = baseline.content_hashes, candidate.content_hashes
    if before is None or after is None:
        return np.ones(left.size, dtype=np.bool_)
    pairs = zip(left, right, strict=True)
    return np.array(
        [before[i] == after[j] or None in (before[i], after[j]) for i, j in pairs], dtype=np.bool_
    )


def _others(ids: tuple[str, ...], rows: NDArray[np.intp]) -> tuple[str, ...]:
    if rows.size == len(ids):
        return ()
    left_out = np.ones(len(ids), dtype=np.bool_)
    left_out[rows] = False
    return _pick(ids, np.flatnonzero(left_out))


def _outside(joined: Joined, metric: str, pairing: Pairing) -> NDArray[np.bool_]:
    before = abstention_rows(joined.baseline, metric, pairing)[joined.left]
    after = abstention_rows(joined.candidate, metric, pairing)[joined.right]
    outside: NDArray[np.bool_] = before | after
    return outside


def _judge_errors(joined: Joined, metric: str, outside: NDArray[np.bool_]) -> int:
    if metric != JUDGED:
        return 0
    either = joined.baseline.judge_errors[joined.left] | joined.candidate.judge_errors[joined.right]
    return int(np.count_nonzero(either & ~outside))


def _averaged(column: Column, group: NDArray[np.intp], size: int) -> Column:
    weights = np.where(column.present, column.values, 0.0)
    totals = np.bincount(group, weights=weights, minlength=size)
    counts = np.bincount(group, weights=column.present.astype(np.float64), minlength=size)
    return Column(np.divide(totals, counts, out=np.zeros(size), where=counts > 0), counts > 0)


def _any(mask: NDArray[np.bool_], group: NDArray[np.intp], size: int) -> NDArray[np.bool_]:
    return np.bincount(group, weights=mask.astype(np.float64), minlength=size) > 0


def _stated(
    baseline: Sequence[_T] | None,
    left: NDArray[np.intp],
    candidate: Sequence[_T] | None,
    right: NDArray[np.intp],
) -> tuple[_T, ...] | None:
    """What the baseline says of its questions, or the candidate where the baseline does not say."""
    if baseline is not None:
        return _pick(baseline, left)
    return None if candidate is None else _pick(candidate, right)


def _pick(items: Sequence[_T], rows: NDArray[np.intp]) -> tuple[_T, ...]:
    return tuple(map(items.__getitem__, rows.tolist()))


def refuse_overflow(metric: str, pairs: MetricPairs) -> None:
    """EvidenceError when values are so large that sums over the questions could leave the range of a double."""
    largest = max(float(np.abs(pairs.baseline).max()), float(np.abs(pairs.candidate).max()))
    if not math.isfinite(2 * largest * pairs.rows.size**2):
        raise too_large(metric, largest)


def too_large(metric: str, largest: float) -> EvidenceError:
    """The error for values whose sum is no number any more."""
    return EvidenceError(
        f"{metric}: values up to {largest:g} are too large to be added up",
        remedy="write the metric in a larger unit, or leave the field out of the rows",
    )


def columns_in_both(joined: Joined) -> tuple[str, ...]:
    """The metrics both tables know, in the baseline's order."""
    known: Mapping[str, Column] = joined.candidate.metrics
    return tuple(name for name in joined.baseline.metrics if name in known)
