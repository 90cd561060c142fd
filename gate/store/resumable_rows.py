"""A file of rows that survives its writer: appended line by line, continued after a kill, put in order at the end."""

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from gate.core.plan import FileRef
from gate.errors import EvidenceError, UnavailableError, UsageError
from gate.store.atomic import write_atomic_blocks

SYNC_SECONDS: Final = 1.0
"""A killed process loses nothing that was written; a machine that loses power, at most this much."""


class ResumableFile:
    """One file, open for appending, that no second run can open at the same time."""

    def __init__(self, path: Path, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Open or make the file; UnavailableError when that is impossible, UsageError when a run is writing it."""
        self.path = path
        self._monotonic = monotonic
        self._synced = monotonic()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
            self._file: int | None = os.open(path, flags, 0o666)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise _not_written(path, error) from error
        self._lock()

    def read(self) -> bytes:
        """Everything that is there."""
        return self.path.read_bytes()

    def restart(self, size: int = 0) -> None:
        """Forget what stands behind the first `size` bytes, such as a line that was torn by a kill."""
        os.ftruncate(self._open(), size)

    def write(self, line: bytes) -> None:
        """Add one line, whole or not at all; UnavailableError when it cannot be written."""
        file = self._open()
        size = os.fstat(file).st_size
        try:
            written = os.write(file, line)
            while written < len(line):  # a nearly full disk: the next write says what is wrong
                written += os.write(file, line[written:])
            self._sync_now_and_then(file)
        except OSError as error:
            os.ftruncate(file, size)
            raise _not_written(self.path, error) from error

    def finish(self, lines: Iterable[bytes], name: str) -> FileRef:
        """Replace the file at once by its final lines; `name` is what records call it."""
        digest, size = hashlib.sha256(), 0
        blocks = []
        for line in lines:
            digest.update(line)
            size += len(line)
            blocks.append(line)
        write_atomic_blocks(self.path, blocks)
        self.close()
        return FileRef(path=name, sha256=digest.hexdigest(), bytes=size)

    def close(self) -> None:
        """Give the file free; closing it again changes nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        if self._file is None:
            raise ValueError(f"{self.path} is closed")
        return self._file

    def _lock(self) -> None:
        try:
            fcntl.flock(self._open(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise UsageError(
                f"{self.path}: another run is writing this file",
                remedy="wait until it ends, or give --output another name",
            ) from error

    def _sync_now_and_then(self, file: int) -> None:
        now = self._monotonic()
        if now - self._synced >= SYNC_SECONDS:
            os.fsync(file)
            self._synced = now


def _not_written(path: Path, error: OSError | ValueError) -> UnavailableError:
    return UnavailableError(
        f"{path}: rows cannot be written ({getattr(error, 'strerror', None) or error})",
        remedy="free space or quota there, check the folder's permissions, or choose another place",
    )


def remove_rows(path: Path) -> None:
    """Make place for other rows; UnavailableError when what lies there cannot be removed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _not_written(path, error) from error


def rows_there(path: Path) -> bytes | None:
    """What a file of rows holds, without opening it for writing; None when there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise EvidenceError(
            f"{path}: cannot be read ({error.strerror or error})", remedy="name a file of rows"
        ) from error
