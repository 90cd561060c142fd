"""The privileged half for forks: what an unprivileged run measured is checked, rendered anew and posted.

It runs under `workflow_run` (or `pull_request_target`), with a token that may write. Everything inside the artifact
comes from a stranger: nothing of it is run, nothing is posted as received, and what it says about itself must be what
GitHub says.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from gate.core.report import Report
from gate.errors import EvidenceError
from gate.github import artifacts, claim, pulls
from gate.github.client import Client
from gate.github.comments import Note, upsert
from gate.github.event import DEPENDABOT, Context, Run
from gate.github.note import note
from gate.github.publish import Channels, Published, attempted, require, with_comment, with_warning
from gate.github.unposted import Unposted

if TYPE_CHECKING:
    from github.Repository import Repository

RECEIPT: Final = "receipt.json"
ROWS: Final = "rows/"
TAKES: Final = "takes/"
MOST_ARTIFACTS: Final = 20
_MEASURING: Final = "pull_request"
_ASKED_BY: Final = "pull_request_target"
"""This event has the same rights, and names a head instead of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """How the publishing half finds and trusts what the computing half left.

    `prefix` begins the artifacts' names, one for each gate; `validate` makes a report of the files of one artifact
    (`receipt.json` and what lies below `rows/` and `takes/`), or raises an EvidenceError; `settle` lets an acceptance
    count that GitHub itself knows of; `held` gives what must be said of the rules that decided, or raises an
    EvidenceError where they are not the base's.
    """

    prefix: str
    validate: Callable[[Mapping[str, bytes]], Report]
    settle: Callable[[Report, pulls.PullFacts], Report] = lambda report, _: report
    held: Callable[[Report, pulls.PullFacts], str] = lambda *_: ""


def publish_artifact(context: Context, half: Half, channels: Channels, client: Client) -> Published:
    """Post what was measured by the run that a workflow_run event tells about, or by a head's finished runs.

    Never more than warnings go wrong. UnavailableError when publishing is required and something failed.
    """
    done = attempted(Published(), lambda so_far: _posted(so_far, context, half, channels, client))
    require(done, channels)
    return done


def foreword(run_url: str, *, is_fork: bool) -> str:
    """What a reader must know first: whose run measured the numbers."""
    whose = "a fork's" if is_fork else "the contributor's"
    return (
        f"> [!IMPORTANT]\n> **The numbers come from the contributor's run.** [{whose.capitalize()} own workflow run]"
        f"({run_url}) measured them by running the pull request's code. Here they were checked for consistency and "
        "rendered, not measured again."
    )


def _posted(done: Published, context: Context, half: Half, channels: Channels, client: Client) -> Published:
    repository = client.repository(context.repository)
    runs, why_none = _runs(repository, context)
    if not runs:
        return _nothing(done, why_none)
    for run in runs:
        done = attempted(
            done, partial(_of_run, run=run, context=context, half=half, channels=channels, client=client)
        )
    return done


def _runs(repository: "Repository", context: Context) -> tuple[Sequence[artifacts.RunFacts], str]:
    """The runs that measured, and why there are none: the one that finished, or those of the head so far."""
    if context.triggering is not None:
        return (artifacts.run(repository, context.triggering.run_id),), ""
    if context.event != _ASKED_BY or context.head_sha is None:
        return (), "this is no workflow_run event"
    found = artifacts.finished(repository, context.head_sha, context.head_repository_id, event=_MEASURING)
    return found, f"no finished run of {_MEASURING} has measured {context.head_sha[:7]} yet"


def _of_run(
    done: Published,
    *,
    run: artifacts.RunFacts,
    context: Context,
    half: Half,
    channels: Channels,
    client: Client,
) -> Published:
    repository = client.repository(context.repository)
    candidates = _pulls_of(repository, run) if run.event == _MEASURING else ()
    found = _latest(artifacts.stored_below(repository, run.id, half.prefix)) if candidates else ()
    why_not = _why_not(context, run, candidates)
    if why_not:
        return _nothing(done, why_not)
    if not found:
        done = _nothing(done, f"run {run.id} left no artifact {half.prefix}*")
    left = found[MOST_ARTIFACTS:]
    if left:
        done = with_warning(
            done, f"{len(left)} artifacts were left out", f"publish at most {MOST_ARTIFACTS} gates"
        )
    post = _Post(context, half, channels, client, run, candidates)
    for one in found[:MOST_ARTIFACTS]:
        done = attempted(done, partial(post.of, stored=one))
    return done if channels.comment.mode == "off" else attempted(done, post.tell_the_rest)


