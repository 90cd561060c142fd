"""A whole that got worse where rules ask about its question types only: a pass must not hide it."""

from collections.abc import Sequence
from typing import Final

from gate.core.report import Comparison, Report
from gate.render.changes import gain
from gate.render.dialect import Dialect
from gate.render.gated import Gated, gated_metrics
from gate.render.numbers import ALPHA, p_value, scale_of

NEXT_STEP: Final = "Look at what broke first. For the whole to decide, too, add the same rule without `per`."


def worse_wholes(report: Report) -> tuple[Comparison, ...]:
    """The wholes of a passed report that fell with p of at most 0.05, unadjusted, and that no rule tests."""
    if report.verdict != "pass":
        return ()
    compared = (one.comparison for one in gated_metrics(report))
    return tuple(one for one in compared if one is not None and one.gated_by_type and _fell(one))


def told(report: Report, fallen: Sequence[Comparison], dialect: Dialect) -> str:
    """ "Overall recall@3 fell by 16.3 points (p 0.0002, unadjusted), which no rule gates."; "" where none fell."""
    if not fallen:
        return ""
    first, more = fallen[0], len(fallen) - 1
    place = f" in {dialect.name(first.suite)}" if len(report.suites) > 1 else ""
    moved = "fell" if first.delta < 0 else "rose"
    size = scale_of(first).size(abs(first.delta))
    others = f", and {more} more got worse" if more else ""
    return (
        f"Overall {dialect.name(first.metric)}{place} {moved} by {size}"
        f" (p {p_value(first.p_value)}, unadjusted){others}, which no rule gates."
    )


def only_by_type(gated: Gated) -> bool:
    """Whether rules test the metric's question types, and none the metric as a whole."""
    return gated.comparison is not None and gated.comparison.gated_by_type and not gated.comparison.gated


def _fell(found: Comparison) -> bool:
    """Whether the family's own test, had it asked about this comparison alone, would have called it worse."""
    if found.gated or found.lower95 is None or found.upper95 is None:
        return False
    apart = found.lower95 > 0 or found.upper95 < 0
    p = max(found.p_value, found.smallest_attainable_p)
    return apart and p <= ALPHA and gain(found.better, found.delta) < 0
