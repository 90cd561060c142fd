"""Takes written as the fenced table that Markdown pages carry."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from gate.core.records.ecmascript import number_text, to_fixed
from gate.core.takes.cells import escaped
from gate.core.takes.fence import BEGIN, END, RESOLUTION_COLUMNS, FenceRow, parse_fence
from gate.core.takes.take import Resolution

_HEADER: Final = "| # | claim | kind | who | weight | since | source |"
_RULE: Final = "|---|-------|------|-----|--------|-------|--------|"
_DECIMALS: Final = 2


def fence_text(rows: Sequence[FenceRow]) -> str:
    """The fence with these rows, as gbrain writes it: weights with at most two decimals, pipes escaped.

    The columns of a resolution are there when one row has its quality. Raises ValueError when the table would
    not read back as the same rows, weights apart: a line break in a cell, blanks at its ends, a claim that
    looks struck though it is active, a number used twice.
    """
    wide = any(row.resolution is not None and row.resolution.quality is not None for row in rows)
    lines = ["", *_head(wide=wide), *(_line(row, wide=wide) for row in rows), ""]
    text = f"{BEGIN}{chr(10).join(lines)}{END}"
    if _without_weights(parse_fence(text).rows) != _without_weights(rows):
        raise ValueError("these rows cannot be written as a table of takes that reads back the same")
    return text


def _without_weights(rows: Iterable[FenceRow]) -> list[FenceRow]:
    return [replace(row, weight=0.0, resolution=_without_value(row.resolution)) for row in rows]


def _without_value(resolution: Resolution | None) -> Resolution | None:
    return dataclasses.replace(resolution, value=None) if resolution else None


def _head(*, wide: bool) -> tuple[str, str]:
    if not wide:
        return _HEADER, _RULE
    names = "".join(f" {name} |" for name in RESOLUTION_COLUMNS)
    return _HEADER + names, _RULE + "".join(f"{'-' * (len(name) + 2)}|" for name in RESOLUTION_COLUMNS)


def _line(row: FenceRow, *, wide: bool) -> str:
    claim = row.claim if row.active else f"~~{row.claim}~~"
    since = f"{row.since or ''} → {row.until}" if row.until else row.since or ""
    cells = [claim, row.kind, row.holder, _decimals(row.weight), since, row.source or ""]
    if wide:
        cells += _resolution_cells(row.resolution or Resolution())
    return f"| {row.row} | {' | '.join(map(escaped, cells))} |"


def _resolution_cells(found: Resolution) -> list[str]:
    value = _decimals(float(found.value)) if found.value else ""
    return [
        found.at or "",
        found.quality or "",
        found.evidence or "",
        value,
        found.unit or "",
        found.by or "",
    ]


def _decimals(number: float) -> str:
    """At most two decimals, at least one."""
    if number.is_integer():
        return to_fixed(number, 1)
    return number_text(float(to_fixed(number, _DECIMALS)))
