"""A step that ends in an error tells it to the pull request's comment, which else speaks of an older commit."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from gate.core.records.redaction import without
from gate.errors import Cancelled, ExitCode
from gate.github import pulls
from gate.github.client import Client
from gate.github.comment_choice import Mode
from gate.github.drift_issue import track
from gate.github.drift_note import note_of_error, why_not_here
from gate.github.event import Context, Run
from gate.github.inputs import INPUTS
from gate.github.publish import FOR_FORKS, Published, attempted, with_comment, with_issue, with_warning
from gate.github.unjudged import Telling, tell
from gate.process import within
from gate.render.unjudged import Ending
from gate.store.git_history import GitHistory
from gate.wiring.drift import watches
from gate.wiring.gate_id import gate_id

if TYPE_CHECKING:
    from github.Repository import Repository

TELLING_SECONDS: Final = 8
"""How long a step that ends in an error still talks to GitHub about it."""

STOPPED_SECONDS: Final = 3
"""The same for one that was stopped: the runner kills it some seconds after it asked."""

_STOPPED: Final = {ExitCode.INTERRUPTED, ExitCode.TERMINATED}
_CHOICES: Final = {one.name: one.choices for one in INPUTS}
_ELSE: Final = frozenset(_CHOICES["command"]) - {"run", "merge"}
"""Commands whose errors say nothing of whether the commit is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a step ended that reached no verdict, and when (UTC); `secrets` are never told."""

    code: ExitCode
    message: str
    remedy: str
    at: str = ""
    secrets: Iterable[str] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a step ended: its inputs as they were given, right or wrong, its event, and how to reach GitHub.

    `connect` takes the seconds that the conversation may last.
    """

    workspace: Path
    inputs: Mapping[str, str]
    context: Callable[[], Context]
    connect: Callable[[Context, float], Client]

    @property
    def mode(self) -> str:
        """When a comment is wanted, as the input says."""
        return self.inputs.get("comment") or "always"


def tell_in_time(ended: Ended, place: Place) -> Published:
    """What was told where, within seconds; whatever goes wrong is a warning, since another error is on its way."""
    seconds = STOPPED_SECONDS if ended.code in _STOPPED else TELLING_SECONDS
    try:
        told = within(
            seconds, lambda: attempted(Published(), lambda done: _told(done, ended, place, seconds))
        )
    except Cancelled:
        return _failed("the run was stopped meanwhile")
    return _failed(f"it did not answer within {seconds:g} s") if told is None else _once(told, ended)


def _failed(why: str) -> Published:
    return with_warning(Published(), f"GitHub could not be told: {why}", "read the error in this log")


def _once(told: Published, ended: Ended) -> Published:
    """Without a warning of the very error that ended the step, which kept it from being told, too."""
    return replace(told, warnings=tuple(one for one in told.warnings if one.message != ended.message))


def _told(done: Published, ended: Ended, place: Place, seconds: float) -> Published:
    seen = place.context()
    if watches(place.inputs, seen):
        return _told_issue(done, ended, place, seen, seconds)
    judging = place.inputs.get("command") not in _ELSE and seen.may_run_suites and seen.may_comment
    if not judging or place.mode == "off":
        return done
    why = _why_untold(seen, place.mode)
    if why:
        return _untold(why)
    with place.connect(seen, seconds) as client:
        return _posted(done, ended, place, seen, client)


def _told_issue(done: Published, ended: Ended, place: Place, seen: Context, seconds: float) -> Published:
    """A drift watch tells the issue that it keeps, and nobody's pull request."""
    if place.mode == "off":
        return done
    why = why_not_here(seen) or _unclear(place.mode)
    if why:
        return replace(done, said=(f"no issue: {why}",))
    with place.connect(seen, seconds) as client:
        repository = client.repository(seen.repository)
        gate = gate_id(place.workspace, place.inputs, seen, repository)
        if not gate:
            return replace(done, said=("no issue: the gate's id is not known",))
        how, message = _how(ended), _public(ended.message, ended, place)
        note = note_of_error(gate, seen.run, how, "" if ended.code in _STOPPED else message, ended.at)
        return with_issue(done, track(repository, note, own_login=client.login))


def _why_untold(seen: Context, mode: str) -> str:
    return _unclear(mode) or (FOR_FORKS if seen.token_is_read_only else "")


def _unclear(mode: str) -> str:
    return "" if mode in _CHOICES["comment"] else f"`comment: {mode}` does not say whether one is wanted"


def _posted(done: Published, ended: Ended, place: Place, seen: Context, client: Client) -> Published:
    repository = client.repository(seen.repository)
    number, head = _about(repository, place, seen)
    gate = gate_id(place.workspace, place.inputs, seen, repository)
    if not number or not head or not gate:
        known = {"pull request": number, "commit that was to be judged": head, "gate's id": gate}
        return _untold(f"the {next(what for what in known if not known[what])} is not known")
    posted = tell(
        repository.get_issue(number),
        Telling(
            gate=gate,
            ending=_ending(ended, place, head, seen.run),
            run=seen.run,
            mode=cast("Mode", place.mode),
        ),
        current_head=lambda: pulls.facts(repository, number).head_sha,
        own_login=client.login,
    )
    return with_comment(done, posted)


def _about(repository: "Repository", place: Place, seen: Context) -> tuple[int | None, str | None]:
    """The pull request, and of its commits the one that was to be judged."""
    number = seen.pull_number
    if number is None or seen.head_sha is not None:
        return number, seen.head_sha
    tested = GitHistory(place.workspace.resolve()).head() or seen.tested_sha
    return number, pulls.head_under_test(repository, number, tested)


def _ending(ended: Ended, place: Place, head: str, run: Run) -> Ending:
    cancelled = ended.code in _STOPPED
    return Ending(
        head=head,
        how=_how(ended),
        message="" if cancelled else _public(ended.message, ended, place),
        remedy=_public(ended.remedy, ended, place),
        url=run.attempt_url,
        cancelled=cancelled,
    )


def _how(ended: Ended) -> str:
    return "its run was cancelled" if ended.code in _STOPPED else f"exit code {int(ended.code)}"


def _public(text: str, ended: Ended, place: Place) -> str:
    """The text without secrets, and with paths as the repository has them."""
    return without(text, ended.secrets).replace(f"{place.workspace.resolve()}/", "")


def _untold(why: str) -> Published:
    return Published(said=(f"no comment: {why}",))
