"""The questions whose gated values changed, worst first."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from gate.core.findings import Findings, Measurement
from gate.core.records.ecmascript import utf16_key
from gate.core.records.rows import NOT_FOUND, UNKNOWN_RANK
from gate.core.report import Flip

KEPT: Final = 50
"""How many flips a receipt keeps; the rest are counted."""


def flips(findings: Findings, gated: Sequence[str], broken_types: frozenset[str]) -> tuple[Flip, ...]:
    """Every question whose value of a gated metric changed: broken types first, then by size of the loss."""
    better = {found.metric: found.spec.better for found in findings.measurements}
    found = [
        flip
        for measurement in findings.measurements
        if measurement.metric in gated
        for flip in _changed(findings, measurement)
    ]
    return tuple(sorted(found, key=lambda flip: _badness(flip, better[flip.metric], broken_types)))


def _changed(findings: Findings, measurement: Measurement) -> Iterator[Flip]:
    pairs, joined = measurement.pairs, findings.joined
    if pairs is None or joined is None or measurement.incomparable:
        return
    for position in np.flatnonzero(pairs.baseline != pairs.candidate).tolist():
        row = pairs.rows[position]
        yield Flip(
            question_id=pairs.ids[position],
            question_type=None if pairs.types is None else pairs.types[position],
            suite=findings.evidence.planned.name,
            metric=measurement.metric,
            baseline=float(pairs.baseline[position]),
            candidate=float(pairs.candidate[position]),
            rank_before=_rank(joined.baseline.gold_ranks, int(joined.left[row])),
            rank_after=_rank(joined.candidate.gold_ranks, int(joined.right[row])),
        )


def _rank(ranks: "np.ndarray[tuple[int], np.dtype[np.int32]] | None", row: int) -> int | None:
    if ranks is None or ranks[row] == UNKNOWN_RANK:
        return None
    return int(ranks[row])


def _badness(flip: Flip, better: str | None, broken: frozenset[str]) -> tuple[bool, float, float, bytes, str]:
    gain = flip.candidate - flip.baseline
    oriented = -gain if better == "lower" else gain
    return (
        oriented >= 0 or flip.question_type not in broken,
        oriented,
        -_fall(flip),
        utf16_key(flip.question_id),
        flip.metric,
    )


def _fall(flip: Flip) -> float:
    """How far the gold document fell; out of the list altogether is the longest fall."""
    if flip.rank_before is None or flip.rank_after is None:
        return 0.0
    after = float("inf") if flip.rank_after == NOT_FOUND else float(flip.rank_after)
    before = float("inf") if flip.rank_before == NOT_FOUND else float(flip.rank_before)
    return 0.0 if after == before else after - before
