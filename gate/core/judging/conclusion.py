"""The verdict of a whole run: what decides among the cycles, what stopped them, and whether judges are believed."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from gate.core.judging.batches import BatchSlots, combined
from gate.core.judging.cycles import CyclePolicy, Decision, decision, settled
from gate.core.judging.panel import PanelResult, aggregate
from gate.core.judging.reliability import Floor, Measured, measured, unreliable
from gate.core.judging.rubric import Rubric

StopCause = Literal["budget_exhausted", "deadline", "cancelled"]
PanelReason = Literal[
    "panel_fail", "panel_inconclusive", "judge_unreliable", "budget_exhausted", "deadline", "cancelled"
]


class Rules(Struct, frozen=True, kw_only=True):
    """What was settled before the first call."""

    rubric: Rubric
    cycles: int
    policy: CyclePolicy = "last"
    floor: Floor = Floor()


class Stopped(Struct, frozen=True, kw_only=True):
    """What ended a run before its cycles did; `detail` is a sentence for the reader."""

    cause: StopCause
    detail: str


class Conclusion(Struct, frozen=True, kw_only=True):
    """A run's verdict; `reason` None = it passed. `decision` is None where no cycle decides."""

    result: PanelResult
    reason: PanelReason | None
    decision: Decision | None
    agreement: Measured


def conclude(cycles: Sequence[BatchSlots], rules: Rules, stopped: Stopped | None = None) -> Conclusion:
    """The verdict over the cycles that ran to their end."""
    agreement = measured(cycles, rules.rubric.names)
    if stopped is not None and not _stands(cycles, rules, stopped):
        ran = f"{len(cycles)} of {rules.cycles} cycle{'s' * (rules.cycles != 1)} ran"
        return Conclusion(
            result=_inconclusive(f"{stopped.detail} ({ran})"),
            reason=stopped.cause,
            decision=None,
            agreement=agreement,
        )
    if not cycles:
        return Conclusion(
            result=_inconclusive("no cycle was asked for (--cycles 0)"),
            reason="panel_inconclusive",
            decision=None,
            agreement=agreement,
        )
    return _believed(decision(cycles, rules.policy, rules.rubric), agreement, rules.floor)


def _stands(cycles: Sequence[BatchSlots], rules: Rules, stopped: Stopped) -> bool:
    """Whether the cycles that ran decide although the run was stopped.

    A cancelled run never does. Otherwise a FAIL that would have been tried again stays a FAIL, and what was
    settled stays settled; a PASS that needed more cycles is none.
    """
    if stopped.cause == "cancelled" or not cycles:
        return False
    verdicts = [aggregate(combined(batches), rules.rubric).verdict for batches in cycles]
    return rules.policy == "last" or settled(verdicts, rules.policy)


def _believed(decided: Decision, agreement: Measured, floor: Floor) -> Conclusion:
    result = decided.result
    doubt = None if result.verdict == "inconclusive" else unreliable(agreement, floor)
    if doubt is not None:
        message = f"INCONCLUSIVE: the judges disagree too much to be believed: {doubt}. {result.message}"
        result = replace(result, verdict="inconclusive", message=message)
        return Conclusion(result=result, reason="judge_unreliable", decision=decided, agreement=agreement)
    reason = _REASONS[result.verdict]
    return Conclusion(result=result, reason=reason, decision=decided, agreement=agreement)


def _inconclusive(detail: str) -> PanelResult:
    return PanelResult(verdict="inconclusive", message=f"INCONCLUSIVE: {detail}.", contributors=0)


_REASONS: dict[str, PanelReason | None] = {
    "pass": None,
    "fail": "panel_fail",
    "inconclusive": "panel_inconclusive",
}
