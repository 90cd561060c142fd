"""What a token may do, as far as reading tells; nothing is written to find out."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from gate.errors import GateError
from gate.github import artifacts, pulls
from gate.github.client import Client
from gate.github.event import Context
from gate.github.failures import CredentialsError, MissingError, PermissionDeniedError, permissions_yaml
from gate.render.checklist import Check, missing, ok, unknown

if TYPE_CHECKING:
    from github.Repository import Repository


def access_checks(client: Client, context: Context, *, watches: bool = False) -> Iterator[Check]:
    """One check for each thing the gate reads, and what is known about writing; `watches` = it keeps an issue."""
    repository = client.repository(context.repository)
    yield _read("contents: read", lambda: _files(repository, context))
    if context.run.id:
        yield _read("actions: read", lambda: artifacts.stored(repository, context.run.id, "gate"))
    else:
        yield unknown("token", "`actions: read`: there is no run to look at (GITHUB_RUN_ID)")
    if watches:
        yield _read("issues: read", lambda: next(iter(repository.get_issues(state="open")), None))
        told = "`issues: write`: whether the issue may be written shows only when it is"
        yield unknown("token", told, permissions_yaml("issues: write"))
        return
    if context.pull_number is None:
        yield unknown("token", f"comments: {context.why_no_pull_request or 'this is no pull request'}")
        return
    number = context.pull_number
    yield _read("pull-requests: read", lambda: _comments(repository, number))
    yield _writing(context)


def newest_artifact(repository: "Repository", wanted: artifacts.Wanted) -> str | None:
    """In words, the newest run on the base branch that uploaded this gate's output; None when there is none."""
    for run in artifacts.runs(repository, wanted):
        for stored in artifacts.stored(repository, run.id, wanted.name):
            if not stored.expired:
                return f"run {run.id} of {run.head_sha[:7]} uploaded {stored.name}"
    return None


def _read(permission: str, ask: Callable[[], object]) -> Check:
    try:
        ask()
    except PermissionDeniedError as error:
        return missing("token", error.message, permissions_yaml(error.permission))
    except (CredentialsError, MissingError) as error:
        return missing("token", error.message, error.remedy)
    except GateError as error:
        return unknown("token", f"`{permission}`: {error.message}", error.remedy)
    return ok("token", f"`{permission}` is there")


def _files(repository: "Repository", context: Context) -> object:
    return pulls.names(repository, ".github", context.tested_sha or context.head_sha or "HEAD")


def _comments(repository: "Repository", number: int) -> object:
    return next(iter(repository.get_issue(number).get_comments()), None)


def _writing(context: Context) -> Check:
    if context.token_is_read_only:
        return unknown(
            "token",
            "a fork's (and Dependabot's) token may write nothing, whatever `permissions:` says",
            "the second half posts the result: `command: publish` under workflow_run",
        )
    return unknown(
        "token",
        "`pull-requests: write`: whether the comment may be written shows only when it is",
        permissions_yaml("pull-requests: write"),
    )
