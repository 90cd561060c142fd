"""One row a question, or one for each of its repeats."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from gate.core.records.rows import Column, RowTable
from gate.errors import EvidenceError

Duplicates = Literal["refused", "last-wins"]
"""What happens when a question has a second row: an error, or the contract's way (§2.4)."""

_T = TypeVar("_T")


def unique_rows(
    table: RowTable, duplicates: Duplicates, *, name: str, line_of: Callable[[int], int]
) -> RowTable:
    """The table with one row per (question, repeat).

    "last-wins" keeps the last row at the place of the first and counts what it dropped; "refused" raises
    EvidenceError, which names both lines by `line_of` (row → line).
    """
    keys: Sequence[Hashable] = table.ids
    if table.repeats is not None:
        keys = tuple(zip(table.ids, table.repeats, strict=True))
    if len(set(keys)) == len(keys):
        return table
    if duplicates == "refused":
        raise _duplicate(table, keys, name=name, line_of=line_of)
    last = {key: row for row, key in enumerate(keys)}
    kept = taken(table, np.fromiter(last.values(), dtype=np.intp, count=len(last)))
    return replace(kept, notes=replace(table.notes, duplicate_ids=len(keys) - len(last)))


def taken(table: RowTable, rows: NDArray[np.intp]) -> RowTable:
    """The rows at these positions, in this order."""
    return replace(
        table,
        ids=_picked(table.ids, rows),
        types=table.types and _picked(table.types, rows),
        clusters=table.clusters and _picked(table.clusters, rows),
        repeats=table.repeats and _picked(table.repeats, rows),
        metrics={
            name: Column(column.values[rows], column.present[rows]) for name, column in table.metrics.items()
        },
        errored=table.errored[rows],
        judge_errors=table.judge_errors[rows],
        abstentions=table.abstentions[rows],
        gold_ranks=None if table.gold_ranks is None else table.gold_ranks[rows],
        rankings=table.rankings and _picked(table.rankings, rows),
        content_hashes=table.content_hashes and _picked(table.content_hashes, rows),
    )


def _picked(items: Sequence[_T], rows: NDArray[np.intp]) -> tuple[_T, ...]:
    return tuple(map(items.__getitem__, rows.tolist()))


def _duplicate(
    table: RowTable, keys: Sequence[Hashable], *, name: str, line_of: Callable[[int], int]
) -> EvidenceError:
    first: dict[Hashable, int] = {}
    again = next(row for row, key in enumerate(keys) if first.setdefault(key, row) != row)
    before = first[keys[again]]
    repeat = table.repeats[again] if table.repeats else ""
    what = f"question `{table.ids[again]}`" + (f", repeat `{repeat}`," if repeat else "")
    return EvidenceError(
        f"{name}, line {line_of(again)}: {what} was in line {line_of(before)} already",
        remedy="keep one row a question, or give each row of a repeated question its own `repeat`",
    )
