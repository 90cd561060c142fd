"""Several batches of one sample become one panel: a model's score is its mean over the batches it scored.

A single batch is the contract's case and passes through untouched. With several, a model contributes when it gave
all scores for at least two thirds of them; what it missed stands in the receipt's cycles.
"""

from collections.abc import Sequence

from gate.core.judging.panel import mean
from gate.core.judging.slots import Slot

BatchSlots = tuple[tuple[Slot, ...], ...]
"""Batches of one cycle, each with its slots in the order of the panel."""


def combined(batches: Sequence[Sequence[Slot]]) -> tuple[Slot, ...]:
    """One slot per place in the panel."""
    if len(batches) == 1:
        return tuple(batches[0])
    return tuple(_over_batches(slots) for slots in zip(*batches, strict=True))


def _over_batches(slots: Sequence[Slot]) -> Slot:
    complete = [slot for slot in slots if slot.error is None]
    if 3 * len(complete) < 2 * len(slots):
        return _failed(slots)
    return Slot(
        model=slots[0].model,
        scores={name: mean([slot.scores[name] for slot in complete]) for name in complete[0].scores},
        improvements=tuple(each for slot in complete for each in slot.improvements),
    )


def _failed(slots: Sequence[Slot]) -> Slot:
    failed = [(number, slot.error) for number, slot in enumerate(slots, 1) if slot.error is not None]
    number, error = failed[0]
    more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
    return Slot(model=slots[0].model, error=f"{error} (batch {number} of {len(slots)}{more})")
