"""Numbers as a reviewer reads them: shares in percent, differences in points, no sign and no limit rounded away.

A rounded number never says more than the exact one: a change that is not zero never prints as zero, a share
below 1 never prints as 100 %, and a value that misses its limit never looks equal to it. What was not measured
(None) and what has no bound is a dash, never 0.
"""

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

from gate.core.report import Comparison

DASH: Final = "–"
MINUS: Final = "−"
SHARE: Final = "share"
NOISE: Final = 1e-12
"""Differences of means below this are float noise: the contract's own tolerance."""
ALPHA: Final = 0.05

_EXACT: Final = Context(prec=60)
_MOST_DECIMALS: Final = 6
"""Longer rows of digits look like the beginning of a commit, and GitHub links those."""
_EXTRA_DIGITS: Final = 3
_HUGE: Final = 1e15
_TINY: Final = 1e-3
_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PLAIN_UNIT: Final = re.compile(r"[A-Za-z%µ°€£][A-Za-z%µ°€£/ ]{0,15}")


@dataclass(frozen=True, slots=True)
class Scale:
    """How the values of one metric are written: multiplied by 10 to the power of `shift`, with so many decimals.

    A share is shifted by 2, which makes it a percentage; other shifts show as an exponent: 1.21×10⁻⁴.
    """

    unit: str | None
    decimals: int
    shift: int = 0

    def value(self, value: float | None) -> str:
        """A mean with its unit: "93.2 %", "812.4 ms", "0.6512"; a dash where nothing was measured."""
        if value is None or not math.isfinite(value):
            return DASH
        return f"{self._written(value)}{self.suffix}"

    def delta(self, value: float | None) -> str:
        """A signed difference without its unit: "+0.4", "−11.0", "0.0"."""
        if value is None or not math.isfinite(value):
            return DASH
        if abs(value) < NOISE:
            return _fixed(Decimal(0), self.decimals)
        return ("+" if value > 0 else MINUS) + self._not_zero(value)

    def size(self, value: float | None) -> str:
        """An unsigned difference with its unit: "2.9 points", "12.3 ms"."""
        if value is None or not math.isfinite(value):
            return DASH
        return (self._not_zero(value) if value else "0") + self.delta_suffix

    def interval(self, lower: float | None, upper: float | None) -> str:
        """ "[−18.2, −5.1]"; an open side is a dash, an interval open on both sides is one dash."""
        low, high = self.delta(lower), self.delta(upper)
        return DASH if low == high == DASH else f"[{low}, {high}]"

    def apart(self, value: float, limit: float) -> tuple[str, str]:
        """A value and its limit, with as many decimals as it takes to see on which side the value lies."""
        exact, bound = self._decimal(value), self._decimal(limit)
        shown = _shortest(bound) if abs(value - limit) < NOISE else _told_apart(exact, bound, self.decimals)
        return shown + self._exponent + self.suffix, _shortest(bound) + self._exponent + self.suffix

    @property
    def suffix(self) -> str:
        """What follows a mean."""
        return " %" if self.unit == SHARE else _label(self.unit)

    @property
    def delta_suffix(self) -> str:
        """What follows a difference: a difference of percentages is in points."""
        return " points" if self.unit == SHARE else _label(self.unit)

    @property
    def _exponent(self) -> str:
        return _power(-self.shift) if self.shift and self.unit != SHARE else ""

    def _decimal(self, value: float) -> Decimal:
        return Decimal(repr(float(value))).scaleb(self.shift, _EXACT)

    def _not_zero(self, value: float) -> str:
        return _not_zero(self._decimal(abs(value)), self.decimals) + self._exponent

    def _written(self, value: float) -> str:
        if self.unit == SHARE and 0 < value < 1:
            return _inside(self._decimal(value), self.decimals)
        if not value:
            return _fixed(Decimal(0), self.decimals)
        return (MINUS if value < 0 else "") + self._not_zero(value)


def scale(unit: str | None, *values: float | None) -> Scale:
    """One decimal for shares; elsewhere four significant digits of the largest of these values."""
    if unit == SHARE:
        return Scale(unit, 1, shift=2)
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value) and value != 0]
    if not sizes:
        return Scale(unit, 1)
    magnitude = math.floor(math.log10(max(sizes)))
    if max(sizes) < _TINY:
        return Scale(unit, 3, shift=-magnitude)
    return Scale(unit, min(max(3 - magnitude, 0), 4))


