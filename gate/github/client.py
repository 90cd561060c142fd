"""A connection to GitHub: PyGithub with our patience, our deadline and our words for what goes wrong."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from gate.errors import UsageError
from gate.github.failures import MissingError, PermissionDeniedError, RefusedError
from gate.github.timing import Timing

if TYPE_CHECKING:
    from github.Repository import Repository

    from gate.github.requester import PatientRequester

_FULL_NAME: Final = re.compile(r"[A-Za-z0-9_-]+/(?!\.{1,2}$)[A-Za-z0-9_.-]+")
_INSTALLATION_TOKEN: Final = "ghs_"  # noqa: S105  # a prefix that GitHub documents, not a password


@dataclass(frozen=True, slots=True)
class Client:
    """GitHub as one token sees it; reading starts when something is asked for. Closed by `with`."""

    requester: "PatientRequester"
    login: str | None
    """Who the token is, where GitHub says so: installation tokens (an Action's own) are not told."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.requester.close()

    def repository(self, full_name: str) -> "Repository":
        """The repository `owner/name`; nothing is read yet."""
        from github.Repository import Repository

        if not _FULL_NAME.fullmatch(full_name):
            raise UsageError(f"{full_name!r} is not a repository", remedy="write it as owner/name")
        return Repository(self.requester, url=f"/repos/{full_name}")


def connect(token: str, api_url: str, timing: Timing) -> Client:
    """A client for `api_url` (GITHUB_API_URL; also of a GitHub Enterprise Server).

    One read at most, to learn who the token is. UsageError without a token; ForgeError when GitHub refuses it.
    """
    from gate.github.requester import PatientRequester

    if not token:
        raise UsageError("no token to talk to GitHub with", remedy="pass `token: ${{ github.token }}`")
    requester = PatientRequester(token, api_url, timing)
    login = None if token.startswith(_INSTALLATION_TOKEN) else _login(requester)
    return Client(requester, login)


def _login(requester: "PatientRequester") -> str | None:
    try:
        _, data = requester.requestJsonAndCheck("GET", "/user")
    except (PermissionDeniedError, RefusedError, MissingError):
        return None
    login = data.get("login") if isinstance(data, dict) else None
    return login if isinstance(login, str) else None
