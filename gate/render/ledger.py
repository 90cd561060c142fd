"""The runs of a ledger: as a table, one in full, and as CSV for a spreadsheet."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gate.core.records.ecmascript import json_text
from gate.core.records.ledger import Ledger, RunRecord
from gate.core.wording import counted
from gate.render.dialect import PLAIN
from gate.render.numbers import DASH
from gate.render.palette import NO_COLOUR
from gate.render.tables import Column, Row, Table
from gate.render.text_table import text_table

_WIDTH: Final = 140
_COLUMNS: Final = (
    Column("run", "left"),
    Column("when", "left", optional=1),
    Column("suite", "left"),
    Column("mode", "left"),
    Column("status", "left"),
    Column("seconds", optional=2),
    Column("rows", "left", optional=3),
)
_FIELDS: Final = (
    "run_id", "ran_at", "suite", "mode", "commit", "seed", "limit", "status", "duration_ms", "error",
)  # fmt: skip
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r")


def runs_table(records: Sequence[RunRecord]) -> str:
    """A line a run, in the order given; a text that says so where there is none."""
    if not records:
        return "no run"
    return text_table(Table(_COLUMNS, tuple(map(_row, records))), width=_WIDTH, palette=NO_COLOUR)


def run_text(record: RunRecord) -> str:
    """Everything a record says, indented."""
    return json_text(dict(record.raw), indent=2)


def runs_csv(records: Sequence[RunRecord]) -> str:
    """A line a run under a heading: the fields of the contract, the rows' path, then every metric any run has.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    metrics = sorted({name for record in records for name in record.aggregates})
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*_FIELDS, "output", *(_cell(name) for name in metrics)])
    for record in records:
        fields = [_cell(record.raw.get(name)) for name in _FIELDS]
        values = [_cell(record.aggregates.get(name)) for name in metrics]
        writer.writerow([*fields, _cell(record.output), *values])
    return written.getvalue()


def left_out(ledger: Ledger) -> tuple[str, ...]:
    """What of a ledger is no run, or is no unique one."""
    return tuple(_left_out(ledger))


def _left_out(ledger: Ledger) -> Iterator[str]:
    for kind, count in ledger.skipped.items():
        if count:
            yield f"{counted(count, 'line')} left out: {kind.replace('_', ' ')}"
    twice = ledger.duplicate_run_ids
    if twice:
        yield f"{counted(len(twice), 'run id')} used more than once, the first {PLAIN.label(twice[0])}"


def _row(record: RunRecord) -> Row:
    duration = record.raw.get("duration_ms")
    seconds = f"{duration / 1000:.1f}" if isinstance(duration, int) else DASH
    texts = (record.run_id, record.ran_at, record.suite, record.mode, record.status)
    shown = [DASH if text is None else PLAIN.label(text) for text in texts]
    return Row((*shown, seconds, DASH if record.output is None else PLAIN.label(record.output)))


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return f"'{value}" if value.startswith(_FORMULAS) else value
        case bool() | int() | float() | list() | tuple() | Mapping():
            return json_text(value)
        case _:
            return ""