def scale_of(comparison: Comparison) -> Scale:
    """The scale on which both means, the difference and its interval are written."""
    return scale(comparison.unit, comparison.baseline_mean, comparison.candidate_mean)


def interval(comparison: Comparison) -> str:
    """Its interval; a dash where a single question or cluster cannot say how far others would differ."""
    if comparison.clusters < 2:
        return DASH
    return scale_of(comparison).interval(comparison.lower95, comparison.upper95)


def p_value(p: float | None) -> str:
    """Two significant digits; never 0, never 1 unless it is 1, never on the wrong side of 0.05."""
    if p is None or not math.isfinite(p):
        return DASH
    exact = Decimal(repr(float(p)))
    if p >= 1:
        return "1"
    if p < 0.0001:
        return "<0.0001"
    if p >= 0.995:
        return ">0.99"
    digits = 1 - math.floor(math.log10(p))
    bound = Decimal(repr(ALPHA))
    return _trimmed(_fixed(exact, digits) if exact == bound else _told_apart(exact, bound, digits))


def usd(amount: float) -> str:
    """An amount of money in cents, smaller ones with four decimals: "5.00 USD", "0.0042 USD", "<0.0001 USD"."""
    if not amount:
        return "0 USD"
    if amount < _TINY / 10:
        return "<0.0001 USD"
    return f"{amount:,.2f} USD" if amount >= 1 else f"{amount:.4f} USD"


def count(number: int) -> str:
    """A whole number with thousands separated: 1,234."""
    return f"{number:,}"


def spelled_out(unit: str | None) -> bool:
    """Whether a unit is written behind its numbers; any other is untrusted text for its own place."""
    return not unit or _PLAIN_UNIT.fullmatch(unit) is not None


def _label(unit: str | None) -> str:
    if not unit:
        return ""
    return f" {unit}" if spelled_out(unit) else " units"


def _fixed(value: Decimal, digits: int) -> str:
    if abs(value) >= _HUGE:
        mantissa, exponent = f"{value:.3e}".split("e")
        return mantissa.replace("-", MINUS) + _power(int(exponent))
    rounded = value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, context=_EXACT)
    return f"{rounded:,.{digits}f}".replace("-", MINUS)


def _power(exponent: int) -> str:
    return f"×10{str(exponent).translate(_RAISED)}"


def _not_zero(value: Decimal, digits: int) -> str:
    """A positive value: as many more digits as it takes to see that it is not zero."""
    for more in range(_EXTRA_DIGITS):
        text = _fixed(value, digits + more)
        if text.strip("0.,"):
            return text
    return "<" + _fixed(Decimal(1).scaleb(-digits - _EXTRA_DIGITS + 1), digits + _EXTRA_DIGITS - 1)


def _inside(percent: Decimal, digits: int) -> str:
    """A percentage strictly between 0 and 100, which never prints as either."""
    for more in range(_EXTRA_DIGITS):
        text = _fixed(percent, digits + more)
        if text.strip("0.,") and not text.startswith("100"):
            return text
    step = Decimal(1).scaleb(-digits - _EXTRA_DIGITS + 1)
    low = percent < 50
    return ("<" if low else ">") + _fixed(step if low else 100 - step, digits + _EXTRA_DIGITS - 1)


def _told_apart(value: Decimal, bound: Decimal, digits: int) -> str:
    """Rounded no further than the point where the value still lies on its own side of the bound."""
    if abs(value) < _HUGE:
        for shown in range(digits, _MOST_DECIMALS + 1):
            rounded = value.quantize(Decimal(1).scaleb(-shown), ROUND_HALF_UP, context=_EXACT)
            if rounded != bound and (rounded < bound) == (value < bound):
                return _fixed(value, shown)
    return ("just below " if value < bound else "just above ") + _shortest(bound)


def _shortest(value: Decimal) -> str:
    return _trimmed(_fixed(value, _MOST_DECIMALS))


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text and "×" not in text else text
