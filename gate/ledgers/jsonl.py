"""The run ledger as a file of JSON lines: read whole, appended one line at a time."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.core.records.ledger import Ledger, read_ledger
from gate.errors import EvidenceError, UnavailableError

if TYPE_CHECKING:
    from gate.core.records.new_record import NewRecord

FILE_NAME: Final = "eval-results.jsonl"
FOLDER: Final = ".gbrain-evals"


class JsonlLedger:
    """A ledger file that many processes may append to at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Ledger:
        """Every record; a missing file is an empty ledger that says so. EvidenceError when it is no file."""
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise self._not_a_file()
            data = self.path.read_bytes()
        except FileNotFoundError:
            return Ledger(missing=True)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise EvidenceError(
                f"{self.path}: the ledger cannot be read ({getattr(error, 'strerror', error)})",
                remedy="check the path and its permissions",
            ) from error
        return read_ledger(data)

    def append(self, record: "NewRecord") -> None:
        """Add one line, whole or not at all, and see it on disk.

        Writers wait for each other; a torn last line left by somebody else is ended first. EvidenceError
        when the record is not valid; UnavailableError when the line cannot be written: nothing of it stays.
        """
        from gate.core.records.new_record import record_line  # readers need none of it

        try:
            line = record_line(record)
        except ValueError as error:
            raise EvidenceError(
                f"{self.path}: run {record.run_id} cannot be recorded: {error}",
                remedy="correct the record; schemas/run-record.v3.schema.json says what it must hold",
            ) from error
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self.path) as file:
                _append(file, line)
        except OSError as error:
            raise UnavailableError(
                f"{self.path}: the ledger cannot be written ({error.strerror})",
                remedy="free some space or check the permissions, then run again",
            ) from error

    def _not_a_file(self) -> EvidenceError:
        return EvidenceError(
            f"{self.path}: the ledger is not a regular file",
            remedy=f"name a .jsonl file, or a folder that holds {FILE_NAME}",
        )


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The file opened for reading and appending, with the exclusive lock that every writer takes."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)


def _append(file: int, line: bytes) -> None:
    size = os.fstat(file).st_size
    torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
    data = b"\n" + line if torn else line
    try:
        written = os.write(file, data)
        while written < len(data):  # a nearly full disk: the next write says what is wrong
            written += os.write(file, data[written:])
        os.fsync(file)
    except OSError:
        _take_back(file, size, data)
        raise


def _take_back(file: int, size: int, data: bytes) -> None:
    """Remove what a failed write left, unless somebody who takes no lock has written behind it."""
    left = os.pread(file, len(data) + 1, size)
    if data.startswith(left):
        os.ftruncate(file, size)
