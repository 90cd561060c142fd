"""Per-question rows as bytes in, a RowTable out: one pass, typed, every error with its line.

Of a key that a line holds twice the last value counts, as for every common reader and for the contract.
"""

import io
from array import array
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import MsgspecError, Raw

from gate.core.records.row_collector import RowCollector
from gate.core.records.row_duplicates import Duplicates, unique_rows
from gate.core.records.row_lines import MAX_LINE_BYTES, EndlessLineError, whole_lines, without_half_characters
from gate.core.records.row_problems import mistyped, refused, unreadable
from gate.core.records.row_shape import ID, RowShape, UnlearnableError
from gate.core.records.row_table import RunLines, finished
from gate.core.records.row_types import TEXT, kind_of
from gate.core.records.rows import RowNotes, RowTable
from gate.core.records.run_info import SUMMARY, RunInfoError, run_info
from gate.errors import EvidenceError

_FIELDS: Final = msgspec.json.Decoder(dict[str, Raw])
_SUMMARY_TEXT: Final = f'"{SUMMARY}"'.encode()


def decode_rows(
    blocks: Iterable[bytes],
    *,
    name: str,
    duplicates: Duplicates = "refused",
    required: frozenset[str] = frozenset(),
) -> RowTable:
    """Read NDJSON rows from blocks of any size; EvidenceError names `name` and the line of what is wrong.

    `required` are the metrics that rules are about: a text where they should be is an error, and they count as
    metrics also in native rows. With "last-wins" the contract's reader is followed: a line that is no row is
    counted as torn and skipped, and of two rows for a question the last counts.
    """
    reader = _Reader(name, duplicates, required)
    try:
        for block in whole_lines(blocks):
            reader.take(block)
    except EndlessLineError:
        raise reader.refused(1, f"longer than {MAX_LINE_BYTES // 2**20} MiB") from None
    return reader.table()


class _Reader:
    """What is known of a file so far."""

    def __init__(self, name: str, duplicates: Duplicates, required: frozenset[str]) -> None:
        self._name = name
        self._duplicates: Duplicates = duplicates
        self._shape = RowShape(required)
        self._rows = RowCollector()
        self._run = RunLines()
        self._lines = 0
        self._no_rows = array("q")
        self._blank = 0
        self._torn = 0

    def take(self, block: bytes) -> None:
        """Read a block of whole lines."""
        lines = io.BytesIO(block).readlines()
        self._rows.add(self._decoded(block, lines), self._shape)
        self._lines += len(lines)

    def table(self) -> RowTable:
        """Everything read, one row a question."""
        notes = RowNotes(blank_lines=self._blank, torn_lines=self._torn)
        table = finished(self._rows, self._shape, self._run, notes)
        return unique_rows(table, self._duplicates, name=self._name, line_of=self._line_of)

    def refused(self, line: int, what: str) -> EvidenceError:
        """The error for a line, counted from 1 in the block at hand."""
        return refused(f"{self._name}, line {self._lines + line}", what)

    def _decoded(self, block: bytes, lines: list[bytes]) -> list[Any]:
        if _is_utf8(block):
            try:
                return list(map(self._shape.decode, lines))
            except (MsgspecError, RecursionError):
                pass  # something is new, is no row, or is wrong: the careful way finds out which
        return self._carefully_decoded(lines)

    def _carefully_decoded(self, lines: list[bytes]) -> list[Any]:
        """Line by line: learn what is new, set aside what is no row, name what is wrong."""
        kept = []
        for number, line in enumerate(lines, start=1):
            row = self._row(number, line)
            if row is None:
                self._no_rows.append(self._lines + number)
            else:
                kept.append((number, row))
        return [self._typed(number, line) for number, line in kept]

    def _row(self, number: int, line: bytes) -> bytes | None:
        """The line when it is a row, its fields learnt; None when it is something else."""
        if not line.strip():
            self._blank += 1
            return None
        try:
            line, fields = _fields(line)
        except (MsgspecError, RecursionError, UnicodeDecodeError) as error:
            self._skip(number, unreadable(error, line))
            return None
        if _speaks_of_the_run(fields):
            self._take_run_line(number, line)
            return None
        if ID not in fields or kind_of(fields[ID]) != TEXT:
            self._skip(number, f"a row needs a text `{ID}`")
            return None
        try:
            self._shape.learn(fields)
        except UnlearnableError as error:
            raise self.refused(number, str(error)) from None
        return line

    def _skip(self, number: int, what: str) -> None:
        if self._duplicates == "refused":
            raise self.refused(number, what)
        self._torn += 1

    def _take_run_line(self, number: int, line: bytes) -> None:
        try:
            info = run_info(msgspec.json.decode(line))
            self._run.add(info)
        except RunInfoError as error:
            raise self.refused(number, str(error)) from None
        except (MsgspecError, RecursionError) as error:
            raise self.refused(number, unreadable(error)) from None
        declares = info.metrics is not None or info.native is not None
        if declares and self._lines + number - 1 != len(self._no_rows):
            raise self.refused(number, "`metrics` and `native` must stand before the first row")
        self._shape.declare(info.metrics or ())

    def _typed(self, number: int, line: bytes) -> Any:
        try:
            return self._shape.decode(line)
        except (MsgspecError, RecursionError) as error:
            raise self.refused(number, mistyped(error, self._shape.expectation)) from None

    def _line_of(self, row: int) -> int:
        """The line a row stands in: past every earlier line that was none."""
        line = row + 1
        for other in self._no_rows:
            if other > line:
                break
            line += 1
        return line


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _fields(line: bytes) -> tuple[bytes, Mapping[str, Raw]]:
    """The line and its fields, not yet decoded."""
    line.decode()
    try:
        return line, _FIELDS.decode(line)
    except MsgspecError:
        whole = without_half_characters(line)
        if whole == line:
            raise
        return whole, _FIELDS.decode(whole)


def _speaks_of_the_run(fields: Mapping[str, Raw]) -> bool:
    kind = fields.get("kind")
    if kind is None or kind_of(kind) != TEXT:
        return False
    return ID not in fields or bytes(kind) == _SUMMARY_TEXT
