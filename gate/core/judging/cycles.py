"""Which of several cycles decides, and when no further one is worth its money.

last    the contract: the last cycle decides; a PASS and an INCONCLUSIVE end the run, a FAIL is tried again. That
        is a best of several, and flatters.
all     every cycle must pass; the first that does not ends the run and decides.
median  all cycles are run; every judge's scores are the medians over them. An INCONCLUSIVE ends the run and decides.
"""

from collections.abc import Sequence
from statistics import median
from typing import Literal, assert_never

from msgspec import Struct

from gate.core.judging.batches import BatchSlots, combined
from gate.core.judging.panel import PanelResult, aggregate
from gate.core.judging.rubric import Rubric
from gate.core.judging.slots import Slot
from gate.core.records.takes_receipt import PanelVerdict

CyclePolicy = Literal["last", "all", "median"]


class Decision(Struct, frozen=True, kw_only=True):
    """What decides: the panel's result, and the slots of every batch it comes from."""

    result: PanelResult
    batches: BatchSlots


def settled(verdicts: Sequence[PanelVerdict], policy: CyclePolicy) -> bool:
    """Whether the cycles so far decide, so that no further one is needed."""
    if not verdicts:
        return False
    latest = verdicts[-1]
    match policy:
        case "last":
            return latest != "fail"
        case "all":
            return latest != "pass"
        case "median":
            return latest == "inconclusive"
        case _:
            assert_never(policy)


def decision(cycles: Sequence[BatchSlots], policy: CyclePolicy, rubric: Rubric) -> Decision:
    """What the cycles that ran come to; at least one."""
    results = [aggregate(combined(batches), rubric) for batches in cycles]
    index = _deciding([result.verdict for result in results], policy)
    if index is not None:
        return Decision(result=results[index], batches=cycles[index])
    medians = tuple(
        tuple(_median_slot(slots) for slots in zip(*of_batch, strict=True))
        for of_batch in zip(*cycles, strict=True)
    )
    return Decision(result=aggregate(combined(medians), rubric), batches=medians)


def _deciding(verdicts: Sequence[PanelVerdict], policy: CyclePolicy) -> int | None:
    """The cycle that decides by itself; None = the medians of all do."""
    last = len(verdicts) - 1
    match policy:
        case "last":
            return last
        case "all":
            return next((i for i, verdict in enumerate(verdicts) if verdict != "pass"), last)
        case "median":
            return next((i for i, verdict in enumerate(verdicts) if verdict == "inconclusive"), None)
        case _:
            assert_never(policy)


def _median_slot(slots: Sequence[Slot]) -> Slot:
    """A judge's medians over the cycles it scored, when those are more than half; else its last error."""
    complete = [slot for slot in slots if slot.error is None]
    if 2 * len(complete) <= len(slots):
        return next(slot for slot in reversed(slots) if slot.error is not None)
    return Slot(
        model=slots[0].model,
        scores={name: median(slot.scores[name] for slot in complete) for name in complete[0].scores},
        improvements=tuple(each for slot in complete for each in slot.improvements),
    )
