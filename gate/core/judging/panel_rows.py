"""The rows of a run: one per batch and judge, so that two runs over the same takes can be compared pair by pair."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gate.core.judging.batches import BatchSlots
from gate.core.judging.slots import Slot
from gate.core.records.rows import Column, RowTable


def panel_rows(
    batches: BatchSlots, names: Sequence[str], corpus: Sequence[str], fingerprints: Mapping[str, str]
) -> RowTable:
    """One row per batch × model, its five scores as metrics; a slot without all scores is an errored row.

    Judges of one batch read the same takes, so the batch is the cluster. `corpus` holds each batch's corpus_sha8:
    a batch whose takes changed is not compared. A model that stands in the panel twice gets "#2" the second time.
    """
    placed = [
        (number, slot, _name(slots, place))
        for number, slots in enumerate(batches, 1)
        for place, slot in enumerate(slots)
    ]
    return RowTable(
        ids=tuple(f"batch-{number:03d}/{name}" for number, _, name in placed),
        types=tuple(slot.model for _, slot, _ in placed),
        clusters=tuple(f"batch-{number:03d}" for number, _, _ in placed),
        repeats=None,
        metrics={name: _column([slot for _, slot, _ in placed], name) for name in names},
        errored=_flags(placed, lambda slot: slot.error is not None and slot.malformed is None),
        judge_errors=_flags(placed, lambda slot: slot.malformed is not None),
        abstentions=np.zeros(len(placed), dtype=np.bool_),
        content_hashes=tuple(corpus[number - 1] for number, _, _ in placed),
        fingerprints=fingerprints,
    )


def _name(slots: Sequence[Slot], place: int) -> str:
    model = slots[place].model
    earlier = sum(slot.model == model for slot in slots[:place])
    return f"{model}#{earlier + 1}" if earlier else model


def _column(slots: Sequence[Slot], name: str) -> Column:
    present = [slot.error is None for slot in slots]
    values = [slot.scores[name] if slot.error is None else 0.0 for slot in slots]
    return Column(np.array(values, dtype=np.float64), np.array(present, dtype=np.bool_))


def _flags(
    placed: Sequence[tuple[int, Slot, str]], holds: Callable[[Slot], bool]
) -> "np.typing.NDArray[np.bool_]":
    return np.array([holds(slot) for _, slot, _ in placed], dtype=np.bool_)
