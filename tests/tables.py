"""Row tables for tests, written the way one would draw them."""

from collections.abc import Mapping, Sequence

import numpy as np

from gate.core.records.objections import Objection
from gate.core.records.rows import Column, RowNotes, RowTable

Value = float | bool | None


def column(values: Sequence[Value]) -> Column:
    """A metric; None = not measured."""
    return Column(
        np.array([0.0 if value is None else float(value) for value in values]),
        np.array([value is not None for value in values], dtype=np.bool_),
    )


def table(
    ids: Sequence[str] | int,
    *,
    types: Sequence[str | None] | None = None,
    clusters: Sequence[str] | None = None,
    repeats: Sequence[str] | None = None,
    errored: Sequence[int] = (),
    judge_errors: Sequence[int] = (),
    abstentions: Sequence[int] = (),
    gold_ranks: Sequence[int] | None = None,
    rankings: Sequence[str | None] | None = None,
    content_hashes: Sequence[str | None] | None = None,
    fingerprints: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    native: bool = False,
    notes: RowNotes = RowNotes(),  # noqa: B008 - frozen
    shortfalls: Mapping[str, int] | None = None,
    objections: tuple[Objection, ...] = (),
    applies_to: Mapping[str, int] | None = None,
    **metrics: Sequence[Value],
) -> RowTable:
    """A table of questions q000, q001, … or of the given ids; metric names write `_at_` for `@`."""
    names = tuple(f"q{number:03d}" for number in range(ids)) if isinstance(ids, int) else tuple(ids)
    return RowTable(
        ids=names,
        types=None if types is None else tuple(types),
        clusters=None if clusters is None else tuple(clusters),
        repeats=None if repeats is None else tuple(repeats),
        metrics={name.replace("_at_", "@"): column(values) for name, values in metrics.items()},
        errored=_mask(len(names), errored),
        judge_errors=_mask(len(names), judge_errors),
        abstentions=_mask(len(names), abstentions),
        gold_ranks=None if gold_ranks is None else np.array(gold_ranks, dtype=np.int32),
        rankings=None if rankings is None else tuple(rankings),
        content_hashes=None if content_hashes is None else tuple(content_hashes),
        fingerprints=dict(fingerprints or {}),
        units=dict(units or {}),
        native=native,
        notes=notes,
        shortfalls=dict(shortfalls or {}),
        objections=objections,
        applies_to=dict(applies_to or {}),
    )


def _mask(size: int, rows: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    mask = np.zeros(size, dtype=np.bool_)
    mask[list(rows)] = True
    return mask
