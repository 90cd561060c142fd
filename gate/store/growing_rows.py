"""A file of rows while a suite writes it: line by line, so that whatever ends the run, the lines so far stay."""

import hashlib
import os
from pathlib import Path

from gate.core.plan import FileRef
from gate.errors import UnavailableError


class GrowingFile:
    """Implements GrowingRows on disk. A file of that name is replaced when the run begins."""

    def __init__(self, path: Path, name: str) -> None:
        """Open the file at `path`, which plans and receipts call `name`; UnavailableError when it cannot be."""
        self._path = path
        self._name = name
        self._digest = hashlib.sha256()
        self._size = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)  # never through a link, never into a file somebody reads
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            self._file: int | None = os.open(path, flags, 0o666)
        except OSError as error:
            raise self._not_written(error) from error

    def write(self, line: bytes) -> None:
        """Add one line, whole or not at all; UnavailableError when it cannot be written."""
        if self._file is None:
            raise ValueError(f"{self._name} is closed")
        try:
            written = os.write(self._file, line)
            while written < len(line):  # a nearly full disk: the next write says what is wrong
                written += os.write(self._file, line[written:])
        except OSError as error:
            os.ftruncate(self._file, self._size)
            raise self._not_written(error) from error
        self._size += len(line)
        self._digest.update(line)

    def close(self) -> FileRef:
        """The finished file, safe on disk, and its digest; closing it again changes nothing."""
        if self._file is not None:
            file, self._file = self._file, None
            try:
                os.fsync(file)
            except OSError as error:
                raise self._not_written(error) from error
            finally:
                os.close(file)
        return FileRef(path=self._name, sha256=self._digest.hexdigest(), bytes=self._size)

    def _not_written(self, error: OSError) -> UnavailableError:
        return UnavailableError(
            f"{self._name}: rows cannot be written ({error.strerror or error})",
            remedy="free space or quota there, check the folder's permissions, or choose another place",
        )
