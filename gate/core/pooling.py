"""Several attempts at one run become one table: attempts are repeats, and no single one decides."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gate.core.records.objections import Objection
from gate.core.records.rows import UNKNOWN_RANK, Column, RowTable
from gate.core.records.stopped import STOPPED


def pooled(attempts: Sequence[RowTable]) -> RowTable:
    """The rows of all attempts, oldest first, each marked with its attempt; one attempt is left as it is.

    What an attempt does not state (types, clusters, ranks) is unknown for its rows.
    """
    first = attempts[0]
    if len(attempts) == 1:
        return first
    metrics = tuple(dict.fromkeys(name for table in attempts for name in table.metrics))
    return replace(
        first,
        ids=_joined([table.ids for table in attempts]),
        types=_optional(attempts, "types"),
        clusters=_clusters(attempts),
        repeats=_joined([_repeats(number, table) for number, table in enumerate(attempts, start=1)]),
        metrics={name: _column(attempts, name) for name in metrics},
        errored=_masks([table.errored for table in attempts]),
        judge_errors=_masks([table.judge_errors for table in attempts]),
        abstentions=_masks([table.abstentions for table in attempts]),
        gold_ranks=_ranks(attempts),
        rankings=_optional(attempts, "rankings"),
        content_hashes=_optional(attempts, "content_hashes"),
        fingerprints=_stated([table.fingerprints for table in attempts]),
        units=_stated([table.units for table in attempts]),
        applies_to=_most([table.applies_to for table in attempts]),
        shortfalls=_shortfalls(attempts),
        objections=_objections(attempts),
    )


def _shortfalls(attempts: Sequence[RowTable]) -> dict[str, int]:
    """What any attempt went without; but an attempt that did not go to its end is made good by a later one."""
    guards: Counter[str] = Counter()
    for table in attempts:
        guards.update({reason: count for reason, count in table.shortfalls.items() if reason not in STOPPED})
    return {**guards, **{reason: n for reason, n in attempts[-1].shortfalls.items() if reason in STOPPED}}


def _objections(attempts: Sequence[RowTable]) -> tuple[Objection, ...]:
    """What any attempt holds against itself; likewise not that it did not go to its end."""
    lasting = [each for table in attempts for each in table.objections if each.reason not in STOPPED]
    ended = [each for each in attempts[-1].objections if each.reason in STOPPED]
    return tuple(dict.fromkeys((*lasting, *ended)))


def _most(sides: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Attempts ask the same questions: the largest count is that of a whole one."""
    names = dict.fromkeys(name for side in sides for name in side)
    return {name: max(side.get(name, 0) for side in sides) for name in names}


def _repeats(attempt: int, table: RowTable) -> tuple[str, ...]:
    if table.repeats is None:
        return (f"attempt {attempt}",) * len(table)
    return tuple(f"attempt {attempt}, {repeat}" for repeat in table.repeats)


def _joined(parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(item for part in parts for item in part)


def _optional(attempts: Sequence[RowTable], name: str) -> tuple[str | None, ...] | None:
    parts: list[tuple[str | None, ...] | None] = [getattr(table, name) for table in attempts]
    if all(part is None for part in parts):
        return None
    filled = [part or (None,) * len(table) for part, table in zip(parts, attempts, strict=True)]
    return tuple(item for part in filled for item in part)


def _clusters(attempts: Sequence[RowTable]) -> tuple[str, ...] | None:
    if all(table.clusters is None for table in attempts):
        return None
    return _joined([table.clusters or table.ids for table in attempts])


def _column(attempts: Sequence[RowTable], name: str) -> Column:
    parts = [table.metrics.get(name) or _absent(len(table)) for table in attempts]
    return Column(
        np.concatenate([part.values for part in parts]), np.concatenate([part.present for part in parts])
    )


def _absent(size: int) -> Column:
    return Column(np.zeros(size), np.zeros(size, dtype=np.bool_))


def _masks(masks: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
    return np.concatenate(masks)


def _ranks(attempts: Sequence[RowTable]) -> NDArray[np.int32] | None:
    if all(table.gold_ranks is None for table in attempts):
        return None
    unknown = [np.full(len(table), UNKNOWN_RANK, dtype=np.int32) for table in attempts]
    return np.concatenate(
        [
            blank if table.gold_ranks is None else table.gold_ranks
            for table, blank in zip(attempts, unknown, strict=True)
        ]
    )


def _stated(sides: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What the attempts state; where they disagree, that they do: mixed matches nothing."""
    names = dict.fromkeys(name for side in sides for name in side)
    return {name: _agreed([side[name] for side in sides if name in side]) for name in names}


def _agreed(values: Sequence[str]) -> str:
    different = sorted(set(values))
    return different[0] if len(different) == 1 else f"mixed: {', '.join(different)}"
