"""What git knows about a repository as a whole: its default branch, where it came from, how deep the clone is."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.store.presence import has_git

if TYPE_CHECKING:
    from dulwich.repo import Repo

_REMOTE: Final = re.compile(
    r"(?:[a-z+]+://(?:[^/@]*@)?|[^/@:]+@)"  # a scheme, or user@; whatever stands before the @ is never shown
    r"(?P<host>[A-Za-z0-9.-]+)(?::[0-9]+(?=/))?[:/]+"
    r"(?P<name>[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+?)(?:\.git)?/?"
)
_ORIGIN_HEAD: Final = b"refs/remotes/origin/HEAD"
_HEADS: Final = (b"refs/remotes/origin/", b"refs/heads/")
_USUAL: Final = ("main", "master", "trunk")


@dataclass(frozen=True, slots=True)
class Branch:
    """The branch that pull requests go to, and in plain words how that is known."""

    name: str
    known_from: str


@dataclass(frozen=True, slots=True)
class GitFacts:
    """One repository; None where git does not say."""

    branch: Branch
    head: str | None = None
    host: str | None = None
    """The server that the remote `origin` lies on."""
    name: str | None = None
    """`owner/repository` of the remote `origin`."""
    cut_off: bool = False
    """A shallow clone that ends at the commit that is checked out: its parents are not here."""


def git_facts(root: Path) -> GitFacts | None:
    """What git knows about the repository at a folder; None where there is none."""
    if not has_git(root):
        return None
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        with Repo(str(root)) as repo:
            return _facts(repo)
    except (NotGitRepository, OSError):
        return None


def tracked(root: Path) -> frozenset[str]:
    """The paths that are committed or staged; empty without a repository."""
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        with Repo(str(root)) as repo:
            return frozenset(path.decode("utf-8", "replace") for path in repo.open_index())
    except (NotGitRepository, OSError):
        return frozenset()


def remote_of(url: str) -> tuple[str, str] | None:
    """Host and `owner/repository` of a remote's address, in any of git's forms; None for anything else."""
    found = _REMOTE.fullmatch(url)
    return (found["host"].lower(), found["name"]) if found else None


def _facts(repo: "Repo") -> GitFacts:
    remote = _remote(repo)
    head = _head(repo)
    return GitFacts(
        branch=_branch(repo),
        head=head,
        host=remote[0] if remote else None,
        name=remote[1] if remote else None,
        cut_off=head is not None and head.encode() in repo.get_shallow(),
    )


def _head(repo: "Repo") -> str | None:
    try:
        return repo.head().decode()
    except KeyError:
        return None


def _remote(repo: "Repo") -> tuple[str, str] | None:
    try:
        url = repo.get_config().get((b"remote", b"origin"), b"url")
    except KeyError:
        return None
    return remote_of(url.decode("utf-8", "replace"))


def _branch(repo: "Repo") -> Branch:
    """The remote's own default; else the usual names, as far as such a branch is there; else what is checked out."""
    told = _target(repo, _ORIGIN_HEAD)
    if told is not None:
        return Branch(told.removeprefix("refs/remotes/origin/"), "the remote's default branch")
    known = {name for prefix in _HEADS for name in _names(repo, prefix)}
    usual = next((name for name in _USUAL if name in known), None)
    if usual is not None:
        return Branch(usual, "a branch of that name exists")
    here = _target(repo, b"HEAD")
    if here is not None:
        return Branch(here.removeprefix("refs/heads/"), "it is checked out")
    return Branch("main", "a guess: git names none")


def _names(repo: "Repo", prefix: bytes) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "replace") for name in repo.refs.as_dict(prefix.rstrip(b"/")))  # type: ignore[arg-type]  # dulwich's Ref is a NewType of bytes


def _target(repo: "Repo", name: bytes) -> str | None:
    """The branch a symbolic reference points to, which need not have a commit yet."""
    value = repo.refs.read_ref(name)  # type: ignore[arg-type]  # dulwich's Ref is a NewType of bytes
    if value is None or not value.startswith(b"ref: "):
        return None
    return value.removeprefix(b"ref: ").decode("utf-8", "replace").strip()
