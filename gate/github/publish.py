"""Telling GitHub what was decided: job summary, comment, check run. It never changes the verdict.

Everything is tried, and whatever could not be done is returned as a warning with its remedy. Only with
`publish: required` does that end the step, with exit code 69.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from gate.core.report import Report
from gate.errors import GateError, UnavailableError
from gate.github import checks, pulls, summary
from gate.github.client import Client
from gate.github.comment_choice import Wish
from gate.github.comments import Posted, upsert
from gate.github.drift_issue import Tracked, track
from gate.github.drift_note import drift_note, why_no_issue
from gate.github.event import Context
from gate.github.failures import PermissionDeniedError
from gate.github.note import bodies, check_name, check_result, note
from gate.render.summary import summary as job_summary

if TYPE_CHECKING:
    from github.Repository import Repository

_Say: TypeAlias = "Callable[[Published, Client, Repository], Published]"
_READ_ONLY: Final = "this token is read-only, as GitHub gives it to forks and Dependabot"
FOR_FORKS: Final = (
    f"{_READ_ONLY}: the workflow with `command: publish` under `on: workflow_run` posts the result"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels:
    """Where the result is wanted; `summary` is the runner's file, None = there is none.

    `foreword` is Markdown of ours that comes before everything in a comment.
    """

    comment: Wish = field(default_factory=Wish)
    check_run: Literal["on", "off"] = "off"
    publish: Literal["best-effort", "required"] = "best-effort"
    summary: Path | None = None
    foreword: str = ""
    page: tuple[Callable[[], str], ...] = ()
    """What the job summary says instead of the plain one, the fullest rendition first; it holds the verdict."""


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that could not be published, and what to do about it."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was published where, in plain sentences, and what was not."""

    comment: Posted | None = None
    issue: Tracked | None = None
    check: checks.Checked | None = None
    said: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()

    @property
    def comment_url(self) -> str:
        """The address of the comment, or of a drift watch's issue; empty where there is none."""
        posted = self.comment or self.issue
        return posted.url if posted else ""


def publish(report: Report, context: Context, channels: Channels, connect: Callable[[], Client]) -> Published:
    """Publish a finished report; UnavailableError when publishing is required and something failed.

    `connect` opens the connection, with its one deadline for everything, when something is to be said to GitHub.
    """
    publication = _Publication(report, context, channels)
    done = attempted(Published(), publication.summarise)
    done = attempted(done, lambda so_far: publication.tell(so_far, connect))
    require(done, channels)
    return done


def attempted(done: Published, step: Callable[[Published], Published]) -> Published:
    """What `step` adds to what was done; its failure is a warning, whatever went wrong."""
    try:
        return step(done)
    except GateError as error:
        return with_warning(done, error.message, error.remedy)
    except Exception as error:  # noqa: BLE001  # a bug in publishing must not take the verdict with it
        return with_warning(done, f"publishing met an unforeseen error: {error!r}", "please report it")


def require(done: Published, channels: Channels) -> None:
    """UnavailableError for any warning, where publishing is required."""
    if channels.publish == "required" and done.warnings:
        raise UnavailableError(
            "publishing is required and failed: " + "; ".join(one.message for one in done.warnings),
            remedy=" / ".join(dict.fromkeys(one.remedy for one in done.warnings)),
        )


def with_warning(done: Published, message: str, remedy: str) -> Published:
    """What was done, and one more thing that was not."""
    return replace(done, warnings=(*done.warnings, Warned(message, remedy)))


def with_comment(done: Published, posted: Posted) -> Published:
    """What was done, and what became of the comment, in a sentence."""
    told = {
        "created": f"comment posted: {posted.url}",
        "updated": f"comment updated: {posted.url}",
        "unchanged": f"the comment says the same already: {posted.url}",
        "skipped": f"no comment: {posted.reason}",
    }[posted.action]
    shorter = (f"the comment was too long and is {posted.rung} renditions shorter",) if posted.rung else ()
    return replace(done, comment=posted, said=(*done.said, told, *shorter, *posted.warnings))


