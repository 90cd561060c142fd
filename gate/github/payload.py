"""The parts of an event's payload that the gate reads; everything else is left alone."""

from collections.abc import Mapping

from msgspec import Struct


class Repository(Struct, frozen=True):
    """A repository, as events name it."""

    id: int | None = None
    full_name: str = ""
    default_branch: str | None = None


class Side(Struct, frozen=True):
    """One side of a pull request; no repository = it was deleted."""

    sha: str
    ref: str
    repo: Repository | None = None


class PullRequest(Struct, frozen=True):
    """A pull request, as events name it."""

    number: int
    head: Side
    base: Side


class WorkflowRun(Struct, frozen=True):
    """The finished run of a workflow_run event."""

    id: int
    head_sha: str
    event: str
    head_branch: str | None = None
    head_repository: Repository | None = None
    run_attempt: int = 1
    conclusion: str | None = None
    path: str = ""


class MergeGroup(Struct, frozen=True):
    """A group of the merge queue."""

    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str


class Issue(Struct, frozen=True):
    """An issue; `pull_request` tells that it is one."""

    number: int
    pull_request: Mapping[str, object] | None = None


class User(Struct, frozen=True):
    """Somebody on GitHub."""

    login: str


class Comment(Struct, frozen=True):
    """A comment on an issue or a pull request."""

    id: int
    body: str | None = None
    user: User | None = None


class Payload(Struct, frozen=True):
    """One event; the parts that this event does not carry are None."""

    action: str = ""
    repository: Repository | None = None
    pull_request: PullRequest | None = None
    workflow_run: WorkflowRun | None = None
    merge_group: MergeGroup | None = None
    issue: Issue | None = None
    comment: Comment | None = None
    inputs: Mapping[str, object] | None = None
    ref: str | None = None
    before: str | None = None
    after: str | None = None
    schedule: str | None = None
