"""Which pull request, which commits and which permissions an event of GitHub Actions is about. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

import msgspec

from gate.errors import EvidenceError
from gate.github.payload import Payload, PullRequest, Repository

PullLookup = Literal["known", "by-branch", "by-commit", "none"]
"""How the pull request is found: it is known already, through the API by one of two ways, or there is none."""

_QUEUE: Final = re.compile(
    r"(?:refs/heads/)?gh-readonly-queue/(?P<base>.+)/pr-(?P<number>\d+)-[0-9a-f]{7,64}"
)
_ZEROS: Final = re.compile(r"0+")
_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
DEPENDABOT: Final = "dependabot[bot]"
JUDGED_BY_BASE: Final = ("pull_request", "merge_group")
"""Events whose change is judged by the rules of what it would be merged into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The workflow run the gate works in; `workflow` is the file's path inside the repository.

    `restated` is a later run that only says again what this one measured.
    """

    id: int = 0
    attempt: int = 1
    restated: int = 0
    workflow_ref: str = ""
    workflow: str = ""
    job: str = ""
    url: str = ""

    @property
    def attempt_url(self) -> str:
        """The address of this very attempt; empty where the run has none."""
        return f"{self.url}/attempts/{self.attempt}" if self.url else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggering:
    """The workflow run that a workflow_run event tells about: the half that computed."""

    run_id: int
    attempt: int
    event: str
    conclusion: str | None
    workflow: str
    head_branch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """The comment that an issue_comment event tells about."""

    id: int
    author: str
    body: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Everything the event and the runner's environment say, and nothing that needs the API.

    `head_sha` is the commit to report against, None where only the API knows it; `tested_sha` is the commit
    that is checked out (on pull requests the merge commit). `base_sha` may be stale on pull requests: their base
    is asked of the API. `suites_refused` is empty where suites may run, else the reason and the remedy.
    """

    event: str
    repository: str
    repository_id: int | None = None
    default_branch: str | None = None
    pull_number: int | None = None
    pull_lookup: PullLookup = "none"
    why_no_pull_request: str = ""
    head_sha: str | None = None
    head_ref: str | None = None
    head_repository: str | None = None
    head_repository_id: int | None = None
    is_fork: bool = False
    base_ref: str | None = None
    base_sha: str | None = None
    tested_sha: str = ""
    suites_refused: str = ""
    may_comment: bool = False
    run: Run = Run()
    actor: str = ""
    api_url: str = "https://api.github.com"
    server_url: str = "https://github.com"
    triggering: Triggering | None = None
    comment: Comment | None = None

    @property
    def may_run_suites(self) -> bool:
        """False where running the pull request's code would meet secrets or a writing token."""
        return not self.suites_refused

    @property
    def token_is_read_only(self) -> bool:
        """Whether GitHub hands this run a token that cannot write, whatever `permissions:` says."""
        restricted = self.is_fork or self.actor == DEPENDABOT
        return self.event == "pull_request" and restricted


def context(event_name: str, payload: Mapping[str, object], env: Mapping[str, str]) -> Context:
    """The context of one run; EvidenceError when the payload is not what GitHub sends for this event."""
    try:
        event = msgspec.convert(payload, Payload)
    except msgspec.ValidationError as error:
        raise EvidenceError(
            f"the event's payload (GITHUB_EVENT_PATH) is not a {event_name} event: {error}",
            remedy="pass the payload GitHub wrote, unchanged",
        ) from error
    name = _called_by(event) if event_name == "workflow_call" else event_name
    read = _READERS.get(name, _unknown)
    return read(event, _surroundings(name, event, env))


def _surroundings(event_name: str, event: Payload, env: Mapping[str, str]) -> Context:
    repository = event.repository or Repository()
    name = env.get("GITHUB_REPOSITORY") or repository.full_name
    server = env.get("GITHUB_SERVER_URL") or "https://github.com"
    return Context(
        event=event_name,
        repository=name,
        repository_id=_number(env.get("GITHUB_REPOSITORY_ID", "")) or repository.id,
        default_branch=repository.default_branch,
        tested_sha=env.get("GITHUB_SHA", ""),
        run=_run(env, f"{server}/{name}"),
        actor=env.get("GITHUB_ACTOR", ""),
        api_url=env.get("GITHUB_API_URL") or "https://api.github.com",
        server_url=server,
    )


