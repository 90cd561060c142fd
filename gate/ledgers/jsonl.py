"""The run ledger as a file of JSON lines: read whole, appended one line at a time."""

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.core.records.ledger import Ledger, read_ledger
from gate.errors import EvidenceError, UnavailableError

if TYPE_CHECKING:
    from gate.core.records.new_record import NewRecord
    from gate.core.records.pruning import Pruned, Pruning

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

    def prune(self, pruning: "Pruning") -> "Pruned":
        """Remove the runs that may go; every other line, be it a record or not, stays byte for byte.

        The file is replaced at once: a reader sees all of the old or all of the new, also after a crash. Writers
        of ours wait, and append to the new file. EvidenceError when there is no such file or it cannot be read,
        UnavailableError when the new one cannot be written; then nothing has changed.
        """
        from gate.core.records.pruning import pruned

        if self.read().missing:  # opening it for writing would make one
            raise EvidenceError(f"{self.path}: there is no such ledger", remedy="check the path")
        try:
            with _locked(self.path) as file:
                data = _whole(file)
                found = pruned(read_ledger(data).records, pruning)
                if found.going:
                    _replace(file, self.path.resolve(), data, {record.line for record in found.going})
        except OSError as error:
            raise UnavailableError(
                f"{self.path}: the ledger cannot be pruned ({error.strerror})",
                remedy="check the permissions, then run again",
            ) from error
        return found

    def _not_a_file(self) -> EvidenceError:
        return EvidenceError(
            f"{self.path}: the ledger is not a regular file",
            remedy=f"name a .jsonl file, or a folder that holds {FILE_NAME}",
        )


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """The file opened for reading and appending, with the exclusive lock that every writer takes."""
    file = _open(path)
    try:
        while not _still(file, path):  # pruned while we waited: the lock is on a file that is gone
            os.close(file)
            file = _open(path)
        yield file
    finally:
        os.close(file)


def _open(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def _still(file: int, path: Path) -> bool:
    """Whether the path still leads to the file that was opened."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _whole(file: int) -> bytes:
    with os.fdopen(os.dup(file), "rb") as opened:
        opened.seek(0)
        return opened.read()


def _replace(file: int, path: Path, data: bytes, going: set[int]) -> None:
    """A new file without these lines in the place of the old one, with its owner and its rights."""
    temporary = path.with_name(f".gate-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as new:
            _hand_down(file, new.fileno())
            new.writelines(_without(data, going))
            new.flush()
            os.fsync(new.fileno())
        if os.fstat(file).st_size != len(data):
            raise UnavailableError(
                f"{path}: a program that takes no lock wrote to the ledger meanwhile; nothing was removed",
                remedy="run again when no suite is running",
            )
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _hand_down(old: int, new: int) -> None:
    """A ledger that others may write to stays so."""
    rights, ours = os.fstat(old), os.fstat(new)
    if (rights.st_uid, rights.st_gid) != (ours.st_uid, ours.st_gid):
        os.fchown(new, rights.st_uid, rights.st_gid)
    os.fchmod(new, stat.S_IMODE(rights.st_mode))


def _without(data: bytes, going: set[int]) -> Iterator[bytes]:
    """Every line but these, counted from 1; a last one without its newline is a line, too."""
    *lines, tail = data.split(b"\n")
    kept = (line + b"\n" for number, line in enumerate(lines, start=1) if number not in going)
    yield from kept
    if len(lines) + 1 not in going:
        yield tail


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
