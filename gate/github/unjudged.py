"""The comment of a gate, told that a newer commit could not be judged: an older verdict must not pass for its own."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace as with_changes

from gate.github.comment_choice import Found, Mode, standing
from gate.github.comment_thread import Thread
from gate.github.comments import Note, Posted, created
from gate.github.event import Run
from gate.github.failures import MissingError
from gate.github.marker import Marker, Unjudged, digest, without_marker, written
from gate.render.unjudged import Ending, unjudged_alert

if TYPE_CHECKING:
    from github.Issue import Issue

BELOW: Final = "<!-- retrieval-quality-gate: what stood here before -->"
"""Parts the alert from what it stands before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What is told below a pull request: how `run` ended for the gate `gate`, and when a first comment is wanted."""

    gate: str
    ending: Ending
    run: Run
    mode: Mode = "always"


def tell(
    issue: "Issue", telling: Telling, *, current_head: Callable[[], str], own_login: str | None
) -> Posted:
    """Put the alert before what this gate's comment says, or post it alone; a ForgeError when GitHub does not let us.

    A verdict about the same commit by this run or a later one stays as it is, and so does what a later run told.
    The next verdict takes the place of everything.
    """
    thread = Thread(issue)
    there = standing(thread.read(), telling.gate, own_login)
    head = current_head()
    if head != telling.ending.head:
        reason = f"the pull request has moved on to {head[:7]}; this is about {telling.ending.head[:7]}"
        return Posted(action="skipped", url=there.kept.url if there.kept else "", reason=reason)
    # the comment as it is last of all: a verdict that was posted meanwhile must not be written over
    kept = thread.again(there.kept) if there.kept else None
    why = why_untold(kept, telling)
    if why:
        return Posted(action="skipped", url=kept.url if kept else "", reason=why)
    if kept is None:
        return created(issue, _alone(telling), replace(there, kept=None), own_login=own_login)
    return _before(thread, kept, telling)


def why_untold(kept: Found | None, telling: Telling) -> str:
    """Why the comment is left as it is; empty = it is to be told."""
    cancelled = telling.ending.cancelled
    if kept is None:
        return _why_no_first(telling)
    if kept.marker.head == telling.ending.head:
        if (kept.marker.run, kept.marker.attempt) >= (telling.run.id, telling.run.attempt):
            return f"run {kept.marker.run} has judged this commit already"
        if cancelled:
            return f"what run {kept.marker.run} said of this commit holds"
    told = kept.marker.unjudged
    if told is None or told.head != telling.ending.head:
        return ""
    later = told.age > (telling.run.id, telling.run.attempt)
    return f"the comment says what came of run {told.run}" if later or cancelled else ""


def _why_no_first(telling: Telling) -> str:
    if telling.ending.cancelled:
        return "a cancelled run is no result, and there is no comment to correct"
    if telling.mode == "on-change":
        return "there is no comment to correct (`comment: on-change`)"
    return ""


def _alone(telling: Telling) -> Note:
    alert = unjudged_alert(telling.ending, about="")
    marker = Marker(gate=telling.gate, unjudged=_noted(telling, alert))
    return Note(marker=marker, renditions=(lambda: f"{alert}\n",))


def _before(thread: Thread, kept: Found, telling: Telling) -> Posted:
    below = _below(kept)
    alert = unjudged_alert(telling.ending, about=kept.marker.head if below else "")
    noted = _noted(telling, alert)
    if _told_already(kept, noted):
        return Posted(action="unchanged", url=kept.url)
    body = "\n\n".join((alert, BELOW, below)) if below else f"{alert}\n"
    try:
        thread.edit(kept.id, written(with_changes(kept.marker, unjudged=noted)) + body)
    except MissingError:
        return Posted(action="skipped", reason="somebody deleted the comment meanwhile")
    return Posted(action="updated", url=kept.url)


def _noted(telling: Telling, alert: str) -> Unjudged:
    run = telling.run
    return Unjudged(head=telling.ending.head, run=run.id, attempt=run.attempt, body=digest(alert))


def _told_already(kept: Found, new: Unjudged) -> bool:
    """Whether the same was told about the same commit, and nobody changed it since."""
    told = kept.marker.unjudged
    if told is None or told.head != new.head:
        return False
    return told.body == new.body == digest(without_marker(kept.body).partition(BELOW)[0])


def _below(kept: Found) -> str:
    """What the comment said before it was told anything of this kind."""
    text = without_marker(kept.body)
    if kept.marker.unjudged is None:
        return text
    return text.partition(BELOW)[2].lstrip("\r\n")