def _run(env: Mapping[str, str], repository_url: str) -> Run:
    number = _number(env.get("GITHUB_RUN_ID", ""))
    reference = env.get("GITHUB_WORKFLOW_REF", "")
    return Run(
        id=number or 0,
        attempt=_number(env.get("GITHUB_RUN_ATTEMPT", "")) or 1,
        workflow_ref=reference,
        workflow=_workflow_path(reference),
        job=env.get("GITHUB_JOB", ""),
        url=f"{repository_url}/actions/runs/{number}" if number else "",
    )


def _pull_request(event: Payload, seen: Context) -> Context:
    pull = event.pull_request
    if pull is None:
        raise _missing(seen.event, "pull_request")
    return replace(_of_pull(pull, seen), may_comment=True)


def _pull_request_target(event: Payload, seen: Context) -> Context:
    return replace(
        _pull_request(event, seen),
        suites_refused="pull_request_target runs with secrets and a writing token: the pull request's code must not "
        "run here. Run the suites under `on: pull_request`, and post their result with `command: publish` "
        "under `on: workflow_run`.",
    )


def _workflow_run(event: Payload, seen: Context) -> Context:
    run = event.workflow_run
    if run is None:
        raise _missing(seen.event, "workflow_run")
    head = run.head_repository
    return replace(
        seen,
        pull_lookup="by-branch" if run.event in _PULL_EVENTS else "none",
        why_no_pull_request=""
        if run.event in _PULL_EVENTS
        else f"the run that finished was started by {run.event}, not by a pull request",
        head_sha=_sha(run.head_sha),
        head_ref=run.head_branch,
        head_repository=head.full_name if head else None,
        head_repository_id=head.id if head else None,
        is_fork=head is None or head.id != seen.repository_id,
        suites_refused="workflow_run has the secrets and the token of the default branch: it publishes what an "
        "earlier run measured (`command: publish`) and runs no suites.",
        may_comment=run.event in _PULL_EVENTS,
        triggering=Triggering(
            run_id=run.id,
            attempt=run.run_attempt,
            event=run.event,
            conclusion=run.conclusion,
            workflow=_workflow_path(run.path),
            head_branch=run.head_branch or "",
        ),
    )


def _merge_group(event: Payload, seen: Context) -> Context:
    group = event.merge_group
    if group is None:
        raise _missing(seen.event, "merge_group")
    queued = _QUEUE.fullmatch(group.head_ref)
    return replace(
        seen,
        pull_number=int(queued["number"]) if queued else None,
        pull_lookup="known" if queued else "none",
        why_no_pull_request="this is the merge queue, where a group may hold several pull requests: the result is in "
        "the summary and the job's status",
        head_sha=_sha(group.head_sha),
        head_ref=group.head_ref,
        head_repository=seen.repository,
        head_repository_id=seen.repository_id,
        base_ref=_branch(group.base_ref),
        base_sha=_sha(group.base_sha),
    )


def _push(event: Payload, seen: Context) -> Context:
    branch = _branch(event.ref)
    return replace(
        seen,
        pull_lookup="by-commit",
        why_no_pull_request=f"this is a push to {branch}, not a pull request: the result is in the summary and the "
        "job's status",
        head_sha=_sha(event.after) or _sha(seen.tested_sha),
        head_ref=branch,
        head_repository=seen.repository,
        head_repository_id=seen.repository_id,
        base_ref=branch if (event.ref or "").startswith("refs/heads/") else None,
        base_sha=_sha(event.before),
    )


def _schedule(_: Payload, seen: Context) -> Context:
    return replace(
        seen,
        why_no_pull_request="this is a scheduled run: the result is in the summary and the job's status",
        head_sha=_sha(seen.tested_sha),
        head_repository=seen.repository,
        head_repository_id=seen.repository_id,
    )


