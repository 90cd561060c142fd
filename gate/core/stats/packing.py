"""Several columns of whole numbers in one column of doubles, so that one sum adds them all, exactly.

Whole columns are stacked like the digits of a number, each with room for every total it can reach; a double
holds 53 bits of them. Sums of whole numbers below 2^53 are exact in any order, so nothing is lost. A column
that is fractional, or too large to share, takes all the room: it travels alone and unchanged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CAPACITY = 53

Column = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Digit:
    """Which of the original columns, and the bits its signed totals may need."""

    column: int
    bits: int


@dataclass(frozen=True, slots=True)
class Carrier:
    """A column to be summed in place of the originals it carries, lowest digit first."""

    values: Column
    digits: tuple[Digit, ...]


def pack(columns: Sequence[Column], reaches: Sequence[float]) -> tuple[Carrier, ...]:
    """Return carriers for columns of which no total, of whatever values, goes beyond plus or minus its reach."""
    loads: list[list[Digit]] = []
    room = 0
    for index, (values, reach) in enumerate(zip(columns, reaches, strict=True)):
        digit = Digit(index, _bits(values, reach))
        if digit.bits > room:
            loads.append([])
            room = _CAPACITY
        loads[-1].append(digit)
        room -= digit.bits
    return tuple(Carrier(_stacked(columns, load), tuple(load)) for load in loads)


def unpack(carriers: Sequence[Carrier], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the totals of the original columns; shapes (carriers, draws) in, (columns, draws) out."""
    found = np.empty((sum(len(carrier.digits) for carrier in carriers), totals.shape[1]))
    for carrier, total in zip(carriers, totals, strict=True):
        if len(carrier.digits) == 1:
            found[carrier.digits[0].column] = total
        else:
            _read_digits(carrier.digits, total, found)
    return found


def _bits(values: Column, reach: float) -> int:
    """Return the room that -reach .. reach takes, all of it for fractional or huge columns."""
    if not np.array_equal(values, np.rint(values)):
        return _CAPACITY
    return min(_CAPACITY, (2 * int(reach) + 1).bit_length())


def _stacked(columns: Sequence[Column], digits: Sequence[Digit]) -> Column:
    *lower, highest = digits
    stacked = columns[highest.column]
    for digit in reversed(lower):
        stacked = stacked * float(1 << digit.bits) + columns[digit.column]
    return stacked


def _read_digits(digits: Sequence[Digit], total: NDArray[np.float64], found: NDArray[np.float64]) -> None:
    rest = total.astype(np.int64)
    for digit in digits:
        half = 1 << (digit.bits - 1)
        signed = ((rest + half) & (2 * half - 1)) - half
        found[digit.column] = signed
        rest = (rest - signed) >> digit.bits
