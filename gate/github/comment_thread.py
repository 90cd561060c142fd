"""The comments below a pull request, through PyGithub: read to the end, written one at a time."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from gate.github.comment_choice import Found
from gate.github.failures import MalformedError, MissingError
from gate.github.marker import found_in
from gate.github.understanding import is_bot, login_of, understood

if TYPE_CHECKING:
    from github.Issue import Issue
    from github.IssueComment import IssueComment


@dataclass(frozen=True, slots=True)
class Thread:
    """The conversation of one pull request."""

    issue: "Issue"

    def read(self) -> tuple[Found, ...]:
        """Every comment that carries a marker, from every page."""
        return tuple(found for one in self.issue.get_comments() if (found := _marked(one)))

    def read_since(self, moment: datetime) -> tuple[Found, ...]:
        """Of the comments written or edited since `moment` (UTC), those that carry a marker."""
        return tuple(found for one in self.issue.get_comments(since=moment) if (found := _marked(one)))

    def again(self, known: Found) -> Found | None:
        """The comment as it is now; None when it, or its marker, is gone."""
        try:
            return _marked(self.issue.get_comment(known.id))
        except MissingError:
            return None

    def create(self, body: str) -> Found:
        """A new comment."""
        return _required(self.issue.create_comment(body))

    def edit(self, number: int, body: str) -> Found:
        """The comment with another body; MissingError when somebody deleted it."""
        comment = self.issue.get_comment(number)
        comment.edit(body)
        return _required(comment)

    def delete(self, number: int) -> None:
        """The comment is gone, whoever removed it."""
        try:
            self.issue.get_comment(number).delete()
        except MissingError:
            return


def _marked(comment: "IssueComment") -> Found | None:
    with understood("a comment"):
        body = comment.body or ""
        marker = found_in(body)
        if marker is None:
            return None
        return Found(
            id=comment.id,
            login=login_of(comment.user),
            is_bot=is_bot(comment.user),
            body=body,
            url=comment.html_url,
            created=comment.created_at,
            marker=marker,
        )


def _required(comment: "IssueComment") -> Found:
    found = _marked(comment)
    if found is None:
        raise MalformedError(
            "GitHub gave the comment back without its marker", remedy="re-run the job; if it stays, report it"
        )
    return found
