"""What the work tree holds that no commit does, read without running git."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gate.ports import NotHereError
from gate.store.presence import has_git

if TYPE_CHECKING:
    from dulwich.porcelain import GitStatus


def uncommitted(root: Path) -> tuple[str, ...]:
    """The paths that are staged, changed or not known to git, sorted; what is ignored does not count.

    NotHereError where there is no repository, or its work tree cannot be read.
    """
    if not has_git(root):
        raise NotHereError(f"{root} is no repository")
    from dulwich.porcelain import status

    try:
        return tuple(sorted(set(_paths(status(str(root), untracked_files="all")))))
    except Exception as error:  # dulwich meets a damaged index with whatever its unpacking raises
        raise NotHereError(f"the work tree of {root} cannot be compared with its commit ({error})") from error


def _paths(found: "GitStatus") -> Iterator[str]:
    staged: Mapping[str, list[str | bytes]] = found.staged
    for path in (*(path for paths in staged.values() for path in paths), *found.unstaged, *found.untracked):
        data = os.fsencode(path)
        yield data.decode("utf-8", "replace").replace(os.sep, "/")
