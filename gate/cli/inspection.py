"""One file, looked at: which contract it follows, and where it does not."""

import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from gate.core.contracts import (
    BRAINBENCH_BASELINE,
    BRAINBENCH_RESULT,
    CONFIG,
    GATE_RECEIPT,
    LINES,
    QUESTION_ROW,
    REPLAY_BASELINE,
    REPLAY_CAPTURE,
    contract_of,
)
from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.validate import Problem, checker
from gate.core.wording import found
from gate.errors import GateError
from gate.store.schema_files import load

if TYPE_CHECKING:
    from gate.core.records.rows import RowTable

LARGEST_DOCUMENT: Final = 256 * 1024 * 1024
"""The largest file that is read as one document, in bytes."""

_LINES_LOOKED_AT: Final = 20
_MOST_NAMED: Final = 10
_LONGEST_LINE: Final = 64 * 1024 * 1024
_YAML: Final = (".yml", ".yaml")
_JSON_LINES: Final = (".ndjson", ".jsonl")
_JSON: Final = (".json", *_JSON_LINES)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is wrong in a file; `line` counts from 1, None = it belongs to no line."""

    message: str
    line: int | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What one file turned out to be; `contract` None = no contract was recognised."""

    file: str
    contract: str | None
    troubles: tuple[Trouble, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the file follows a contract in everything."""
        return self.contract is not None and not self.troubles


def inspect(file: str, schema: str | None) -> Inspection:
    """The file under the schema of that name, or under the contract its content means to follow."""
    path = Path(file)
    try:
        unfit = _unfit(path)
        if unfit is not None:
            return Inspection(file, schema, (unfit,))
        contract, trouble = (schema, None) if schema is not None else _recognised(path)
        if contract is None:
            return Inspection(file, None, (trouble or Trouble("its content follows none of the contracts"),))
        troubles, notes = _reader(path, contract)(path, contract)
    except OSError as error:
        return Inspection(file, schema, (Trouble(f"cannot be read ({error.strerror or error})"),))
    return Inspection(file, contract, troubles, notes)


_Result = tuple[tuple[Trouble, ...], tuple[str, ...]]


def _unfit(path: Path) -> Trouble | None:
    try:
        state = path.stat()
    except FileNotFoundError:
        return Trouble("there is no such file")
    except ValueError:  # a NUL in the name
        return Trouble("cannot be the name of a file")
    if not stat.S_ISREG(state.st_mode):
        return Trouble("is a folder" if stat.S_ISDIR(state.st_mode) else "is not a regular file")
    return None if state.st_size else Trouble("is empty")


def _recognised(path: Path) -> tuple[str | None, Trouble | None]:
    """The contract that the content means to follow, or why it cannot be told."""
    if path.suffix in _YAML:
        return _of_yaml(path), None
    with path.open("rb") as file:
        records = [record for line in _first_lines(file) if (record := _parsed(line)) is not None]
    contract = next(filter(None, map(contract_of, records)), None)
    if contract is not None or (records and path.suffix in _JSON_LINES):
        return contract, None
    return _of_whole(path)


def _first_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines that may each be a record of their own: none when the first only opens a document."""
    lines = iter(lambda: file.readline(_LONGEST_LINE), b"")
    for number, line in enumerate(islice(filter(bytes.strip, lines), _LINES_LOOKED_AT)):
        if number == 0 and line.strip().removeprefix(b"\xef\xbb\xbf") in (b"{", b"["):
            return
        yield line


def _parsed(line: bytes) -> object:
    try:
        return strict_loads(line)
    except StrictJsonError:
        return None


def _of_whole(path: Path) -> tuple[str | None, Trouble | None]:
    if path.stat().st_size > LARGEST_DOCUMENT:
        return None, Trouble(f"is larger than {LARGEST_DOCUMENT:,} bytes, and its first lines are no records")
    try:
        return contract_of(strict_loads(path.read_bytes())), None
    except StrictJsonError as error:
        trouble = Trouble(f"column {error.column}: {error.reason}", error.line)
    return (None, trouble) if path.suffix in _JSON else (_of_yaml(path), None)


def _of_yaml(path: Path) -> str | None:
    """A configuration by its name or its keys; YAML that cannot be read can only mean to be one."""
    from gate.store.config_file import read_config

    try:
        return CONFIG if path.stem == "eval-gate" else contract_of(read_config(path).document)
    except GateError:
        return CONFIG if path.suffix in _YAML else None


def _reader(path: Path, contract: str) -> Callable[[Path, str], _Result]:
    if contract in _READERS:
        return _READERS[contract]
    return _lines if contract in LINES or path.suffix in _JSON_LINES else _document


def _config(path: Path, _contract: str) -> _Result:
    from gate.settings import check
    from gate.store.config_file import read_config

    try:
        config = read_config(path)
    except GateError as error:
        return (_told(path, error),), ()
    troubles = [Trouble(p.message, config.lines.get(p.place), p.place) for p in check(config)]
    return tuple(sorted(troubles, key=lambda trouble: trouble.line or 0)), ()


def _rows(path: Path, _contract: str) -> _Result:
    """The typed decoder's word: it and the schema accept and refuse the same rows."""
    from gate.store.row_files import read_rows

    try:
        table = read_rows(path, name=str(path))
    except GateError as error:
        return (_told(path, error),), ()
    if not len(table):
        return (Trouble("holds no rows"),), ()
    return (), tuple(_row_notes(table))


def _row_notes(table: "RowTable") -> Iterator[str]:
    notes = table.notes
    yield _count(len(table), "row")
    yield f"metrics: {_some(tuple(table.metrics))}" if table.metrics else "no metrics"
    if notes.not_metrics:
        yield f"not always numbers, so no metrics: {_some(notes.not_metrics)}"
    counted = {"blank line": notes.blank_lines, "run info line": notes.run_info_lines}
    yield from (_count(number, what) for what, number in counted.items() if number)


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def _receipt(path: Path, contract: str) -> _Result:
    """A receipt must also carry the digest of everything else in it."""
    from gate.core.receipt import DIGEST_KEY, digest

    document, troubles = _read(path, contract)
    if troubles or not isinstance(document, dict):
        return troubles, ()
    right = digest(document)
    if document.get(DIGEST_KEY) != right:
        shown = found(document.get(DIGEST_KEY))
        message = f"expected {found(right)}, found {shown}: the receipt was changed after it was written"
        return (Trouble(message, place=DIGEST_KEY),), ()
    unfinished = () if document.get("complete") is True else ("the run was not finished",)
    return (), (f"{DIGEST_KEY} holds", *unfinished)


def _document(path: Path, contract: str) -> _Result:
    return _read(path, contract)[1], ()


def _read(path: Path, contract: str) -> tuple[object, tuple[Trouble, ...]]:
    try:
        document = strict_loads(path.read_bytes())
    except StrictJsonError as error:
        return None, (Trouble(f"column {error.column}: {error.reason}", error.line),)
    return document, tuple(_of_problems(checker(load(contract))(document), None))


def _lines(path: Path, contract: str) -> _Result:
    check = checker(load(contract))
    troubles: list[Trouble] = []
    records = blank = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                blank += 1
                continue
            records += 1
            troubles.extend(_of_record(line, number, check))
    counted = (_count(records, "record"), *((_count(blank, "blank line"),) if blank else ()))
    return tuple(troubles), counted


def _captures(path: Path, contract: str) -> _Result:
    """Captured queries; what a baseline states about its rows must be true as well."""
    from gate.core.replay.captures import read_captures

    troubles, notes = _lines(path, contract)
    return _then(troubles, notes, lambda: read_captures(path.read_bytes()))


def _brainbench(path: Path, contract: str) -> _Result:
    """A result or a baseline; the counts of its cells must be possible as well."""
    from gate.core.brainbench.result import read_baseline, read_result

    read = read_result if contract == BRAINBENCH_RESULT else read_baseline
    troubles, notes = _document(path, contract)
    return _then(troubles, notes, lambda: read(path.read_bytes()))


def _then(troubles: tuple[Trouble, ...], notes: tuple[str, ...], read: Callable[[], object]) -> _Result:
    """What the schema found; where it found nothing, what the reader says."""
    if troubles:
        return troubles, notes
    try:
        read()
    except ValueError as error:
        return (Trouble(str(error)),), notes
    return (), notes


def _of_record(line: bytes, number: int, check: Callable[[object], Iterable[Problem]]) -> Iterable[Trouble]:
    try:
        return _of_problems(check(strict_loads(line)), number)
    except StrictJsonError as error:
        torn = "" if line.endswith(b"\n") else " (the last line was not written to its end)"
        return (Trouble(f"column {error.column}: {error.reason}{torn}", number),)


def _of_problems(problems: Iterable[Problem], line: int | None) -> Iterator[Trouble]:
    return (Trouble(problem.message, line, problem.place) for problem in problems)


def _told(path: Path, error: GateError) -> Trouble:
    """What a reader says, with the line it names set apart."""
    said = re.match(rf"{re.escape(str(path))}(?:(?:, line |:)(\d+))?: ?", error.message)
    if said is None:
        return Trouble(error.message)
    return Trouble(error.message[said.end() :], int(said[1]) if said[1] else None)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


_READERS: Final[Mapping[str, Callable[[Path, str], _Result]]] = {
    CONFIG: _config,
    QUESTION_ROW: _rows,
    GATE_RECEIPT: _receipt,
    REPLAY_CAPTURE: _captures,
    REPLAY_BASELINE: _captures,
    BRAINBENCH_RESULT: _brainbench,
    BRAINBENCH_BASELINE: _brainbench,
}
