"""Pinned files as they were pinned, wherever they lie: on disk, or in the base's tree."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from gate.core.plan import FileRef
from gate.errors import EvidenceError
from gate.ports import NotHereError, Tree
from gate.store.confinement import confine

_READABLE: Final = 0o644
_PASSABLE: Final = 0o755


def pinned_bytes(file: FileRef, root: Path, tree: Tree) -> bytes:
    """The content; EvidenceError when it is no longer what was pinned, or cannot be read."""
    if file.commit is None:
        return bytes_on_disk(file, root)
    data = tree.read(file.commit, file.path)
    if data is None:
        raise NotHereError(f"{file.path} of {file.commit[:7]} is not here")
    return _unchanged(file, data)


def bytes_on_disk(file: FileRef, root: Path) -> bytes:
    """The same of a file of the workspace."""
    try:
        data = confine(root, file.path).read_bytes()
    except OSError as error:
        raise EvidenceError(
            f"{file.path}: cannot be read ({error.strerror or error})", remedy="check the path"
        ) from error
    return _unchanged(file, data)


@contextmanager
def pinned_path(file: FileRef, root: Path, tree: Tree) -> Iterator[Path]:
    """A path with that content, which every user can read: the file itself, or a copy of what the base has."""
    if file.commit is None:
        yield confine(root, file.path)
        return
    with tempfile.TemporaryDirectory(prefix="gate-base-") as folder:
        Path(folder).chmod(_PASSABLE)
        copy = Path(folder) / Path(file.path).name
        copy.write_bytes(pinned_bytes(file, root, tree))
        copy.chmod(_READABLE)
        yield copy


def _unchanged(file: FileRef, data: bytes) -> bytes:
    if sha256(data).hexdigest() != file.sha256:
        raise EvidenceError(
            f"{file.path}: changed since the run was planned", remedy="do not change it while the gate runs"
        )
    return data
