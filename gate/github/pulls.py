"""What the API knows about pull requests and commits: heads, bases, files, contents, permissions."""

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gate.errors import EvidenceError
from gate.github.failures import MissingError, RefusedError
from gate.github.understanding import understood

if TYPE_CHECKING:
    from collections.abc import Sequence

    from github.File import File
    from github.PullRequest import PullRequest
    from github.Repository import Repository

MOST_FILES: Final = 3_000
"""GitHub lists no more files of a pull request than this, and does not say so."""

MOST_COMPARED: Final = 300
"""GitHub lists no more files of a comparison than this, and does not say so either."""

MOST_BYTES: Final = 100_000_000
"""GitHub gives no larger file through its API."""

WRITERS: Final = frozenset({"write", "admin"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PullFacts:
    """A pull request as it is now, not as an event remembers it; no head repository = it was deleted."""

    number: int
    state: str
    head_sha: str
    head_ref: str
    head_repository: str | None
    head_repository_id: int | None
    base_ref: str
    base_sha: str
    merge_sha: str | None
    labels: tuple[str, ...]
    locked: bool
    url: str


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The files a pull request touches, old names of renamed ones included; `truncated` = there may be more."""

    paths: tuple[str, ...]
    truncated: bool


def facts(repository: "Repository", number: int) -> PullFacts:
    """The pull request as it is now; MissingError when there is none of this number. One read."""
    return _facts(repository.get_pull(number))


def head_under_test(repository: "Repository", number: int, tested: str) -> str | None:
    """The head of the pull request, where `tested` is really it or its merge; else None. One read."""
    now = facts(repository, number)
    return now.head_sha if tested in {now.head_sha, now.merge_sha} else None


def of_commit(repository: "Repository", sha: str) -> tuple[PullFacts, ...]:
    """The pull requests that contain a commit (merged ones too), oldest first."""
    found = (_facts(pull) for pull in repository.get_commit(sha).get_pulls())
    return tuple(sorted(found, key=lambda pull: pull.number))


def of_branch(
    repository: "Repository", *, head_repository: str, head_repository_id: int, branch: str, head_sha: str
) -> tuple[PullFacts, ...]:
    """The open pull requests from `branch` of that very repository whose head is that very commit."""
    owner = head_repository.split("/", maxsplit=1)[0]
    found = (_facts(pull) for pull in repository.get_pulls(state="open", head=f"{owner}:{branch}"))
    return tuple(
        pull
        for pull in sorted(found, key=lambda pull: pull.number)
        if (pull.head_sha, pull.head_ref, pull.head_repository_id) == (head_sha, branch, head_repository_id)
    )


def merge_base(repository: "Repository", base: str, head: str) -> str:
    """The commit both sides have in common, by GitHub's own reckoning; no clone is needed. One read."""
    compared = repository.compare(base, head, comparison_commits_per_page=1)
    with understood(f"the comparison of {base[:7]} and {head[:7]}"):
        return compared.merge_base_commit.sha


def changed_between(repository: "Repository", before: str, after: str) -> tuple[str, ...]:
    """The paths that differ between a commit and one that descends from it, old names of renamed files included.

    RefusedError where GitHub lists only a part of them, or `after` does not descend from `before`. One read.
    """
    compared = repository.compare(before, after, comparison_commits_per_page=1)
    with understood(f"the comparison of {before[:7]} and {after[:7]}"):
        whole = compared.merge_base_commit.sha.startswith(before)
        found = _names(compared.files)
    if not whole or len(compared.files) >= MOST_COMPARED:
        why = (
            "it lists only a part of the files"
            if whole
            else f"{after[:7]} does not descend from {before[:7]}"
        )
        raise RefusedError(
            f"GitHub cannot tell what changed since {before[:7]}: {why}",
            remedy="check out with `fetch-depth: 0`, so that git tells",
        )
    return found


def first_parent(repository: "Repository", sha: str) -> str | None:
    """The first parent of a commit (of a tested merge: the base it was merged into); None = it has none. One read."""
    with understood(f"commit {sha[:7]}"):
        return next(
            (parent.sha for parent in repository.get_commit(sha, commit_files_per_page=1).parents), None
        )


def parents(repository: "Repository", sha: str) -> tuple[str, ...]:
    """The parents of a commit, first parent first. One read."""
    with understood(f"commit {sha[:7]}"):
        found = repository.get_commit(sha, commit_files_per_page=1).parents
        return tuple(parent.sha for parent in found)


def changed_files(repository: "Repository", number: int) -> ChangedFiles:
    """Every file of the pull request that GitHub lists."""
    with understood(f"the files of #{number}"):
        found = list(repository.get_pull(number).get_files())
        return ChangedFiles(_names(found), truncated=len(found) >= MOST_FILES)


def _names(files: "Sequence[File]") -> tuple[str, ...]:
    # `previous_filename` is there for renamed files only
    before = [one.previous_filename for one in files if one.status == "renamed"]
    return tuple(dict.fromkeys([*(one.filename for one in files), *(name for name in before if name)]))


def content(repository: "Repository", path: str, ref: str) -> bytes | None:
    """The bytes of a file in the tree of `ref`, up to the 100 MB that GitHub gives; None = there is no such file.

    One read, two above 1 MiB. EvidenceError for what is no plain file, or is too large.
    """
    from github.ContentFile import ContentFile

    try:
        found = repository.get_contents(path, ref=ref)
    except MissingError:
        return None
    with understood(path):
        if not isinstance(found, ContentFile) or found.type != "file":
            raise EvidenceError(f"{path} at {ref[:7]} is not a file", remedy="name the file itself")
        if found.encoding == "base64":
            return found.decoded_content
        size, sha = found.size, found.sha
    if size > MOST_BYTES:
        raise EvidenceError(
            f"{path} at {ref[:7]} has {size} bytes, more than GitHub gives through its API",
            remedy="check out with `fetch-depth: 2` or more, so that it is read from the clone",
        )
    return _blob(repository, sha, size=size, name=f"{path} at {ref[:7]}")


def _blob(repository: "Repository", sha: str, *, size: int, name: str) -> bytes:
    """The bytes of a file that the contents interface names but does not give, 1 MiB and above. One read."""
    with understood(name):
        data = base64.b64decode(repository.get_git_blob(sha).content)
        if len(data) != size:
            raise ValueError(f"{len(data)} of {size} bytes")
        return data


def names(repository: "Repository", folder: str, ref: str) -> tuple[str, ...]:
    """The names in a folder in the tree of `ref`, sorted; empty where there is no such folder. One read."""
    try:
        found = repository.get_contents(folder, ref=ref)
    except MissingError:
        return ()
    with understood(folder):
        return tuple(sorted(one.name for one in found)) if isinstance(found, list) else ()


def permission(repository: "Repository", login: str) -> str:
    """What somebody may do in the repository: "admin", "write", "read" or "none". One read."""
    try:
        with understood(f"the permission of {login}"):
            level = repository.get_collaborator_permission(login)
    except MissingError:
        return "none"
    return level if level in {"admin", "write", "read"} else "none"


def _facts(pull: "PullRequest") -> PullFacts:
    with understood("a pull request"):
        head, base = pull.head, pull.base
        return PullFacts(
            number=pull.number,
            state=pull.state,
            head_sha=head.sha,
            head_ref=head.ref,
            # null for a deleted fork; PyGithub's types do not know
            head_repository=getattr(head.repo, "full_name", None),
            head_repository_id=getattr(head.repo, "id", None),
            base_ref=base.ref,
            base_sha=base.sha,
            merge_sha=pull.merge_commit_sha,
            labels=tuple(label.name for label in pull.labels),
            locked=pull.locked,
            url=pull.html_url,
        )
