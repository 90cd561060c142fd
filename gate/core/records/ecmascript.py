"""Text exactly as ECMAScript writes it: key order, numbers, fixed decimals, JSON.

The records of the contract are written by a JavaScript program. Where a byte, a digest or the order
of keys must agree with it, Python's own habits (``1.0``, ``9.999e-05``, ties to even, code point
order) differ; this module is the one place that knows how.

Reference: ECMA-262 §6.1.6.1.20 Number::toString, §21.1.3.3 toFixed, §21.3.2.28 Math.round,
§25.5.2 JSON.stringify; RFC 8785 for the canonical form.
"""

import decimal
import json.encoder
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

_POSITIONAL_BELOW = 1e21
_LARGEST_FIXED_DIGITS = 100
_EVERY_DIGIT = decimal.Context(prec=_LARGEST_FIXED_DIGITS + 32)  # 1e21 with all its decimals, and room

_LARGEST_EXACT_INTEGER = 2**53
_LARGEST_ARRAY_INDEX = 2**32 - 2

_SURROGATE = re.compile("[\ud800-\udfff]")


def utf16_key(text: str) -> bytes:
    """Return a sort key that orders strings by UTF-16 code unit, as JavaScript's default sort does."""
    return text.encode("utf-16-be", "surrogatepass")


def number_text(x: float) -> str:
    """Return the shortest text that reads back as the same double, in ECMAScript's layout.

    Integers beyond 2^53 are read as the double nearest to them, as JavaScript would have read them.
    Raises ValueError for NaN and the infinities: what stands in for them is the caller's decision.
    """
    if isinstance(x, int):
        if -_LARGEST_EXACT_INTEGER <= x <= _LARGEST_EXACT_INTEGER:
            return int.__repr__(x)
        x = _nearest_double(x)
    if not math.isfinite(x):
        raise ValueError(f"{x!r} has no number text: decide what stands for it before writing")
    shortest = float.__repr__(x)
    if "e" in shortest:
        return _relaid(shortest)
    return "0" if x == 0 else shortest.removesuffix(".0")


def _nearest_double(x: float) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def _relaid(shortest: str) -> str:
    """Lay out Python's exponent form anew: ECMAScript keeps positions from 1e-6 up to 1e21."""
    mantissa, _, exponent_text = shortest.partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits, exponent = whole + fraction, int(exponent_text)
    if -7 < exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    if 0 < exponent < 21:
        return f"{sign}{digits.ljust(exponent + 1, '0')}"
    point = "." if fraction else ""
    return f"{sign}{whole}{point}{fraction}e{exponent:+d}"


def to_fixed(x: float, digits: int) -> str:
    """Return ``x`` with that many decimals; exact binary ties go away from zero.

    Raises ValueError for NaN, the infinities and digits outside 0..100.
    """
    if not 0 <= digits <= _LARGEST_FIXED_DIGITS:
        raise ValueError(f"digits must be 0..{_LARGEST_FIXED_DIGITS}, got {digits}")
    if not math.isfinite(x):
        raise ValueError(f"{x!r} has no decimals: decide what stands for it before writing")
    if abs(x) >= _POSITIONAL_BELOW:
        return number_text(x)
    exact = decimal.Decimal(x or 0)  # negative zero prints without its sign
    quantum = decimal.Decimal(1).scaleb(-digits)
    return f"{exact.quantize(quantum, rounding=decimal.ROUND_HALF_UP, context=_EVERY_DIGIT):f}"


def math_round(x: float) -> float:
    """Return the nearest whole number, halves towards plus infinity (so -0.5 gives -0.0).

    Raises ValueError for NaN and the infinities.
    """
    if not math.isfinite(x):
        raise ValueError(f"{x!r} cannot be rounded")
    below = math.floor(x)
    rounded = below + 1 if x - below >= 0.5 else below
    return math.copysign(float(rounded), x)


@dataclass(frozen=True, slots=True)
class _Style:
    """What distinguishes the two kinds of JSON text."""

    members: Callable[[Mapping[str, object]], Iterable[tuple[str, object]]]
    non_finite: Callable[[float], str]
    indent: str | None


