"""What git can tell about commits, read from the object store without running git."""

import re
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.store.presence import has_git

if TYPE_CHECKING:
    from dulwich.objects import ObjectID
    from dulwich.repo import Repo

_SHA: Final = re.compile(r"[0-9a-f]{7,40}")
LOOK_BACK: Final = 2_000
"""First-parent steps after which an ancestor counts as not found."""


class GitHistory:
    """History of the repository at a folder; a folder without one can tell nothing."""

    def __init__(self, root: Path, *, look_back: int = LOOK_BACK) -> None:
        self._root = root
        self._look_back = look_back
        self._line: tuple[str, ...] | None = None

    def head(self) -> str | None:
        """The full sha of the commit that is checked out; None before the first commit or without git."""
        line = self._first_parents()
        return line[0] if line else None

    def distance(self, ancestor: str, descendant: str) -> int | None:
        """First-parent steps from `descendant` back to `ancestor`, either of them full or short."""
        line = self._first_parents()
        start = _position(line, descendant)
        end = _position(line, ancestor)
        return None if start is None or end is None or end < start else end - start

    def elsewhere(self, commit: str, descendant: str) -> bool:
        """Whether the clone holds both commits and one does not descend from the other; a shallow clone cannot tell."""
        return has_git(self._root) and _unrelated(self._root, commit, descendant)

    def _first_parents(self) -> tuple[str, ...]:
        if self._line is None:
            self._line = tuple(_walk(self._root, self._look_back))
        return self._line


def _walk(root: Path, limit: int) -> list[str]:
    """The first-parent line from HEAD, as far as the clone goes: a shallow clone simply ends early."""
    if not has_git(root):
        return []
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        with Repo(str(root)) as repo:
            return _line(repo, limit)
    except (NotGitRepository, KeyError, OSError):
        return []


def _line(repo: "Repo", limit: int) -> list[str]:
    from dulwich.objects import Commit

    line: list[str] = []
    todo = deque([repo.head()])
    while todo and len(line) < limit:
        sha = todo.popleft()
        if sha not in repo:
            break
        line.append(sha.decode())
        commit = repo[sha]
        if isinstance(commit, Commit) and commit.parents:
            todo.append(commit.parents[0])
    return line


def _unrelated(root: Path, commit: str, descendant: str) -> bool:
    from dulwich.errors import NotGitRepository
    from dulwich.graph import can_fast_forward
    from dulwich.repo import Repo

    try:
        with Repo(str(root)) as repo:
            old, new = _whole_sha(repo, commit), _whole_sha(repo, descendant)
            if old is None or new is None or repo.get_shallow():
                return False
            return not can_fast_forward(repo, old, new)
    except (NotGitRepository, KeyError, OSError):
        return False


def _whole_sha(repo: "Repo", sha: str) -> "ObjectID | None":
    """The one commit that a full or short sha means; None where there is none, or more than one."""
    from dulwich.objects import Commit

    if _SHA.fullmatch(sha) is None:
        return None
    found = [each for each in repo.object_store.iter_prefix(sha.encode()) if isinstance(repo[each], Commit)]
    return found[0] if len(found) == 1 else None


def _position(line: tuple[str, ...], sha: str) -> int | None:
    if len(sha) < 7:
        return None
    for index, known in enumerate(line):
        if known.startswith(sha):
            return index
    return None
