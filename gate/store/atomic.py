"""Files appear whole or not at all."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from gate.errors import UnavailableError


def write_atomic(path: Path, data: bytes) -> None:
    """Write a file so that readers see the old content or all of the new, also after a crash.

    Missing folders are made, the mode follows the umask, a failed write leaves no file behind.
    UnavailableError when the file cannot be written.
    """
    write_atomic_blocks(path, (data,))


def write_atomic_blocks(path: Path, blocks: Iterable[bytes]) -> None:
    """Like `write_atomic`, for content that arrives piece by piece."""
    if "\0" in str(path):
        raise _not_written(path, "a path cannot hold a NUL")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, blocks)
    except OSError as error:
        raise _not_written(path, error.strerror or str(error)) from error


def _not_written(path: Path, reason: str) -> UnavailableError:
    return UnavailableError(
        f"{path}: cannot be written ({reason})",
        remedy="free space or quota there, check the folder's permissions, or choose another folder",
    )


def _replace(path: Path, blocks: Iterable[bytes]) -> None:
    temporary = path.with_name(f".gate-{secrets.token_hex(8)}.tmp")
    try:
        _write(temporary, blocks)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _flush_folder(path.parent)


def _write(path: Path, blocks: Iterable[bytes]) -> None:
    # O_EXCL: never through a link that somebody planted; 0o666: the kernel applies the umask
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(blocks)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Make the rename itself durable; file systems that cannot do that for a folder keep their promise without."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)
