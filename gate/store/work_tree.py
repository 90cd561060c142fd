"""What the work tree holds that no commit does, read without running git."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gate.ports import NotHereError
from gate.store.presence import has_git
from gate.store.workspace import relative_or

if TYPE_CHECKING:
    from dulwich.porcelain import GitStatus
    from dulwich.repo import Repo


def uncommitted(root: Path) -> tuple[str, ...]:
    """The paths that are staged, changed or not known to git, sorted; what is ignored does not count, and of a
    submodule only that another commit of it is checked out.

    NotHereError where there is no repository, or its work tree cannot be read.
    """
    if not has_git(root):
        raise NotHereError("there is no git repository")
    from dulwich.porcelain import status
    from dulwich.repo import Repo

    try:
        with Repo(str(root)) as repo:
            found = status(repo, untracked_files="all")
            return tuple(sorted(set(map(_text, _paths(found, _submodules(repo), root)))))
    except Exception as error:  # dulwich meets a damaged index with whatever its unpacking raises
        why = str(error).replace(str(root), ".")
        raise NotHereError(f"the work tree cannot be compared with its commit ({why})") from error


def uncommitted_beside(root: Path, written: Iterable[Path]) -> tuple[str, ...]:
    """The same without what a run writes: these files, and everything below these folders."""
    own = [name for path in written if (name := relative_or(root, path, ""))]
    return tuple(
        path
        for path in uncommitted(root)
        if not any(path == name or path.startswith(f"{name}/") for name in own)
    )


def _submodules(repo: "Repo") -> Mapping[bytes, bytes]:
    """The commit of each submodule, by its path."""
    from dulwich.objects import S_ISGITLINK

    return {path: sha for path, sha, mode in repo.open_index().iterobjects() if S_ISGITLINK(mode)}


def _paths(found: "GitStatus", submodules: Mapping[bytes, bytes], root: Path) -> Iterator[bytes]:
    staged: Mapping[str, list[str | bytes]] = found.staged
    yield from (os.fsencode(path) for paths in staged.values() for path in paths)
    # dulwich looks for submodules below the working folder, and takes what they hold for untracked
    for path in map(os.fsencode, (*found.unstaged, *found.untracked)):
        if not any(path == one or path.startswith(one + b"/") for one in submodules):
            yield path
    yield from (path for path, commit in submodules.items() if _checked_out(root, path) not in {None, commit})


def _checked_out(root: Path, submodule: bytes) -> bytes | None:
    """The commit that a submodule is at; None where it is not checked out."""
    from dulwich.index import read_submodule_head

    return read_submodule_head(str(root / os.fsdecode(submodule)))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace").replace(os.sep, "/")
