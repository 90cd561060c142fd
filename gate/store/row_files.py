"""Row files on disk: streamed in, digested on the way, written back slim."""

import hashlib
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Protocol

from gate.core.records.row_decoder import decode_rows
from gate.core.records.row_duplicates import Duplicates
from gate.core.records.row_encoder import encode_rows
from gate.core.records.rows import RowTable
from gate.errors import EvidenceError
from gate.store.atomic import write_atomic_blocks

BLOCK_BYTES: Final = 128 * 2**10
"""Small enough that a block and the rows made from it stay in the processor's second-level cache."""

_REMEDY: Final = (
    "name the NDJSON file that holds the rows; paths in a config start at the config's own folder"
)


def read_rows(
    path: Path,
    *,
    name: str,
    duplicates: Duplicates = "refused",
    required: frozenset[str] = frozenset(),
) -> RowTable:
    """The rows of a file, which messages call `name`; see `decode_rows` for the choices and the errors.

    EvidenceError also when there is no such file, or it cannot be read.
    """
    with _opened(path, name) as file:
        return decode_rows(_blocks(file), name=name, duplicates=duplicates, required=required)


def read_rows_with_digest(
    path: Path,
    *,
    name: str,
    duplicates: Duplicates = "refused",
    required: frozenset[str] = frozenset(),
) -> tuple[RowTable, str, int]:
    """Like `read_rows`, with the sha256 and the size of exactly the bytes that were read."""
    digest = _Digest()
    with _opened(path, name) as file:
        blocks = map(digest.passed, _blocks(file))
        table = decode_rows(blocks, name=name, duplicates=duplicates, required=required)
    return table, digest.sha256.hexdigest(), digest.size


def digest(path: Path, *, name: str) -> tuple[str, int]:
    """The sha256 and the size of a file; EvidenceError when it cannot be read."""
    seen = _Digest()
    with _opened(path, name) as file:
        for block in _blocks(file):
            seen.passed(block)
    return seen.sha256.hexdigest(), seen.size


def rows_bytes(table: RowTable) -> bytes:
    """The slim copy of a table: ids, types, clusters, values and digests, no text; the same bytes every time."""
    return b"".join(encode_rows(table))


def write_rows(path: Path, table: RowTable) -> None:
    """Write the slim copy atomically; reading it gives an equal table again, but for its notes.

    UnavailableError when it cannot be written.
    """
    write_atomic_blocks(path, encode_rows(table))


class _Digest:
    """What passed by."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()
        self.size = 0

    def passed(self, block: bytes) -> bytes:
        self.sha256.update(block)
        self.size += len(block)
        return block


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _blocks(file: _Readable) -> Iterator[bytes]:
    while block := file.read(BLOCK_BYTES):
        yield block


@contextmanager
def _opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    """The file, open; whatever goes wrong with it, now or while it is read, is an EvidenceError."""
    if "\0" in str(path):
        raise EvidenceError(f"{name!a}: a path cannot hold a NUL", remedy=_REMEDY)
    try:
        mode = path.stat().st_mode  # first: opening a pipe would wait for somebody to write
        if not stat.S_ISREG(mode):
            what = "a directory" if stat.S_ISDIR(mode) else "no regular file"
            raise EvidenceError(f"{name}: this is {what}", remedy=_REMEDY)
        with path.open("rb", buffering=0) as file:
            yield file
    except FileNotFoundError as error:
        raise EvidenceError(f"{name}: there is no such file", remedy=_REMEDY) from error
    except OSError as error:
        raise EvidenceError(
            f"{name}: cannot be read ({error.strerror or error})",
            remedy="check the permissions of the file and of the folders above it, and the disk",
        ) from error
