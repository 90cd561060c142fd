"""What a BrainBench run holds against itself: what got worse, what is too low, and why it cannot be told."""

from collections.abc import Iterator
from typing import Final

from gate.core.brainbench.decision import Decision
from gate.core.records.objection_texts import fitted
from gate.core.records.objections import Objection

COMPARED: Final = "brainbench is compared with its baseline"


def objections(decision: Decision) -> tuple[Objection, ...]:
    """Nothing for a run that passes; what is justified or allowed is no objection."""
    return fitted(tuple(_found(decision)))


def _found(decision: Decision) -> Iterator[Objection]:
    sides = (("regression", decision.counted), ("threshold_missed", decision.below))
    for reason, breaches in sides:
        for each in breaches:
            yield Objection(f"{each.cell} {each.metric}", reason, f"{each.cell} {each.metric}: {each.detail}")
    if decision.open is not None:
        yield Objection(COMPARED, decision.open, "; ".join(decision.notes) or "it cannot be told")
