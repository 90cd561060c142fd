"""What one job of a matrix has measured, for its log and its job summary; nothing in it is a verdict."""

from collections.abc import Iterator

from gate.core.leg import Leg, LegSuite
from gate.core.wording import counted
from gate.render.dialect import MARKDOWN, PLAIN, Dialect
from gate.render.palette import NO_COLOUR
from gate.render.tables import Column, Row, Table, markdown_table
from gate.render.text_table import text_table

_WIDTH = 100
_COLUMNS = (
    Column("suite", "left"),
    Column("questions of this part"),
    Column("of the whole"),
    Column("rows"),
    Column("errors"),
    Column("what fell short", "left", wraps=True),
)


def leg_text(leg: Leg) -> str:
    """For a terminal and the log, without a final line end."""
    table = text_table(_table(leg, PLAIN), width=_WIDTH, palette=NO_COLOUR)
    return "\n".join(filter(None, [_title(leg), table, *_remarks(leg, PLAIN)]))


def leg_summary(leg: Leg) -> str:
    """For the job summary, in Markdown."""
    remarks = "\n".join(f"- {said}" for said in _remarks(leg, MARKDOWN))
    heading = f"### {MARKDOWN.label(leg.gate)}: {_title(leg)}"
    return "\n\n".join(filter(None, [heading, markdown_table(_table(leg, MARKDOWN)), remarks])) + "\n"


def _title(leg: Leg) -> str:
    if not leg.watched:
        return f"nothing that is watched has changed: nothing is measured as {leg.shard}"
    return f"measured {leg.shard}, nothing is judged"


def _table(leg: Leg, dialect: Dialect) -> Table:
    return Table(_COLUMNS, tuple(_row(suite, dialect) for suite in leg.suites))


def _row(suite: LegSuite, dialect: Dialect) -> Row:
    counts = (suite.own, suite.whole, suite.rows, suite.errors)
    return Row((dialect.label(suite.name), *(f"{count:,}" for count in counts), _short(suite, dialect)))


def _short(suite: LegSuite, dialect: Dialect) -> str:
    said = [f"{reason}: {counted(count, 'question')}" for reason, count in suite.shortfalls.items()]
    return dialect.prose("; ".join((*said, *suite.withheld)))


def _remarks(leg: Leg, dialect: Dialect) -> Iterator[str]:
    if leg.watched:
        yield from map(dialect.prose, leg.notes)
        yield "the job that merges the parts judges them"
