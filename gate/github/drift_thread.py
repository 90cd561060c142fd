"""A repository's issues as a drift watch sees them, through PyGithub: all that are open, and the recently closed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from gate.github.drift_marker import DriftMarker, Parts, parts_of
from gate.github.failures import ExpiredError, MalformedError, MissingError
from gate.github.understanding import is_bot, login_of, understood

if TYPE_CHECKING:
    from github.Issue import Issue
    from github.IssueComment import IssueComment
    from github.Repository import Repository

SETTLING: Final = timedelta(minutes=15)
"""How far back the second look reaches, and the one for a repeated remark: longer than any publishing takes."""
RECENTLY_CLOSED: Final = 500
"""So many closed issues and pull requests, those that changed last, are looked through: five reads at most."""
_PULL: Final = "/pull/"
"""In the address of every pull request: GitHub lists them among the issues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundIssue:
    """An issue that carries our marker."""

    number: int
    login: str
    is_bot: bool
    is_open: bool
    url: str
    created: datetime
    parts: Parts

    @property
    def marker(self) -> DriftMarker:
        """Whose it is, and what it says."""
        return self.parts.marker

    def is_ours(self, gate: str, own_login: str | None) -> bool:
        """Whether this token, or a bot, opened it for that gate, and no other issue took its place.

        A person's issue is never ours, whatever it begins with.
        """
        mine = self.is_bot or (own_login is not None and self.login == own_login)
        return mine and self.marker.gate == gate and self.marker.moved is None


@dataclass(frozen=True, slots=True)
class DriftThread:
    """The issues of one repository."""

    repository: "Repository"

    def opened(self) -> tuple[FoundIssue, ...]:
        """Every open issue that carries a marker, from every page, the oldest first."""
        listed = self.repository.get_issues(state="open", sort="created", direction="asc")
        return tuple(sorted(_marked(listed), key=lambda one: one.number))

    def opened_beside(self, made: FoundIssue) -> tuple[FoundIssue, ...]:
        """Of the open issues that were opened or changed while `made` was, those that carry a marker."""
        return tuple(_marked(self.repository.get_issues(state="open", since=made.created - SETTLING)))

    def recently_closed(self) -> tuple[FoundIssue, ...]:
        """Of the closed issues that changed last, those that carry a marker, the newest first."""
        listed = self.repository.get_issues(state="closed", sort="updated", direction="desc")
        marked = _marked(islice(listed, RECENTLY_CLOSED))
        return tuple(sorted(marked, key=lambda one: one.number, reverse=True))

    def again(self, known: FoundIssue) -> FoundIssue | None:
        """The issue as it is now; None when it, or its marker, is gone."""
        try:
            return _found(self.repository.get_issue(known.number))
        except (MissingError, ExpiredError):
            return None

    def create(self, title: str, body: str) -> FoundIssue:
        """A new issue."""
        return _required(self.repository.create_issue(title, body))

    def edit(
        self, number: int, body: str, state: Literal["open", "completed", "not_planned"] | None = None
    ) -> FoundIssue:
        """The issue with another body, and opened, or closed for that reason, where a state is given."""
        issue = self.repository.get_issue(number)
        if state is None:
            issue.edit(body=body)
        elif state == "open":
            issue.edit(body=body, state="open")
        else:
            issue.edit(body=body, state="closed", state_reason=state)
        return _required(issue)

    def remark(self, number: int, text: str) -> None:
        """A comment below the issue, once: where an answer was lost and it was sent again, the repetition goes."""
        issue = self.repository.get_issue(number)
        made = issue.create_comment(text)
        with understood("a comment"):
            login, since = made.user.login, made.created_at - SETTLING
            same = [one for one in issue.get_comments(since=since) if _same(one, login, text)]
        for one in sorted(same, key=lambda comment: comment.id)[1:]:
            one.delete()


def _same(comment: "IssueComment", login: str, text: str) -> bool:
    return comment.body == text and login_of(comment.user) == login


def _marked(listed: "Iterable[Issue]") -> Iterator[FoundIssue]:
    for issue in listed:
        found = _found(issue)
        if found is not None:
            yield found


def _found(issue: "Issue") -> FoundIssue | None:
    with understood("an issue"):
        parts = parts_of(issue.body or "")
        if parts is None or _PULL in issue.html_url:
            return None
        return FoundIssue(
            number=issue.number,
            login=login_of(issue.user),
            is_bot=is_bot(issue.user),
            is_open=issue.state == "open",
            url=issue.html_url,
            created=issue.created_at,
            parts=parts,
        )


def _required(issue: "Issue") -> FoundIssue:
    found = _found(issue)
    if found is None:
        raise MalformedError(
            "GitHub gave the issue back without its marker", remedy="re-run the job; if it stays, report it"
        )
    return found
