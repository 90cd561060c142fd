"""One cycle's slots become PASS, FAIL or INCONCLUSIVE: the contract's rules, and its sentences to the letter."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct

from gate.core.judging.rubric import Rubric
from gate.core.judging.slots import Slot
from gate.core.records.ecmascript import math_round, number_text
from gate.core.records.takes_receipt import DimensionScores, PanelVerdict, SlotError

MOST_IMPROVEMENTS: Final = 10
_TELLING_LETTERS: Final = 40


class PanelResult(Struct, frozen=True, kw_only=True):
    """What a panel came to. `scores` is empty and `overall` None where too few models contributed."""

    verdict: PanelVerdict
    message: str
    contributors: int
    scores: Mapping[str, DimensionScores] = {}
    overall: float | None = None
    improvements: tuple[str, ...] = ()
    errors: tuple[SlotError, ...] = ()


def aggregate(slots: Sequence[Slot], rubric: Rubric) -> PanelResult:
    """The verdict of one cycle: every slot that gave all scores contributes, in the order of the panel."""
    contributors = [slot for slot in slots if slot.error is None]
    errors = tuple(
        SlotError(model_id=slot.model, error=slot.error) for slot in slots if slot.error is not None
    )
    if len(contributors) < quorum(len(slots), rubric):
        return PanelResult(
            verdict="inconclusive",
            message=f"INCONCLUSIVE: only {len(contributors)} of {len(slots)} models returned complete scores "
            f"(need >={quorum(len(slots), rubric)}). See receipt for per-slot errors.",
            contributors=len(contributors),
            errors=errors,
        )
    scores = {name: _dimension(name, contributors, rubric) for name in rubric.names}
    overall = round_to_tenth(mean([each.mean for each in scores.values()]))
    failing = [name for name, each in scores.items() if each.fail_reason is not UNSET]
    return PanelResult(
        verdict="fail" if failing else "pass",
        message=_message(scores, failing, (len(contributors), len(slots), overall), rubric),
        contributors=len(contributors),
        scores=scores,
        overall=overall,
        improvements=distinct(improvement for slot in contributors for improvement in slot.improvements),
        errors=errors,
    )


def quorum(panel: int, rubric: Rubric) -> int:
    """How many of a panel must contribute: at least `min_successes`, and at least two thirds of it."""
    return max(rubric.min_successes, -(-2 * panel // 3))


def mean(values: Sequence[float]) -> float:
    """The mean, added up from left to right as the contract's program does."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def round_to_tenth(value: float) -> float:
    """One decimal, halves upwards."""
    return math_round(value * 10) / 10


def distinct(improvements: Iterable[str]) -> tuple[str, ...]:
    """The first ten that differ in their first forty letters, case and white space apart."""
    by_beginning: dict[str, str] = {}
    for improvement in improvements:
        beginning = " ".join(improvement.lower().split())[:_TELLING_LETTERS]
        by_beginning.setdefault(beginning, improvement)
    return tuple(by_beginning.values())[:MOST_IMPROVEMENTS]


def _dimension(name: str, contributors: Sequence[Slot], rubric: Rubric) -> DimensionScores:
    """One dimension; the mean is rounded before it is held against the threshold, as the contract does."""
    scores = tuple(slot.scores[name] for slot in contributors)
    rounded = round_to_tenth(mean(scores))
    return DimensionScores(
        mean=rounded,
        min=min(scores),
        max=max(scores),
        scores=scores,
        per_model={slot.model: slot.scores[name] for slot in contributors},
        fail_reason=_fail_reason(rounded, min(scores), rubric) or UNSET,
    )


def _fail_reason(rounded_mean: float, least: float, rubric: Rubric) -> str | None:
    if rounded_mean < rubric.pass_mean:
        return f"mean_below_{number_text(rubric.pass_mean)}"
    if least < rubric.pass_floor:
        return f"min_below_{number_text(rubric.pass_floor)}"
    return None


def _message(
    scores: Mapping[str, DimensionScores],
    failing: Sequence[str],
    counts: tuple[int, int, float],
    rubric: Rubric,
) -> str:
    contributors, panel, overall = counts
    across = f"across {contributors}/{panel} models. Overall {number_text(overall)}/10."
    if not failing:
        mean_at_least, floor = number_text(rubric.pass_mean), number_text(rubric.pass_floor)
        return f"PASS: every dim mean >={mean_at_least} and min >={floor} {across}"
    reasons = ", ".join(_failing(name, scores[name], rubric) for name in failing)
    return f"FAIL {across} Failing: {reasons}."


def _failing(name: str, found: DimensionScores, rubric: Rubric) -> str:
    if found.mean < rubric.pass_mean:
        return f"{name} mean={number_text(found.mean)} (<{number_text(rubric.pass_mean)})"
    scores = ", ".join(map(number_text, found.scores))
    return f"{name} min={number_text(found.min)} (<{number_text(rubric.pass_floor)}; scores=[{scores}])"
