"""A table as a value, and as GitHub's Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Tone = Literal["good", "bad", "unsure", "quiet"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title; `optional` ones go first where room is short, highest number first.

    What wraps keeps its plain spaces; a table of numbers that is too wide scrolls instead.
    """

    title: str
    align: Literal["left", "right"] = "right"
    optional: int = 0
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One cell a column, in its dialect; a line end inside a cell is a line break."""

    cells: tuple[str, ...]
    tone: Tone | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows; without rows there is nothing to show."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


def markdown_table(table: Table) -> str:
    """The table in Markdown, its cells kept on one line each; empty where it has no rows."""
    if not table.rows:
        return ""
    lines = [
        _line([_tight(column.title) for column in table.columns]),
        "|" + "|".join("--:" if column.align == "right" else ":--" for column in table.columns) + "|",
        *(_line(_laid_out(table.columns, row)) for row in table.rows),
    ]
    return "\n".join(lines)


def without_empty_columns(table: Table, *, empty: str) -> Table:
    """The table without its optional columns in which every cell is `empty`."""
    kept = [
        index
        for index, column in enumerate(table.columns)
        if not column.optional or any(row.cells[index] != empty for row in table.rows)
    ]
    return chosen_columns(table, kept)


def chosen_columns(table: Table, kept: Sequence[int]) -> Table:
    """The table with only the columns at these positions."""
    return Table(
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(Row(tuple(row.cells[index] for index in kept), row.tone) for row in table.rows),
    )


def _laid_out(columns: Sequence[Column], row: Row) -> list[str]:
    return [
        cell.replace("\n", "<br>") if column.wraps else _tight(cell)
        for column, cell in zip(columns, row.cells, strict=True)
    ]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _tight(text: str) -> str:
    return text.replace(" ", "&nbsp;").replace("\n", "<br>")
