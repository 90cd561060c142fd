"""The table of takes inside a Markdown page, between two comments; read as leniently as gbrain reads it.

What cannot be read is skipped with a warning of a closed code, never silently.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from msgspec import Struct

from gate.core.records.ecmascript import number_text
from gate.core.takes.cells import JS_SPACE, row_cells, trimmed
from gate.core.takes.holder import is_valid_holder
from gate.core.takes.take import Resolution

BEGIN: Final = "<!--- gbrain:takes:begin -->"
END: Final = "<!--- gbrain:takes:end -->"
KINDS: Final = ("fact", "take", "bet", "hunch")
QUALITIES: Final = ("correct", "incorrect", "partial", "unresolvable")
RESOLUTION_COLUMNS: Final = ("resolved", "quality", "evidence", "value", "unit", "by")
"""Further columns, found by their names; any of them may be missing."""
LARGEST_ROW: Final = 2**31 - 1
"""Row numbers are stored as 32-bit integers."""

WarningCode = Literal[
    "TAKES_FENCE_NEAR_MISS",
    "TAKES_FENCE_UNBALANCED",
    "TAKES_TABLE_MALFORMED",
    "TAKES_ROW_NUM_COLLISION",
    "TAKES_HOLDER_INVALID",
    "TAKES_FENCE_REPEATED",
]
WARNING_CODES: Final[tuple[WarningCode, ...]] = get_args(WarningCode)
"""The contract's five, and our own for further fences in a page, which gbrain does not read either."""

_LEAST_CELLS: Final = 6
_NEAR_MISS: Final = re.compile(r"<!-+\s*gbrain:takes:begin")
_SEPARATOR: Final = re.compile(f"[-:{JS_SPACE}]+")
_STRUCK: Final = re.compile("~~([^\n\r\u2028\u2029]+?)~~")
_RANGE: Final = re.compile("([^\n\r\u2028\u2029]+?)(?:→|->)([^\n\r\u2028\u2029]+)")
_LEADING_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_LEADING_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_DIGITS: Final = 20


class FenceRow(Struct, frozen=True, kw_only=True):
    """One row of the table as it is written; `weight` is not yet what storing makes of it."""

    row: int
    claim: str
    kind: str
    holder: str
    weight: float
    since: str | None = None
    until: str | None = None
    source: str | None = None
    active: bool = True
    resolution: Resolution | None = None


@dataclass(frozen=True, slots=True)
class FenceWarning:
    """Something that could not be read as it stands, or only against the rules."""

    code: WarningCode
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True, slots=True)
class Fence:
    """What a page's fence holds; a page without one holds nothing and warns of nothing."""

    rows: tuple[FenceRow, ...] = ()
    warnings: tuple[FenceWarning, ...] = ()


class _SkippedError(Exception):
    """A row that cannot be read; carries the warning."""

    def __init__(self, code: WarningCode, message: str) -> None:
        super().__init__(message)
        self.warning = FenceWarning(code, message)


def parse_fence(page: str) -> Fence:
    """Every readable row of the first fence in a page, in its order, and a warning for everything else."""
    begin = page.find(BEGIN)
    end = page.find(END, begin + len(BEGIN)) if begin >= 0 else page.find(END)
    if begin < 0 and end < 0:
        return Fence(warnings=_near_miss(page))
    if begin < 0 or end < 0:
        return Fence(warnings=(FenceWarning("TAKES_FENCE_UNBALANCED", "missing begin or end marker"),))
    rows, warnings = _Table().read(page[begin + len(BEGIN) : end])
    return Fence(rows, (*warnings, *_repeated(page, end)))


def _near_miss(page: str) -> tuple[FenceWarning, ...]:
    if not _NEAR_MISS.search(page):
        return ()
    message = (
        f'found "gbrain:takes:begin" but not the exact marker "{BEGIN}" — use the three-dash comment form'
    )
    return (FenceWarning("TAKES_FENCE_NEAR_MISS", message),)


def _repeated(page: str, end: int) -> tuple[FenceWarning, ...]:
    further = page.count(BEGIN, end)
    if not further:
        return ()
    message = f"only the first fence of a page is read; {further} more found"
    return (FenceWarning("TAKES_FENCE_REPEATED", message),)


