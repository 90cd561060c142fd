"""Files as a commit has them, read from the object store without running git or touching the work tree."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from gate.ports import NotHereError

if TYPE_CHECKING:
    from dulwich.objects import Commit
    from dulwich.repo import Repo


class GitTree:
    """The trees of the repository at a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def resolved(self, name: str) -> str:
        """The commit that a branch, a tag, `HEAD~1` or the first digits of a sha names; NotHereError for no one."""
        from dulwich.errors import NotGitRepository
        from dulwich.objectspec import AmbiguousShortId, parse_commit, parse_object
        from dulwich.repo import Repo

        try:
            with Repo(str(self._root)) as repo:
                start = re.split("[~^]", name, maxsplit=1)[0]
                found = parse_commit(repo, start or "~").id + name[len(start) :].encode()
                return parse_commit(repo, parse_object(repo, found).id).id.decode()
        except (NotGitRepository, AmbiguousShortId, KeyError, ValueError, OSError) as error:
            raise NotHereError(f"no commit is known here as {name!a}") from error

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's bytes at a commit, None where it has no such file; NotHereError in a clone without the commit."""
        from dulwich.errors import NotGitRepository
        from dulwich.objects import Blob
        from dulwich.repo import Repo

        try:
            with Repo(str(self._root)) as repo:
                found = _lookup(repo, commit, path)
                return found.data if isinstance(found, Blob) else None
        except (NotGitRepository, OSError) as error:
            raise NotHereError(f"no git repository tells what {commit[:7]} holds") from error

    def names(self, commit: str, folder: str) -> tuple[str, ...]:
        """The names in a folder at a commit, sorted; none where it has no such folder; NotHereError likewise."""
        from dulwich.errors import NotGitRepository
        from dulwich.objects import Tree
        from dulwich.repo import Repo

        try:
            with Repo(str(self._root)) as repo:
                found = _folder(repo, commit, folder)
                return (
                    tuple(sorted(name.decode("utf-8", "replace") for name in found))
                    if isinstance(found, Tree)
                    else ()
                )
        except (NotGitRepository, OSError) as error:
            raise NotHereError(f"no git repository tells what {commit[:7]} holds") from error

    def parents(self, commit: str) -> tuple[str, ...]:
        """The parents a commit names, even where a shallow clone does not hold them; NotHereError without it."""
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo

        try:
            with Repo(str(self._root)) as repo:
                return tuple(parent.decode() for parent in _commit(repo, commit).parents)
        except (NotGitRepository, OSError) as error:
            raise NotHereError(f"no git repository knows {commit[:7]}") from error

    def changed(self, before: str, after: str) -> tuple[str, ...]:
        """The paths that differ between two commits; NotHereError in a clone without one of them."""
        from dulwich.diff_tree import tree_changes
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo

        try:
            with Repo(str(self._root)) as repo:
                trees = [_commit(repo, commit).tree for commit in (before, after)]
                changes = tree_changes(repo.object_store, trees[0], trees[1])
                paths = {
                    side.path.decode("utf-8", "replace")
                    for change in changes
                    for side in (change.old, change.new)
                    if side is not None and side.path is not None
                }
        except (NotGitRepository, KeyError, OSError) as error:
            raise NotHereError(f"this clone does not hold {before[:7]} and {after[:7]}") from error
        return tuple(sorted(paths))


def _commit(repo: "Repo", commit: str) -> "Commit":
    from dulwich.objects import Commit

    try:
        found = repo[commit.encode()]
    except KeyError as error:
        raise NotHereError(f"this clone does not hold {commit[:7]}") from error
    if not isinstance(found, Commit):
        raise NotHereError(f"{commit[:7]} is no commit")
    return found


def _lookup(repo: "Repo", commit: str, path: str) -> object | None:
    """The object at a path; None where the tree names none, or names a link or a submodule."""
    from stat import S_ISREG

    from dulwich.objects import Tree

    folder, _, name = path.rpartition("/")
    tree = _folder(repo, commit, folder)
    if not isinstance(tree, Tree) or name.encode() not in tree:
        return None
    mode, sha = tree[name.encode()]
    return _object(repo, sha, commit) if S_ISREG(mode) else None


def _folder(repo: "Repo", commit: str, path: str) -> object | None:
    """The object at a folder's path, the root's where it is empty; None where there is no folder."""
    from stat import S_ISDIR

    from dulwich.objects import Tree

    found = _object(repo, _commit(repo, commit).tree, commit)
    for part in path.encode().split(b"/") if path else ():
        if not isinstance(found, Tree) or part not in found:
            return None
        mode, sha = found[part]
        found = _object(repo, sha, commit) if S_ISDIR(mode) else None
    return found


def _object(repo: "Repo", sha: bytes, commit: str) -> object:
    try:
        return repo[sha]
    except KeyError as error:
        raise NotHereError(f"this clone does not hold the files of {commit[:7]}") from error
