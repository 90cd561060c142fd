"""Tables for a terminal: aligned by what a reader sees, not by how many code points it takes."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest
from textwrap import wrap
from typing import Final

from gate.render.fitting import ELLIPSIS
from gate.render.palette import Palette
from gate.render.tables import Column, Table, chosen_columns

_GAP: Final = "  "
_NARROWEST: Final = 8
_NOTE_WIDTH: Final = 40


def text_table(table: Table, *, width: int, palette: Palette) -> str:
    """The table in aligned columns; what does not fit is left out, optional columns first, and named below."""
    if not table.rows:
        return ""
    kept = _fitting(table, width)
    shown = chosen_columns(table, kept)
    widths = _widths(shown)
    widths[0] = max(min(_NARROWEST, widths[0]), widths[0] - max(_total(widths) - width, 0))
    titles = _lines(shown.columns, [column.title for column in shown.columns], widths)
    lines = [*map(palette.bold, titles), *_body(shown, widths, palette)]
    hidden = [_one_line(column.title) for n, column in enumerate(table.columns) if n not in kept]
    return "\n".join([*lines, *_note(hidden, width, palette)])


def display_width(text: str) -> int:
    """How many terminal cells a line takes."""
    return sum(_cells(char) for char in text)


def cut_to_width(text: str, room: int) -> str:
    """The line, or its beginning and an ellipsis, in at most this many terminal cells."""
    if display_width(text) <= room:
        return text
    widths = list(accumulate(map(_cells, text)))
    return text[: bisect_right(widths, room - 1)] + ELLIPSIS


def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def _note(hidden: Sequence[str], width: int, palette: Palette) -> Iterator[str]:
    """Which columns had no room."""
    told = f"(too narrow for: {', '.join(hidden)})" if hidden else ""
    yield from (palette.paint(line, "quiet") for line in wrap(told, max(width, _NOTE_WIDTH)))


def _fitting(table: Table, width: int) -> list[int]:
    """The positions kept: the highest `optional` goes first, until the rest fits or nothing optional is left."""
    kept = list(range(len(table.columns)))
    by_rank = sorted((n for n in kept if table.columns[n].optional), key=lambda n: -table.columns[n].optional)
    for position in by_rank:
        if _total(_widths(chosen_columns(table, kept))) <= width:
            break
        kept.remove(position)
    return kept


def _widths(table: Table) -> list[int]:
    return [
        max(_widest(column.title), *(_widest(row.cells[n]) for row in table.rows))
        for n, column in enumerate(table.columns)
    ]


def _widest(cell: str) -> int:
    return max(map(display_width, cell.split("\n")))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _body(table: Table, widths: Sequence[int], palette: Palette) -> Iterator[str]:
    """Rows of several lines are set apart from each other by an empty line."""
    tall = any("\n" in cell for row in table.rows for cell in row.cells)
    for number, row in enumerate(table.rows):
        if number and tall:
            yield ""
        yield from (palette.paint(line, row.tone) for line in _lines(table.columns, row.cells, widths))


def _lines(columns: Sequence[Column], cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """One row of cells, each of them one or more lines, as lines of text."""
    stacked = zip_longest(*(cell.split("\n") for cell in cells), fillvalue="")
    for line in stacked:
        yield _GAP.join(
            _padded(cut_to_width(cell, room), room, column.align)
            for column, cell, room in zip(columns, line, widths, strict=True)
        ).rstrip()


def _padded(text: str, room: int, align: str) -> str:
    blanks = " " * max(room - display_width(text), 0)
    return blanks + text if align == "right" else text + blanks


def _one_line(title: str) -> str:
    return title.replace("\n", " ")