class _Table:
    """Reads one table: where its columns are, which row numbers are taken, what there was to warn of."""

    def __init__(self) -> None:
        self._columns: Mapping[str, int] | None = None
        self._taken: set[int] = set()
        self._rows: list[FenceRow] = []
        self._warnings: list[FenceWarning] = []

    def read(self, text: str) -> tuple[tuple[FenceRow, ...], tuple[FenceWarning, ...]]:
        lines = [stripped for line in text.split("\n") if (stripped := trimmed(line))]
        for line in lines:
            cells = row_cells(line)
            if cells is None:
                continue
            try:
                self._line(line, cells)
            except _SkippedError as skipped:
                self._warnings.append(skipped.warning)
        if self._columns is None and any(line.startswith("|") for line in lines):
            message = "pipe-rows present but no recognizable header"
            self._warnings.append(FenceWarning("TAKES_TABLE_MALFORMED", message))
        return tuple(self._rows), tuple(self._warnings)

    def _line(self, line: str, cells: Sequence[str]) -> None:
        if self._columns is None:
            self._columns = _header(line, cells)
        elif not all(map(_SEPARATOR.fullmatch, cells)):
            self._rows.append(self._row(line, cells))

    def _row(self, line: str, cells: Sequence[str]) -> FenceRow:
        if len(cells) < _LEAST_CELLS:
            raise _SkippedError("TAKES_TABLE_MALFORMED", f'only {len(cells)} cells in row "{line}"')
        row = self._number(cells[0])
        kind = _kind(cells[2])
        self._check_holder(cells[3], cells[0])
        weight = _weight(cells[4])
        claim, struck = _claim(cells[1])
        since, until = _dates(cells[5])
        return FenceRow(
            row=row,
            claim=claim,
            kind=kind,
            holder=cells[3],
            weight=weight,
            since=since,
            until=until,
            source=_text_at(cells, _LEAST_CELLS),
            active=not struck,
            resolution=_resolution(cells, self._columns) if self._columns else None,
        )

    def _number(self, cell: str) -> int:
        found = _LEADING_INTEGER.match(cell)
        number = int(found[0]) if found and len(found[0]) <= _MOST_DIGITS else 0
        if not 0 < number <= LARGEST_ROW:
            raise _SkippedError("TAKES_TABLE_MALFORMED", f'invalid row_num "{cell}"')
        if number in self._taken:
            raise _SkippedError("TAKES_ROW_NUM_COLLISION", f"duplicate row_num {number}")
        self._taken.add(number)
        return number

    def _check_holder(self, holder: str, row: str) -> None:
        if not is_valid_holder(holder):
            expected = "world | brain | people/<slug> | companies/<slug>"
            message = f'"{holder}" in row {row} (expected: {expected})'
            self._warnings.append(FenceWarning("TAKES_HOLDER_INVALID", message))


def _header(line: str, cells: Sequence[str]) -> Mapping[str, int]:
    """Where the columns of the resolution stand, if there are any."""
    names = [cell.lower() for cell in cells]
    if "claim" not in names or "kind" not in names:
        raise _SkippedError("TAKES_TABLE_MALFORMED", f'row before header: "{line}"')
    return {name: names.index(name) for name in RESOLUTION_COLUMNS if name in names}


def _kind(cell: str) -> str:
    kind = cell.lower()
    if kind not in KINDS:
        raise _SkippedError("TAKES_TABLE_MALFORMED", f'unknown kind "{cell}" (expected {"|".join(KINDS)})')
    return kind


def _weight(cell: str) -> float:
    weight = leading_number(cell)
    if weight is None:
        raise _SkippedError("TAKES_TABLE_MALFORMED", f'non-numeric weight "{cell}"')
    return weight


def leading_number(cell: str) -> float | None:
    """The finite number a text begins with, as ECMAScript's parseFloat reads it; None when there is none."""
    found = _LEADING_NUMBER.match(cell)
    number = float(found[0]) if found else math.inf
    return number if math.isfinite(number) else None


def _claim(cell: str) -> tuple[str, bool]:
    struck = _STRUCK.fullmatch(cell)
    return (trimmed(struck[1]), True) if struck else (cell, False)


def _dates(cell: str) -> tuple[str | None, str | None]:
    span = _RANGE.fullmatch(cell)
    return (trimmed(span[1]), trimmed(span[2])) if span else (cell or None, None)


def _text_at(cells: Sequence[str], index: int | None) -> str | None:
    return cells[index] or None if index is not None and index < len(cells) else None


def _resolution(cells: Sequence[str], columns: Mapping[str, int]) -> Resolution | None:
    at, quality, evidence, value, unit, by = (
        _text_at(cells, columns.get(name)) for name in RESOLUTION_COLUMNS
    )
    quality = quality.lower() if quality and quality.lower() in QUALITIES else None
    number = leading_number(value) if value else None
    found = Resolution(
        at=at,
        quality=quality,
        evidence=evidence,
        value=None if number is None else number_text(number),
        unit=unit,
        by=by,
    )
    return None if found == Resolution() else found
