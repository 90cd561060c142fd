"""Files as they were pinned: from the disk or from the base's tree, and never another content."""

import hashlib
from pathlib import Path

import pytest

from gate.core.plan import FileRef
from gate.errors import EvidenceError
from gate.ports import NotHereError
from gate.store.git_tree import GitTree
from gate.wiring.pinned_bytes import pinned_bytes, pinned_path
from tests.repositories import git, repository


def pinned(data: bytes, commit: str | None = None) -> FileRef:
    return FileRef(path="b.json", sha256=hashlib.sha256(data).hexdigest(), bytes=len(data), commit=commit)


@pytest.fixture
def base(tmp_path: Path) -> str:
    """A repository whose file was changed on disk since its only commit."""
    repository(tmp_path, {"b.json": b"as the base has it"})
    (tmp_path / "b.json").write_bytes(b"as it is now")
    return git(tmp_path, "rev-parse", "HEAD")


def test_a_file_of_the_base_is_read_from_its_tree(tmp_path: Path, base: str) -> None:
    tree = GitTree(tmp_path)
    assert pinned_bytes(pinned(b"as the base has it", base), tmp_path, tree) == b"as the base has it"
    assert pinned_bytes(pinned(b"as it is now"), tmp_path, tree) == b"as it is now"


def test_another_content_than_the_pinned_one_is_refused(tmp_path: Path, base: str) -> None:
    for file in (pinned(b"something else"), pinned(b"something else", base)):
        with pytest.raises(EvidenceError, match=r"b\.json: changed since the run was planned"):
            pinned_bytes(file, tmp_path, GitTree(tmp_path))


def test_a_file_that_is_not_there_is_named(tmp_path: Path, base: str) -> None:
    gone = FileRef(path="c.json", sha256="0" * 64, bytes=0)
    with pytest.raises(EvidenceError, match=r"c\.json: cannot be read"):
        pinned_bytes(gone, tmp_path, GitTree(tmp_path))
    with pytest.raises(NotHereError):
        pinned_bytes(
            FileRef(path="c.json", sha256="0" * 64, bytes=0, commit=base), tmp_path, GitTree(tmp_path)
        )


def test_a_file_of_the_base_gets_a_path_that_everybody_can_read_and_is_gone_afterwards(
    tmp_path: Path, base: str
) -> None:
    tree = GitTree(tmp_path)
    with pinned_path(pinned(b"as the base has it", base), tmp_path, tree) as path:
        assert (path.name, path.read_bytes()) == ("b.json", b"as the base has it")
        assert (path.stat().st_mode & 0o444, path.parent.stat().st_mode & 0o555) == (0o444, 0o555)
    assert not path.parent.exists()
    with pinned_path(pinned(b"as it is now"), tmp_path, tree) as path:
        assert path == (tmp_path / "b.json").resolve()
