"""The rolling issue of a drift watch: one per gate, opened by drift, closed by nothing but a measured pass."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace as with_changes

from gate.core.drift import Choice, Standing, choose
from gate.github.drift_marker import DriftMarker, Parts, body_of
from gate.github.drift_note import DriftNote
from gate.github.drift_thread import DriftThread, FoundIssue
from gate.github.failures import ExpiredError, MissingError, PermissionDeniedError, permissions_yaml
from gate.github.laddered import written_within

if TYPE_CHECKING:
    from github.Repository import Repository

_ROOM: Final = 1_000
"""Characters for the marker and the line about the last attempt, which may come later."""
_PERMISSION: Final = "issues: write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """What became of the issue; `rung` counts the renditions that were too long, `reason` says why it was left."""

    action: Literal["opened", "updated", "reopened", "closed", "noted", "left"]
    url: str = ""
    reason: str = ""
    rung: int = 0
    warnings: tuple[str, ...] = ()


def track(repository: "Repository", note: DriftNote, *, own_login: str | None) -> Tracked:
    """Open, write, reopen, close or leave the issue of the note's gate; a ForgeError when GitHub does not let us.

    Two jobs that open one at the same time end with one; a person's issue is never touched.
    """
    try:
        return _Tracking(DriftThread(repository), note, own_login).run()
    except PermissionDeniedError as error:
        raise PermissionDeniedError(
            f"the issue of the drift watch: the token lacks the permission `{_PERMISSION}`",
            remedy=f"give the job that runs the gate this permission:\n{permissions_yaml(_PERMISSION)}",
            permission=_PERMISSION,
        ) from error


@dataclass(frozen=True, slots=True)
class _Tracking:
    thread: DriftThread
    note: DriftNote
    own_login: str | None

    def run(self) -> Tracked:
        there = self.thread.opened()
        ours = [one for one in there if one.is_ours(self.note.gate, self.own_login)]
        kept = self._kept(ours)
        choice = choose(self.note.found, self.note.age, self.note.drifted, _standing(kept, ours))
        done = self._done(choice, kept)
        if kept is not None:
            self._tidy(ours, kept)
        return replace(done, warnings=(*done.warnings, *self._strangers(there)))

    def _kept(self, ours: Sequence[FoundIssue]) -> FoundIssue | None:
        """The issue that counts, as it is now: the oldest open one; for drift else the newest recently closed."""
        present = (found for one in ours if (found := self.thread.again(one)) is not None)
        still_ours = next((one for one in present if one.is_ours(self.note.gate, self.own_login)), None)
        if still_ours is not None or self.note.found != "drift":
            return still_ours
        closed = self.thread.recently_closed()
        return next((one for one in closed if one.is_ours(self.note.gate, self.own_login)), None)

    def _done(self, choice: Choice, kept: FoundIssue | None) -> Tracked:
        if choice.deed == "leave":
            return Tracked(action="left", url=kept.url if kept else "", reason=choice.reason)
        if kept is None:
            return self._open()
        try:
            return self._changed(choice, kept)
        except (MissingError, ExpiredError):
            if self.note.found == "drift":
                return self._open()
            return Tracked(action="left", reason="somebody has just deleted the issue")

    def _changed(self, choice: Choice, kept: FoundIssue) -> Tracked:
        if choice.deed == "remark":
            return self._noted(kept)
        done = self._closed(kept) if choice.deed == "close" else self._written(kept, choice)
        if choice.deed in self.note.remarks:
            # after the edit: a remark is for those who watch the issue, and is said once
            self.thread.remark(kept.number, self.note.remarks[choice.deed])
        return done

    def _written(self, kept: FoundIssue, choice: Choice) -> Tracked:
        """The issue with what drifts now; the line about a later attempt that could not measure stays."""
        stays = kept.marker.tried > self.note.age
        attempt = kept.parts.attempt if stays else ""
        tried = kept.marker.tried if stays else (0, 0)
        marker = with_changes(self._marker(), tried_run=tried[0], tried_attempt=tried[1])

        def edit(text: str) -> FoundIssue:
            # open in any case: another job may be closing it right now
            return self.thread.edit(
                kept.number, body_of(Parts(marker=marker, attempt=attempt, text=text)), "open"
            )

        found, fitted = written_within(self.note.renditions, _ROOM, lambda fitted: edit(fitted.text))
        action: Literal["reopened", "updated"] = "reopened" if choice.deed == "reopen" else "updated"
        return Tracked(action=action, url=found.url, rung=fitted.rung)

    def _closed(self, kept: FoundIssue) -> Tracked:
        """The last words about the drift stay in the body."""
        body = body_of(Parts(marker=with_changes(self._marker(), drifted=""), text=kept.parts.text))
        return Tracked(action="closed", url=self.thread.edit(kept.number, body, "completed").url)

    def _noted(self, kept: FoundIssue) -> Tracked:
        run, attempt = self.note.age
        marker = with_changes(kept.marker, tried_run=run, tried_attempt=attempt)
        parts = with_changes(kept.parts, marker=marker, attempt=self.note.attempt)
        return Tracked(action="noted", url=self.thread.edit(kept.number, body_of(parts)).url)

    def _open(self) -> Tracked:
        def create(text: str) -> FoundIssue:
            return self.thread.create(self.note.title, body_of(Parts(marker=self._marker(), text=text)))

        made, fitted = written_within(self.note.renditions, _ROOM, lambda fitted: create(fitted.text))
        kept = self._settled(made)
        if kept.number == made.number:
            return Tracked(action="opened", url=made.url, rung=fitted.rung)
        reason = f"another job opened #{kept.number} at the same time"
        return Tracked(action="updated", url=kept.url, rung=fitted.rung, reason=reason)

    def _settled(self, made: FoundIssue) -> FoundIssue:
        """Look again: whoever opened one at the same time is seen now. The oldest stays and says what is latest."""
        beside = self.thread.opened_beside(made)
        rivals = [one for one in beside if one.is_ours(self.note.gate, self.own_login)]
        kept = min([made, *rivals], key=lambda one: one.number)
        if kept.number == made.number:
            return made
        self._duplicate(made, kept)
        if kept.marker.measured < made.marker.measured:
            return self.thread.edit(kept.number, body_of(made.parts))
        return kept

    def _tidy(self, ours: Sequence[FoundIssue], kept: FoundIssue) -> None:
        """Close what an interrupted run left beside it; another bot's is another bot's."""
        owner = self.own_login or kept.login
        for one in ours:
            if one.number > kept.number and one.login == owner:
                self._duplicate(one, kept)

    def _duplicate(self, one: FoundIssue, kept: FoundIssue) -> None:
        """Close an issue of ours that another one makes needless, and let it point there."""
        marker = with_changes(one.marker, moved=kept.number)
        text = (
            f"This is a second issue of the same drift watch, opened at the same time: see #{kept.number}.\n"
        )
        self.thread.edit(one.number, body_of(Parts(marker=marker, text=text)), "not_planned")

    def _marker(self) -> DriftMarker:
        run, attempt = self.note.age
        return DriftMarker(gate=self.note.gate, run=run, attempt=attempt, drifted=self.note.drifted)

    def _strangers(self, there: Sequence[FoundIssue]) -> list[str]:
        same = (one for one in there if one.marker.gate == self.note.gate and one.marker.moved is None)
        return [
            f"#{one.number} by {one.login} begins with this gate's marker and was left alone"
            for one in same
            if not one.is_ours(self.note.gate, self.own_login)
        ]


def _standing(kept: FoundIssue | None, ours: Sequence[FoundIssue]) -> Standing | None:
    """The issue that counts, with what the newest of several says."""
    if kept is None:
        return None
    markers = [kept.marker, *(one.marker for one in ours[1:])]
    newest = max(markers, key=lambda marker: marker.measured)
    return Standing(
        is_open=kept.is_open,
        measured=newest.measured,
        tried=max(marker.tried for marker in markers),
        drifted=newest.drifted,
    )
