"""The commit that files of questions come from, where git can tell it honestly."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.store.dataset_cache import commit_note
from gate.store.presence import has_git
from gate.store.run_rows import repository_root

if TYPE_CHECKING:
    from dulwich.repo import Repo

LOOK_BACK: Final = 2_000
"""First-parent steps after which a change counts as not found."""
_BLOCK: Final = 2**20
_IN_THE_CACHE: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SHA1: Final = re.compile(r"[0-9a-f]{40}", re.ASCII)

Blobs = Mapping[bytes, bytes | None]
"""Paths inside a repository and the ids of their contents at a commit; None = the commit has no such file."""


def dataset_commit(paths: Sequence[Path]) -> str | None:
    """The full sha of the last commit that changed one of the files, if they are as that commit left them.

    A file of the dataset cache comes from the commit that its address named when it was fetched.
    None without a repository that holds them all, for a file that is not committed or was changed since, and
    where the clone ends before the commit. The repository may be another one than the gate runs in.
    """
    files = [path.resolve() for path in paths]
    if len(files) == 1 and _IN_THE_CACHE.fullmatch(files[0].parent.name):
        return _noted(files[0])
    roots = {repository_root(file.parent) for file in files}
    if len(roots) != 1:
        return None
    (root,) = roots
    if not has_git(root):
        return None
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    inside = {file.relative_to(root).as_posix().encode(): file for file in files}
    try:
        with Repo(str(root)) as repo:
            return _last_change(repo, inside)
    except (NotGitRepository, KeyError, OSError):
        return None


def _noted(file: Path) -> str | None:
    try:
        text = commit_note(file).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if _SHA1.fullmatch(text) else None


def _last_change(repo: "Repo", files: Mapping[bytes, Path]) -> str | None:
    from dulwich.objects import Commit

    shallow = repo.get_shallow()
    sha = repo.head()
    blobs = _blobs(repo, sha, files)
    if any(blob is None or blob != _blob_id(files[name]) for name, blob in blobs.items()):
        return None
    for _ in range(LOOK_BACK):
        commit = repo[sha]
        if not isinstance(commit, Commit) or sha in shallow:
            return None
        if not commit.parents or _blobs(repo, commit.parents[0], files) != blobs:
            return sha.decode()
        sha = commit.parents[0]
    return None


def _blobs(repo: "Repo", sha: bytes, files: Mapping[bytes, Path]) -> Blobs:
    from dulwich.object_store import tree_lookup_path
    from dulwich.objects import Commit

    commit = repo[sha]
    if not isinstance(commit, Commit):
        raise KeyError(sha)
    found: dict[bytes, bytes | None] = {}
    for name in files:
        try:
            found[name] = tree_lookup_path(repo.object_store.__getitem__, commit.tree, name)[1]
        except KeyError:
            found[name] = None
    return found


def _blob_id(path: Path) -> bytes:
    """What git calls a file's content: sha1 over its kind, its size and its bytes."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest().encode()