def with_issue(done: Published, tracked: Tracked) -> Published:
    """What was done, and what became of the drift watch's issue, in a sentence."""
    told = {
        "opened": f"issue opened: {tracked.url}",
        "updated": f"issue updated: {tracked.url}",
        "reopened": f"issue reopened: {tracked.url}",
        "closed": f"issue closed, since nothing drifts any more: {tracked.url}",
        "noted": f"the open issue says that this attempt could not measure: {tracked.url}",
        "left": f"no issue written: {tracked.reason}",
    }[tracked.action]
    shorter = (f"the issue was too long and is {tracked.rung} renditions shorter",) if tracked.rung else ()
    also = (tracked.reason,) if tracked.reason and tracked.action != "left" else ()
    return replace(done, issue=tracked, said=(*done.said, told, *also, *shorter, *tracked.warnings))


@dataclass(frozen=True, slots=True)
class _Publication:
    report: Report
    context: Context
    channels: Channels

    def summarise(self, done: Published) -> Published:
        """The job summary, as long as the runner's file has room for."""
        if self.channels.summary is None:
            return done
        fullest = self.channels.page or (lambda: job_summary(self.report),)
        longest = (*fullest, *bodies(self.report, self.context.run))
        written = summary.append(self.channels.summary, longest)
        if written is None:
            return with_warning(done, "the job summary is full", "write less to it in earlier commands")
        told = "summary written" + (", shortened for its size" if written.rung else "")
        return replace(done, said=(*done.said, told))

    def tell(self, done: Published, connect: Callable[[], Client]) -> Published:
        """The comment, or a drift watch's issue, and the check run, each for itself."""
        say, why_not = self._conversation()
        if why_not:
            done = replace(done, said=(*done.said, why_not))
        if say is None and self.channels.check_run == "off":
            return done
        with connect() as client:
            repository = client.repository(self.context.repository)
            if say is not None:
                done = attempted(done, lambda so_far: say(so_far, client, repository))
            if self.channels.check_run == "on":
                done = attempted(done, lambda so_far: self._check(so_far, repository))
        return done

    def _conversation(self) -> "tuple[_Say | None, str]":
        """Who says it where people talk, or why nobody does."""
        if self.channels.comment.mode == "off":
            return None, ""
        if self.report.plan.purpose == "drift":
            why = why_no_issue(self.report, self.context)
            return (None, f"no issue: {why}") if why else (self._issue, "")
        if not self.context.may_comment:
            return None, f"no comment: {self.context.why_no_pull_request}"
        return self._comment, ""

    def _issue(self, done: Published, client: Client, repository: "Repository") -> Published:
        tracked = track(repository, drift_note(self.report, self.context.run), own_login=client.login)
        return with_issue(done, tracked)

    def _comment(self, done: Published, client: Client, repository: "Repository") -> Published:
        number = self.context.pull_number
        if number is None:
            return replace(done, said=(*done.said, "no comment: the pull request is not known"))
        tested = self.report.plan.commits.head or self.context.tested_sha
        head = self.context.head_sha or pulls.head_under_test(repository, number, tested)
        if head is None:
            reason = f"this run tested neither the head nor the merge of #{number}"
            return with_comment(done, Posted(action="skipped", reason=reason))
        try:
            posted = upsert(
                repository.get_issue(number),
                note(self.report, head=head, run=self.context.run, foreword=self.channels.foreword),
                current_head=lambda: pulls.facts(repository, number).head_sha,
                own_login=client.login,
                wish=self.channels.comment,
            )
        except PermissionDeniedError:
            if not self.context.token_is_read_only:
                raise
            posted = Posted(action="skipped", reason=FOR_FORKS)
        return with_comment(done, posted)

    def _check(self, done: Published, repository: "Repository") -> Published:
        head = self.context.head_sha
        if head is None:
            return replace(done, said=(*done.said, "no check run: the commit to report on is not known"))
        try:
            checked = self._completed(repository, head)
        except PermissionDeniedError:
            if not self.context.token_is_read_only:
                raise
            return replace(done, said=(*done.said, f"no check run: {_READ_ONLY}"))
        return replace(done, check=checked, said=(*done.said, f"check run completed: {checked.url}"))

    def _completed(self, repository: "Repository", head: str) -> checks.Checked:
        run = self.context.run
        check = checks.begin(
            repository,
            name=check_name(self.report),
            head_sha=head,
            details_url=run.url,
            external_id=f"{run.id}/{run.attempt}",
        )
        return checks.complete(check, check_result(self.report, run))
