"""What GitHub's refusals mean: one word each, with what to do next. The only place that translates them.

ForgeError                GitHub could not be reached, or did not do what was asked (exit 69)
├── PermissionDeniedError  the token may not do this; the remedy is the YAML to add
├── CredentialsError       the token itself was refused
├── LockedError            the conversation is locked
├── MissingError           what was asked for is not there (deleted, or hidden from this token)
├── ExpiredError           the artifact is past its retention
├── TooLongError           the text is longer than GitHub takes
├── RefusedError           any other refusal
├── MalformedError         an answer that is not what GitHub documents
└── DeadlineError          the time for talking to GitHub is used up
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gate.errors import UnavailableError

INACCESSIBLE: Final = "resource not accessible by"
_TOO_LONG: Final = re.compile(r"too long|only \d+ characters are allowed", re.IGNORECASE)
_PERMISSIONS: Final = (
    (re.compile(r"/issues/(\d+/)?comments"), "pull-requests"),
    (re.compile(r"/issues(/\d+)?$"), "issues"),
    (re.compile(r"/check-runs"), "checks"),
    (re.compile(r"/actions/"), "actions"),
    (re.compile(r"/pulls"), "pull-requests"),
    (re.compile(r"/(contents|commits|compare|git/blobs)/"), "contents"),
)


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked of GitHub: the verb and the path, without host, query and token."""

    verb: str
    path: str

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; status None = nothing did. Header names are in lower case."""

    status: int | None
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = ""


class ForgeError(UnavailableError):
    """GitHub could not be reached, or did not do what was asked."""


class PermissionDeniedError(ForgeError):
    """The token may not do this; `permission` is the line of YAML that would allow it."""

    def __init__(self, message: str, *, remedy: str, permission: str) -> None:
        super().__init__(message, remedy=remedy)
        self.permission = permission


class CredentialsError(ForgeError):
    """The token itself was refused."""


class LockedError(ForgeError):
    """The conversation is locked."""


class MissingError(ForgeError):
    """What was asked for is not there."""


class ExpiredError(ForgeError):
    """The artifact is past its retention."""


class TooLongError(ForgeError):
    """The text is longer than GitHub takes."""


class RefusedError(ForgeError):
    """GitHub refused for another reason."""


class MalformedError(ForgeError):
    """An answer that is not what GitHub documents."""


class DeadlineError(ForgeError):
    """The time for talking to GitHub is used up."""


def translated(request: Request, answer: Answer) -> ForgeError:
    """The one word for this refusal."""
    text = answer.message.lower()
    if answer.status is None:
        return _unreachable(request, answer)
    if answer.status == 403 and INACCESSIBLE in text:
        return permission_denied(request, answer)
    if answer.status in {403, 410} and "lock" in text:
        return LockedError(
            f"{request}: the conversation is locked",
            remedy="unlock the conversation, or read the result in the job summary",
        )
    if answer.status == 410 and "disabled" in text:
        return RefusedError(
            f"{request}: issues are disabled in this repository",
            remedy="enable them in the repository's settings, or do without them: `comment: off`",
        )
    return _by_status(request, answer)


def permission_denied(request: Request, answer: Answer) -> PermissionDeniedError:
    """The token may not do `request`: the remedy is the YAML to add."""
    permission = needed_permission(request, answer.headers)
    return PermissionDeniedError(
        f"{request}: the token lacks the permission `{permission}`",
        remedy=f"give the job that runs the gate this permission:\n{permissions_yaml(permission)}",
        permission=permission,
    )


def needed_permission(request: Request, headers: Mapping[str, str]) -> str:
    """The line of a `permissions:` block that `request` needs, from its path or from GitHub's own header."""
    access = "read" if request.verb in {"GET", "HEAD"} else "write"
    for pattern, scope in _PERMISSIONS:
        if pattern.search(request.path):
            return f"{scope}: {access}"
    accepted = headers.get("x-accepted-github-permissions", "").split(";")[0].split(",")[0].strip()
    return accepted.replace("_", "-").replace("=", ": ") or f"contents: {access}"


def permissions_yaml(*needed: str) -> str:
    """A whole `permissions:` block: scopes that are not listed become none, so `contents: read` is always there."""
    lines = dict.fromkeys(("contents: read", *needed))
    return "permissions:\n" + "\n".join(f"  {line}" for line in lines)


def _by_status(request: Request, answer: Answer) -> ForgeError:
    said = f"{request}: GitHub answered {answer.status}" + (f", {answer.message!r}" if answer.message else "")
    match answer.status:
        case 401:
            return CredentialsError(said, remedy="check the `token` input: it is wrong, expired or revoked")
        case 404:
            return MissingError(
                said, remedy="it was deleted, or the token may not see it: check the name and the permissions"
            )
        case 410:
            return ExpiredError(
                said, remedy="it is past its retention: run the workflow on the default branch again"
            )
        case 422 if _TOO_LONG.search(answer.message):
            return TooLongError(said, remedy="this is shortened by the gate itself; please report it")
        case 403 | 429:
            return RefusedError(
                said, remedy="check the token's permissions and GitHub's rate limits, then re-run"
            )
        case int(status) if status >= 500:
            return ForgeError(said, remedy="GitHub has a fault: see its status page and re-run the job")
        case int(status) if 300 <= status < 400:
            return RefusedError(said, remedy="the repository was moved or renamed: use its present name")
        case _:
            return RefusedError(
                said, remedy="this is not what the gate expected; please report it with this line"
            )


def _unreachable(request: Request, answer: Answer) -> ForgeError:
    if "certificate" in answer.message.lower():
        return ForgeError(
            f"{request}: the server's certificate is not trusted ({answer.message})",
            remedy="set REQUESTS_CA_BUNDLE to the file with your company's certificates",
        )
    return ForgeError(
        f"{request}: no answer from GitHub ({answer.message or 'the connection broke'})",
        remedy="check that GITHUB_API_URL can be reached from the runner, then re-run the job",
    )