@dataclass(frozen=True, slots=True)
class _Post:
    context: Context
    half: Half
    channels: Channels
    client: Client
    run: artifacts.RunFacts
    candidates: tuple[pulls.PullFacts, ...]

    def of(self, done: Published, *, stored: artifacts.Stored) -> Published:
        """One gate's result, posted; EvidenceError when the artifact is not what it claims to be."""
        repository = self.client.repository(self.context.repository)
        files = artifacts.fetched(self.client, repository, stored, _expected)
        claimed = claim.decoded(files.get(claim.FILE_NAME, b""))
        pull = next((one for one in self.candidates if one.number == claimed.pull), self.candidates[0])
        wrong = claim.contradictions(claimed, self._truth(pull))
        if wrong:
            raise EvidenceError(
                f"the artifact {stored.name[:80]!r} is not what it claims: " + "; ".join(wrong),
                remedy="it is not published; run the pull request's workflow again",
            )
        valid = self.half.validate(files)
        rules = self.half.held(valid, pull)
        report = self.half.settle(valid, pull)
        posted = upsert(
            repository.get_issue(pull.number),
            self._note(report, claimed.attempt, rules),
            current_head=lambda: pulls.facts(repository, pull.number).head_sha,
            own_login=self.client.login,
            wish=self.channels.comment,
        )
        return with_comment(done, posted)

    def tell_the_rest(self, done: Published) -> Published:
        """Comments that still speak of an older commit, where the run did not end well."""
        repository = self.client.repository(self.context.repository)
        unposted = Unposted(repository, self.run, self.client.login)
        for pull in self.candidates:
            for posted in unposted.told(pull):
                done = with_comment(done, posted)
        return done

    def _truth(self, pull: pulls.PullFacts) -> claim.Claim:
        return claim.Claim(
            repository=self.context.repository,
            pull=pull.number,
            head_sha=self.run.head_sha,
            run_id=self.run.id,
            attempt=self.run.attempt,
        )

    def _note(self, report: Report, attempt: int, rules: str) -> Note:
        measured = Run(id=self.run.id, attempt=attempt, url=self.run.url)
        said = foreword(self.run.url, is_fork=self.context.is_fork)
        whole = f"{said}\n\n{rules}" if rules else said
        return note(report, head=self.run.head_sha, run=measured, foreword=whole)


def _why_not(
    context: Context,
    run: artifacts.RunFacts,
    candidates: Sequence[pulls.PullFacts],
) -> str:
    """Why there is nothing to publish; empty = there is something."""
    by_itself = not context.is_fork and run.actor != DEPENDABOT
    reasons = (
        (run.event != _MEASURING, f"run {run.id} was started by {run.event}, not by {_MEASURING}"),
        (by_itself, f"run {run.id} is not a fork's: it had a token and published itself"),
        (not candidates, f"no open pull request has {run.head_sha[:7]} as its head any more"),
    )
    return next((why for applies, why in reasons if applies), "")


def _pulls_of(repository: "Repository", run: artifacts.RunFacts) -> tuple[pulls.PullFacts, ...]:
    if run.head_repository is None or run.head_repository_id is None:
        return ()
    return pulls.of_branch(
        repository,
        head_repository=run.head_repository,
        head_repository_id=run.head_repository_id,
        branch=run.head_branch,
        head_sha=run.head_sha,
    )


def _latest(found: Sequence[artifacts.Stored]) -> tuple[artifacts.Stored, ...]:
    """Of each gate's artifacts the latest attempt's, by name."""
    by_gate = {one.gate_name: one for one in sorted(found, key=lambda one: (one.attempt, one.id))}
    return tuple(by_gate[name] for name in sorted(by_gate))


def _expected(name: str) -> bool:
    return name in {RECEIPT, claim.FILE_NAME} or name.startswith((ROWS, TAKES))


def _nothing(done: Published, why: str) -> Published:
    return replace(done, said=(*done.said, f"nothing is published: {why}"))
