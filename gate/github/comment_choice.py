"""What to do with the comments that are there already: the pure half of the sticky comment."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from gate.github.marker import Marker, digest

Mode = Literal["always", "on-change", "on-failure", "off"]
NotifyOn = Literal["silent", "verdict-change"]
Deed = Literal["create", "edit", "announce", "leave", "skip"]
"""Announce = say it in a new comment, and let the old one point there."""

VERDICTS: Final = ("fail", "inconclusive", "pass")
"""The worst first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A comment that carries a marker."""

    id: int
    login: str
    is_bot: bool
    body: str
    url: str
    created: datetime
    marker: Marker


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The comments of one gate: the one that counts, its duplicates, those whose place was taken though they do
    not say so yet, and those that are not ours to touch."""

    kept: Found | None = None
    duplicates: tuple[Found, ...] = ()
    unmoved: tuple[Found, ...] = ()
    untouchable: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """When a comment is wanted, and when a new one rather than a silent edit."""

    mode: Mode = "always"
    notify_on: NotifyOn = "silent"


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do, and why, where it is not simply done."""

    deed: Deed
    reason: str = ""


def standing(found: Iterable[Found], gate: str, own_login: str | None) -> Standing:
    """Of all marked comments, those of this gate, sorted out; the oldest of ours is the one that counts.

    Ours are those of the token's own login, and those of any bot, since the token's kind may have changed. A
    comment of another person is never ours, whatever it begins with. One whose place was taken counts no more.
    """
    same = sorted((one for one in found if one.marker.gate == gate), key=lambda one: one.id)
    mine = [one for one in same if one.is_bot or (own_login is not None and one.login == own_login)]
    staying = [one for one in mine if one.marker.moved is None]
    replaced = {one.marker.replaces for one in staying}
    live = [one for one in staying if one.id not in replaced]
    return Standing(
        kept=live[0] if live else None,
        duplicates=tuple(live[1:]),
        unmoved=tuple(one for one in staying if one.id in replaced),
        untouchable=tuple(one for one in same if one not in mine),
    )


def choose(kept: Found | None, new: Marker, *, differs: bool, wish: Wish) -> Choice:
    """What `new` (with its body's digest) does to the comment that stands there."""
    if kept is None:
        return _first(new, differs=differs, mode=wish.mode)
    if kept.marker.head == new.head and kept.marker.age > new.age:
        return Choice("skip", f"run {kept.marker.run} judged this commit after run {new.run} was started")
    if collides(kept.marker, new) and badness(kept.marker) > badness(new):
        return Choice("skip", "another job of this run reports a worse verdict under the same gate id")
    if kept.marker.body == new.body == digest(kept.body) and kept.marker.verdict == new.verdict:
        return Choice("leave")
    if wish.notify_on == "verdict-change" and kept.marker.verdict != new.verdict:
        return Choice("announce")
    return Choice("edit")


def newest(found: Sequence[Found]) -> Found:
    """Of several comments that say different things, the one to be believed: the latest run's, the worst of one run."""
    return max(found, key=lambda one: (one.marker.age, badness(one.marker), _error_age(one.marker), -one.id))


def collides(kept: Marker, new: Marker) -> bool:
    """Whether two jobs of one run speak as the same gate and say different things."""
    return kept.run > 0 and (kept.head, kept.age) == (new.head, new.age) and kept.body != new.body


def badness(marker: Marker) -> int:
    """Worse verdicts are greater."""
    return -VERDICTS.index(marker.verdict) if marker.verdict in VERDICTS else -len(VERDICTS)


def _error_age(marker: Marker) -> tuple[int, int]:
    return marker.unjudged.age if marker.unjudged else (0, 0)


def _first(new: Marker, *, differs: bool, mode: Mode) -> Choice:
    # once a comment is there it is kept true, whatever the mode: a red comment must not outlive its cause
    failed = new.verdict != "pass"
    if mode == "on-failure" and not failed:
        return Choice("skip", "nothing failed and there is no comment to correct (`comment: on-failure`)")
    if mode == "on-change" and not failed and not differs:
        return Choice("skip", "nothing changed and there is no comment to correct (`comment: on-change`)")
    return Choice("create")
