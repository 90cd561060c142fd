"""The sticky comment: one per gate and pull request, found again, kept true, never doubled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal

from msgspec.structs import replace as with_changes

from gate.github.comment_choice import (
    VERDICTS,
    Choice,
    Found,
    Standing,
    Wish,
    choose,
    collides,
    newest,
    standing,
)
from gate.github.comment_thread import Thread
from gate.github.failures import MissingError, PermissionDeniedError
from gate.github.laddered import drafted, written_within
from gate.github.marker import Marker, digest, written
from gate.render.fitting import Fitted

if TYPE_CHECKING:
    from github.Issue import Issue

SETTLING: Final = timedelta(minutes=15)
"""How far back the second look reaches: longer than any publishing takes."""
_ROOM_FOR_DIGEST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What one gate has to say about one commit: renditions from the fullest to the shortest.

    The marker's `body` is filled in when it is known which rendition fits. `differs` tells whether the candidate
    differs from its baseline at all.
    """

    marker: Marker
    renditions: tuple[Callable[[], str], ...]
    differs: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What became of a note; `rung` counts the renditions that were too long, `reason` says why it was skipped."""

    action: Literal["created", "updated", "unchanged", "skipped"]
    url: str = ""
    reason: str = ""
    rung: int = 0
    warnings: tuple[str, ...] = ()


def upsert(
    issue: "Issue", note: Note, *, current_head: Callable[[], str], own_login: str | None, wish: Wish
) -> Posted:
    """Post, edit or leave the comment of this gate on `issue`; a ForgeError when GitHub does not let us.

    `current_head` asks the pull request for its head; it is called as late as possible. `own_login` is None where
    the token is not told who it is. Two jobs that do this at the same time end with one comment.
    """
    if wish.mode == "off":
        return Posted(action="skipped", reason="comments are off (`comment: off`)")
    return _Upsert(Thread(issue), note, current_head, own_login, wish).run()


def created(issue: "Issue", note: Note, there: Standing, *, own_login: str | None) -> Posted:
    """Post the note where this gate has no comment yet; of several that do so at the same time one stays."""
    return _Upsert(Thread(issue), note, lambda: note.marker.head, own_login, Wish()).create(there)


@dataclass(frozen=True, slots=True)
class _Upsert:
    thread: Thread
    note: Note
    current_head: Callable[[], str]
    own_login: str | None
    wish: Wish

    def run(self) -> Posted:
        there = standing(self.thread.read(), self.note.marker.gate, self.own_login)
        # a second look at the one that counts, and the head last of all: others are writing too
        kept = self.thread.again(there.kept) if there.kept else None
        head = self.current_head()
        if head != self.note.marker.head:
            return _past(kept, self.note.marker.head, head)
        new = self._marked(drafted(self.note.renditions, 0, self._room()))
        choice = choose(kept, new, differs=self.note.differs, wish=self.wish)
        posted = self._done(choice, replace(there, kept=kept))
        return _with(posted, *_collision([kept] if kept else [], new))

    def _done(self, choice: Choice, there: Standing) -> Posted:
        kept = there.kept
        if choice.deed == "skip":
            return Posted(action="skipped", url=kept.url if kept else "", reason=choice.reason)
        if kept is None:
            return self.create(there)
        if choice.deed == "announce":
            return self.create(replace(there, unmoved=(*there.unmoved, kept)), replaces=kept)
        if choice.deed == "leave":
            return self._tidied(there, kept, Posted(action="unchanged", url=kept.url))
        return self._edit(there, kept)

    def _edit(self, there: Standing, kept: Found) -> Posted:
        try:
            _, fitted = self._written(lambda body: self.thread.edit(kept.id, body), kept.marker.replaces)
        except MissingError:
            return self.create(replace(there, kept=None))
        except PermissionDeniedError:
            if kept.login == self.own_login:
                raise
            said = f"the comment of another bot ({kept.login}) could not be edited: there is a new one"
            return _with(self.create(there, replaces=kept), said)
        return self._tidied(there, kept, Posted(action="updated", url=kept.url, rung=fitted.rung))

    def create(self, there: Standing, *, replaces: Found | None = None) -> Posted:
        made, fitted = self._written(self.thread.create, replaces.id if replaces else None)
        kept, posted = self._settled(made, fitted.rung)
        strangers = (one.login for one in there.untouchable)
        said = [
            f"a comment by {login} begins with this gate's marker and was left alone" for login in strangers
        ]
        said += (word for one in there.unmoved for word in self._pointing(one, kept))
        return _with(posted, *said)

    def _written(self, write: Callable[[str], Found], replaces: int | None) -> tuple[Found, Fitted]:
        """The comment as GitHub took it: one rung down for each time it finds the text too long."""

        def with_marker(fitted: Fitted) -> Found:
            marker = with_changes(self._marked(fitted), replaces=replaces)
            return write(written(marker) + fitted.text)

        return written_within(self.note.renditions, self._room(), with_marker)

    def _marked(self, fitted: Fitted) -> Marker:
        return with_changes(self.note.marker, body=digest(fitted.text))

    def _room(self) -> int:
        return len(written(self.note.marker)) + _ROOM_FOR_DIGEST

    def _settled(self, made: Found, rung: int) -> tuple[Found, Posted]:
        """Look again: whoever posted at the same time is seen now. The oldest stays and says what is latest."""
        around = standing(self.thread.read_since(made.created - SETTLING), made.marker.gate, made.login)
        seen = (made, *around.duplicates, *([around.kept] if around.kept else []))
        rivals = list({one.id: one for one in seen if one.login == made.login}.values())
        kept, best = min(rivals, key=lambda one: one.id), newest(rivals)
        if best.id != kept.id:
            kept = self._saying(kept, best)
        for one in rivals:
            if one.id != kept.id:
                self.thread.delete(one.id)
        posted = Posted(action="created", url=kept.url, rung=rung)
        if best.body != made.body:
            reason = f"run {best.marker.speaker} posted at the same time"
            posted = Posted(action="skipped", url=kept.url, reason=reason)
        others = [one for one in rivals if one.id != made.id]
        return kept, _with(posted, *_collision(others, made.marker))

    def _saying(self, kept: Found, best: Found) -> Found:
        """The comment that stays, now with the body of `best`; `best` itself where somebody deleted that comment."""
        try:
            return self.thread.edit(kept.id, best.body)
        except MissingError:
            return best

    def _tidied(self, there: Standing, kept: Found, posted: Posted) -> Posted:
        """Remove what an interrupted run left: our own duplicates, and places that were taken without a word."""
        owner = self.own_login or kept.login
        for one in there.duplicates:
            if one.login == owner:
                self.thread.delete(one.id)
        left = (one for one in there.unmoved if one.login == owner)
        return _with(posted, *(word for one in left for word in self._pointing(one, kept)))

    def _pointing(self, old: Found, new: Found) -> list[str]:
        """Let the old comment point to the new one; not being allowed to is no reason to fail."""
        marker = with_changes(old.marker, moved=new.id, body="")
        said = old.marker.verdict if old.marker.verdict in VERDICTS else "unknown"
        text = f"The verdict here was **{said}**. It has changed: [see the new comment]({new.url}).\n"
        try:
            self.thread.edit(old.id, written(marker) + text)
        except (MissingError, PermissionDeniedError):
            return [f"the earlier comment {old.url} could not be edited to point to the new one"]
        return []


def _past(kept: Found | None, judged: str, head: str) -> Posted:
    reason = f"the pull request has moved on to {head[:7]}; this result is for {judged[:7]}"
    return Posted(action="skipped", url=kept.url if kept else "", reason=reason)


def _collision(others: Sequence[Found], new: Marker) -> tuple[str, ...]:
    if not any(collides(one.marker, new) for one in others):
        return ()
    return (
        f"another job of this run also reports as gate {new.gate!r}: give each job a `gate` id of its own, "
        "or one overwrites the other",
    )


def _with(posted: Posted, *warnings: str) -> Posted:
    return replace(posted, warnings=(*posted.warnings, *warnings))
