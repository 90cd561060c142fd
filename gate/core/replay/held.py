"""What a replay holds against itself: every threshold that it missed."""

from collections.abc import Iterable

from gate.core.records.objections import Objection
from gate.core.replay.stability import Breach


def breach_text(breach: Breach) -> str:
    """One missed threshold in a sentence."""
    observed = "not measured" if breach.observed is None else f"{breach.observed:.4g}"
    return f"{breach.metric} is {observed}, the threshold is {breach.threshold:g}"


def objections(missed: Iterable[Breach]) -> tuple[Objection, ...]:
    """One a threshold; what could not be measured is open, not missed."""
    return tuple(
        Objection(
            rule=f"{each.metric} {'at-most' if each.metric == 'latency_ratio' else 'at-least'} {each.threshold:g}",
            reason="not_measured" if each.observed is None else "threshold_missed",
            message=breach_text(each),
        )
        for each in missed
    )