def json_text(value: object, indent: int | None = None) -> str:
    """Return what ``JSON.stringify(value, null, indent)`` prints.

    Own-property order (array indices first, ascending, then insertion order), NaN and infinities as ``null``,
    non-ASCII as it is, lone surrogates escaped, no trailing newline. Tuples are arrays.
    Raises ValueError for anything JSON cannot hold.
    """
    return _text(value, _Style(_own_property_order, lambda _: "null", " " * indent if indent else None))


def canonical_json(value: object) -> bytes:
    """Return the one byte sequence a digest is taken over: RFC 8785, keys in UTF-16 order, no blanks, UTF-8.

    Unlike the RFC, a lone surrogate is escaped instead of refused: identifiers of foreign rows may hold one.
    Raises ValueError for NaN, infinities and anything JSON cannot hold.
    """
    return _text(value, _Style(_utf16_order, _refuse_non_finite, None)).encode()


def _text(value: object, style: _Style) -> str:
    parts: list[str] = []
    try:
        _write(value, style, "\n", parts)
    except RecursionError as error:
        raise ValueError("the value is nested too deeply to be written as JSON") from error
    return "".join(parts)


def _write(value: object, style: _Style, newline: str, parts: list[str]) -> None:
    """Append the text of one value; ``newline`` carries the indentation of the enclosing level."""
    match value:
        case str():
            parts.append(_string(value))
        case bool() | None:
            parts.append(_WORDS[value])
        case int() | float():
            parts.append(_number(value, style))
        case dict():
            _write_object(value, style, newline, parts)
        case list() | tuple():
            _write_array(value, style, newline, parts)
        case _:
            raise ValueError(f"{type(value).__name__} is not a JSON value")


_WORDS = {None: "null", True: "true", False: "false"}


def _number(x: float, style: _Style) -> str:
    nearest = _nearest_double(x)
    return number_text(x) if math.isfinite(nearest) else style.non_finite(nearest)


def _write_object(value: Mapping[str, object], style: _Style, newline: str, parts: list[str]) -> None:
    if not all(isinstance(key, str) for key in value):
        raise ValueError("every key of a JSON object must be text")
    inner, colon = (newline + style.indent, ": ") if style.indent else ("", ":")
    opening = "{"
    for key, member in style.members(value):
        parts += (opening, inner, _string(key), colon)
        _write(member, style, inner, parts)
        opening = ","
    parts.append(_closing(value, style, newline, "{}"))


def _write_array(
    value: list[object] | tuple[object, ...], style: _Style, newline: str, parts: list[str]
) -> None:
    inner = newline + style.indent if style.indent else ""
    opening = "["
    for member in value:
        parts += (opening, inner)
        _write(member, style, inner, parts)
        opening = ","
    parts.append(_closing(value, style, newline, "[]"))


def _closing(value: object, style: _Style, newline: str, brackets: str) -> str:
    if not value:
        return brackets
    return newline + brackets[1] if style.indent else brackets[1]


def _string(text: str) -> str:
    quoted = json.encoder.encode_basestring(text)
    if text.isascii() or not _SURROGATE.search(quoted):
        return quoted
    paired = quoted.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", paired)


def _refuse_non_finite(x: float) -> str:
    raise ValueError(f"{x!r} cannot stand in canonical JSON")


def _utf16_order(value: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    return sorted(value.items(), key=lambda item: utf16_key(item[0]))


def _own_property_order(value: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    """ECMA-262 §10.1.11.1: array indices in ascending order, then the other keys as inserted."""
    indices = [key for key in value if _is_array_index(key)]
    if not indices:
        return value.items()
    indices.sort(key=int)
    ordered = dict.fromkeys(indices) | dict.fromkeys(value)
    return [(key, value[key]) for key in ordered]


def _is_array_index(key: str) -> bool:
    return (
        key[:1].isdigit()
        and key.isascii()
        and key.isdigit()
        and (key[0] != "0" or key == "0")
        and int(key[:11]) <= _LARGEST_ARRAY_INDEX
    )
