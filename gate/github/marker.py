"""The hidden first line of a sticky comment: whose it is, what it says, and for which commit. Pure."""

import hashlib
import json
import re
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

VERSION: Final = 1
_NAME: Final = "retrieval-quality-gate"
LONGEST_GATE: Final = 200
_VOLATILE: Final = (
    # where and when it ran, and the receipt that says so: the rest is the result
    (re.compile(r"/actions/runs/\d+(?:/attempts/\d+)?(?:/job/\d+)?(?:/artifacts/\d+)?"), "/actions/runs/…"),
    (re.compile(r"(?:, )?\battempt \d+\b"), ""),
    (re.compile(r"\breceipt ((?:<[^<>]{1,20}>|`)*)[0-9a-f]{7,64}\b"), r"receipt \1…"),
    (re.compile(r"\b\d+ (?:min|h|d) old\b"), "… old"),
    (re.compile(r"\btook [\d.,]+ ?(?:ms|s|min|h)\b"), "took …"),
)


class _OfGate(Protocol):
    @property
    def gate(self) -> str: ...


_Held = TypeVar("_Held", bound=_OfGate)


class Unjudged(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The run and attempt that reached no verdict about `head`; `body` is the digest of the alert that says so."""

    head: str
    run: int = 0
    attempt: int = 0
    body: str = ""

    @property
    def age(self) -> tuple[int, int]:
        """Later runs, and later attempts of one run, are greater."""
        return self.run, self.attempt


class Marker(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which gate speaks, about which head commit, in which run and attempt, with which verdict.

    `body` is the digest of the normalised text. `restated` is a later run that said the same result again, because
    somebody accepted it. A comment that took the place of another one says which
    (`replaces`), and that one says where its place went (`moved`), both by id. `unjudged` is a run that ended
    without a verdict, told in an alert before the text; where nothing else stands there, the marker names no head.
    """

    gate: str
    head: str = ""
    run: int = 0
    attempt: int = 0
    verdict: str = ""
    body: str = ""
    restated: int = 0
    replaces: int | None = None
    moved: int | None = None
    unjudged: Unjudged | None = None

    @property
    def age(self) -> tuple[int, int, int]:
        """Later runs, later attempts of one run, and what is said again about one attempt, are greater."""
        return self.run, self.attempt, self.restated

    @property
    def speaker(self) -> int:
        """The run whose words these are: the one that judged, else the one that could not."""
        return self.run or (self.unjudged.run if self.unjudged else 0)


def hidden_line(name: str, held: Struct) -> str:
    """What a text of ours holds, as its first line; nothing in it can end the HTML comment it lives in."""
    text = json.dumps(msgspec.to_builtins(held), separators=(",", ":"))
    hidden = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("--", "-\\u002d")
    return f"<!-- {name} v{VERSION} {hidden} -->\n"


def hidden_pattern(name: str) -> re.Pattern[str]:
    """Such a line at the very beginning of a text: group 1 is its version, group 2 what it holds, as JSON."""
    return re.compile(rf"\A\s*<!-- {name} v(\d{{1,4}}) (\{{[^\r\n]{{0,4000}}\}}) -->[ \t]*(?:\r?\n|\Z)")


def held_by(match: re.Match[str] | None, kind: type[_Held]) -> _Held | None:
    """What such a line holds, whatever version wrote it; None = there is none, or it names no gate."""
    if match is None:
        return None
    try:
        held = msgspec.json.decode(match[2], type=kind)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
    return held if 0 < len(held.gate) <= LONGEST_GATE else None


_MARKER: Final = hidden_pattern(_NAME)


def written(marker: Marker) -> str:
    """The marker as the comment's first line."""
    return hidden_line(_NAME, marker)


def found_in(body: str) -> Marker | None:
    """The marker a comment begins with, whatever version wrote it; None = it is no comment of ours.

    Only the very beginning counts: a quotation further down is somebody else talking about us.
    """
    return held_by(_MARKER.match(body), Marker)


def without_marker(body: str) -> str:
    """The comment's visible text."""
    return _MARKER.sub("", body, count=1)


def normalised(body: str) -> str:
    """The text without what changes although the result does not: marker, run, attempt, ages, receipt digest."""
    text = without_marker(body).replace("\r\n", "\n").strip()
    for pattern, stand_in in _VOLATILE:
        text = pattern.sub(stand_in, text)
    return text


def digest(body: str) -> str:
    """A short digest of the normalised text."""
    return hashlib.sha256(normalised(body).encode("utf-8", "surrogatepass")).hexdigest()[:16]
