"""Making a text fit its limit: a ladder of renditions, and cuts that tear nothing.

A report is never cut in the middle: a shorter rendition is chosen instead. Only when not even the shortest
one fits is its headline cut, as plain text.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from gate.render.graphemes import boundary

Rendition: TypeAlias = str | Callable[[], str]

ELLIPSIS = "\u2026"

# A block's marks before its first word; rows, fences, tags, alert marks and rules hold no headline.
_BLOCK_MARKS = re.compile(r"[\s>]*(?:#{1,6}\s+|[-*+]\s+)?")
_NO_HEADLINE = re.compile(r"$|\||<(?!code>)|\[!|---|\*\*\*$")
_FENCE = re.compile(r"[\s>]*(?:```|~~~)")
_ATOM = re.compile(r"<code>.*?</code>|`[^`]*`|<[^<>]*>|&#?\w+;|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text within its limits, and how much of the fullest rendition it left out.

    ``rung`` counts from 0, the fullest; one past the last means that only a headline is left.
    ``left_out`` is in characters; 0 on rung 0.
    """

    text: str
    rung: int
    left_out: int


def fit(renditions: Iterable[Rendition], *, max_chars: int, max_bytes: int) -> Fitted:
    """The first rendition (fullest first) within both limits, else the last one's headline, cut.

    Renditions that are functions are called only when reached. Characters are code points, bytes are UTF-8.
    """
    rung, fullest, text = -1, 0, ""
    for rung, rendition in enumerate(renditions):
        text = rendition if isinstance(rendition, str) else rendition()
        fullest = fullest if rung else len(text)
        if len(text) <= max_chars and size_in_bytes(text) <= max_bytes:
            return Fitted(text=text, rung=rung, left_out=max(0, fullest - len(text)))
    if rung < 0:
        raise ValueError("fit needs at least one rendition")
    short = _cut_headline(_headline(text), max_chars=max_chars, max_bytes=max_bytes)
    return Fitted(text=short, rung=rung + 1, left_out=max(0, fullest - len(short)))


def size_in_bytes(text: str) -> int:
    """The length of the text in UTF-8; a lone surrogate counts three bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


def cut_chars(text: str, max_chars: int) -> str:
    """The text, or its beginning and an ellipsis, in at most ``max_chars`` code points."""
    return _cut(text, max_chars, _one)


def cut_bytes(text: str, max_bytes: int) -> str:
    """The text, or its beginning and an ellipsis, in at most ``max_bytes`` bytes of UTF-8."""
    return _cut(text, max_bytes, _utf8)


def cut_utf16(text: str, max_units: int) -> str:
    """The text, or its beginning and an ellipsis, in at most ``max_units`` units of UTF-16 (.NET's)."""
    return _cut(text, max_units, _utf16)


def _cut(
    text: str, budget: int, width: Callable[[str], int], snap: Callable[[str, int], int] = boundary
) -> str:
    if len(text) <= budget and sum(map(width, text)) <= budget:
        return text
    room = budget - width(ELLIPSIS)
    if room < 0:
        return ""
    at = bisect_right(list(accumulate(map(width, text[:room]))), room)
    return text[: snap(text, at)] + ELLIPSIS


def _one(_: str) -> int:
    return 1


def _utf8(char: str) -> int:
    return 1 + (char > "\x7f") + (char > "\u07ff") + (char > "\uffff")


def _utf16(char: str) -> int:
    return 1 + (char > "\uffff")


def _headline(text: str) -> str:
    """The first line of running text before any fence, without its block's marks and without emphasis."""
    for line in text.splitlines():
        if _FENCE.match(line):
            break
        words = _BLOCK_MARKS.sub("", line, count=1).strip()
        if not _NO_HEADLINE.match(words):
            return words.replace("**", "")
    return ELLIPSIS


def _cut_headline(headline: str, *, max_chars: int, max_bytes: int) -> str:
    within_chars = _cut(headline, max_chars, _one, _between_atoms)
    return _cut(within_chars, max_bytes, _utf8, _between_atoms)


def _between_atoms(text: str, at: int) -> int:
    """The last place at or before ``at`` outside every entity, tag, code element and visible character."""
    ends = (atom.start() for atom in _ATOM.finditer(text) if atom.end() > at)
    place = next(ends, at)
    return boundary(text, place)
