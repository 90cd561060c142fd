"""One comparison in one sentence of numbers."""

from gate.core.report import Comparison
from gate.render.changes import gained_lost, words
from gate.render.numbers import DASH, count, interval, p_value, scale_of
from gate.render.outcomes import significance


def in_numbers(comparison: Comparison) -> str:
    """ "88.2 % → 77.2 %, −11.0 points [−17.3, −4.7], p 0.0013, Holm p 0.0092, 2 fixed, …: significantly worse"."""
    measure = scale_of(comparison)
    means = f"{measure.value(comparison.baseline_mean)} → {measure.value(comparison.candidate_mean)}"
    change = f"{in_short(comparison)} {interval(comparison)}"
    adjusted = p_value(comparison.holm_p_value)
    holm = "" if adjusted == DASH else f", Holm p {adjusted}"
    return f"{means}, {change}, p {p_value(comparison.p_value)}{holm}, {counts(comparison)}: {significance(comparison)}"


def in_short(comparison: Comparison) -> str:
    """ "−11.0 points", "+12.3 ms"."""
    measure = scale_of(comparison)
    return f"{measure.delta(comparison.delta)}{measure.delta_suffix}"


def counts(comparison: Comparison) -> str:
    """ "4 fixed, 2 broken, 464 the same (n = 470)"."""
    gained, lost = gained_lost(comparison)
    named = words(comparison)
    return (
        f"{count(gained)} {named.gained}, {count(lost)} {named.lost},"
        f" {count(comparison.ties)} the same (n = {count(comparison.n)})"
    )