def _workflow_dispatch(event: Payload, seen: Context) -> Context:
    asked = _number(str((event.inputs or {}).get("pr-number") or ""))
    return replace(
        seen,
        pull_number=asked,
        pull_lookup="known" if asked else "none",
        why_no_pull_request=""
        if asked
        else "this run was started by hand without `pr-number`: the result is in the summary and the job's status",
        head_sha=None if asked else _sha(seen.tested_sha),
        head_ref=_branch(event.ref),
        head_repository=None if asked else seen.repository,
        head_repository_id=None if asked else seen.repository_id,
        may_comment=bool(asked),
    )


def _issue_comment(event: Payload, seen: Context) -> Context:
    issue, comment = event.issue, event.comment
    if issue is None or comment is None:
        raise _missing(seen.event, "issue and comment")
    on_pull = issue.pull_request is not None
    return replace(
        seen,
        pull_number=issue.number if on_pull else None,
        pull_lookup="known" if on_pull else "none",
        why_no_pull_request="" if on_pull else f"#{issue.number} is an issue, not a pull request",
        suites_refused="issue_comment has the secrets and the token of the default branch: it applies `/gate accept` "
        "to a stored receipt and runs no suites.",
        may_comment=on_pull,
        comment=Comment(
            id=comment.id,
            author=comment.user.login if comment.user else "",
            body=comment.body or "",
            action=event.action,
        ),
    )


def _unknown(_: Payload, seen: Context) -> Context:
    return replace(
        seen,
        why_no_pull_request=f"the event {seen.event!r} is about no pull request: the result is in the summary and the "
        "job's status",
        head_sha=_sha(seen.tested_sha),
    )


def _of_pull(pull: PullRequest, seen: Context) -> Context:
    source = pull.head.repo
    target = seen.repository_id or (pull.base.repo.id if pull.base.repo else None)
    return replace(
        seen,
        pull_number=pull.number,
        pull_lookup="known",
        head_sha=_sha(pull.head.sha),
        head_ref=pull.head.ref,
        head_repository=source.full_name if source else None,
        head_repository_id=source.id if source else None,
        is_fork=source is None or source.id != target,  # a deleted fork is told as no repository
        base_ref=pull.base.ref,
        base_sha=_sha(pull.base.sha),
    )


def _called_by(event: Payload) -> str:
    """The caller's event, told from its payload: a called workflow receives that unchanged."""
    told: tuple[tuple[str, object], ...] = (
        ("workflow_run", event.workflow_run),
        ("merge_group", event.merge_group),
        ("pull_request", event.pull_request),
        ("issue_comment", event.comment),
        ("push", event.before),
        ("schedule", event.schedule),
    )
    return next((name for name, part in told if part), "workflow_dispatch")


def _missing(event_name: str, part: str) -> EvidenceError:
    return EvidenceError(
        f"the event's payload (GITHUB_EVENT_PATH) has no {part}, which {event_name} events carry",
        remedy="pass the payload GitHub wrote, unchanged",
    )


def _workflow_path(reference: str) -> str:
    """`.github/workflows/gate.yml` out of `owner/name/.github/workflows/gate.yml@refs/heads/main`."""
    path = reference.split("@", 1)[0]
    start = path.find(".github/")
    return path[start:] if start >= 0 else path


def _branch(ref: str | None) -> str | None:
    return ref.removeprefix("refs/heads/").removeprefix("refs/tags/") if ref else None


def _sha(text: str | None) -> str | None:
    if not text or _ZEROS.fullmatch(text) or not _SHA.fullmatch(text):
        return None
    return text


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 and int(text) > 0 else None


_PULL_EVENTS: Final = frozenset({"pull_request", "pull_request_target"})
_READERS: Final[Mapping[str, Callable[[Payload, Context], Context]]] = {
    "pull_request": _pull_request,
    "pull_request_target": _pull_request_target,
    "workflow_run": _workflow_run,
    "merge_group": _merge_group,
    "push": _push,
    "schedule": _schedule,
    "workflow_dispatch": _workflow_dispatch,
    "issue_comment": _issue_comment,
}
