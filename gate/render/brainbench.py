"""What a BrainBench run came to, for a terminal."""

from collections.abc import Iterator
from typing import Final

from gate.core.brainbench.comparison import HIGHER_IS_BETTER, Breach
from gate.core.brainbench.decision import Decision
from gate.core.brainbench.result import Cell, Result
from gate.render.dialect import PLAIN
from gate.render.numbers import DASH
from gate.render.palette import NO_COLOUR
from gate.render.tables import Column, Row, Table
from gate.render.text_table import text_table

_WIDTH: Final = 100
_COLUMNS: Final = (Column("cell", "left"), Column("gold"), Column("missed"), Column("metrics", "left"))


def cells_table(result: Result, decision: Decision) -> str:
    """A line a cell, then everything that is worse, below a floor or worth knowing, and the verdict."""
    table = Table(_COLUMNS, tuple(_row(cell) for cell in result.cells))
    return "\n".join([text_table(table, width=_WIDTH, palette=NO_COLOUR), *_said(decision)])


def breach_line(breach: Breach) -> str:
    """One thing that is worse, where, and by how much."""
    return f"{breach.cell} {breach.metric}: {breach.detail}"


def _row(cell: Cell) -> Row:
    shown = [f"{name} {cell.metrics[name]:g}" for name in HIGHER_IS_BETTER if name in cell.metrics]
    return Row(
        (
            PLAIN.label(cell.key),
            str(cell.gold_total),
            str(cell.gold_failed),
            PLAIN.label(", ".join(shown) or DASH),
        )
    )


def _said(decision: Decision) -> Iterator[str]:
    yield from (f"worse: {PLAIN.label(breach_line(each))}" for each in decision.breaches)
    yield from (f"floor: {PLAIN.label(breach_line(each))}" for each in decision.below)
    yield from map(PLAIN.label, decision.notes)
    yield f"verdict: {decision.verdict}"
