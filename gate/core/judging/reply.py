"""A judge's reply becomes scores, or says why it does not. Nothing is guessed: what is not a score is missing.

A reply may be wrapped in prose or fences, hold several objects, or be broken JSON. Well-formed objects are looked
for first; only when there is none with scores is the text repaired (json-repair). Of several objects the complete
one counts; two that contradict each other count as none. A score is a finite number from 1 to 10, or such a number
as plain decimal text ("8"); null, an empty text, true, 0, 11, "8/10" and Infinity are no scores. A number at which
the text breaks off may have lost digits, so it is none either.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gate.core.judging.rubric import HIGHEST, LOWEST
from gate.core.records.ecmascript import number_text

LONGEST: Final = 100_000
"""Characters; no honest reply under any output cap in use is longer."""

LONGEST_REPAIRED: Final = 12_000
"""Characters; repairing takes time that grows with the square of the length (2 s at this one, at worst)."""

_MOST_FALSE_STARTS: Final = 100
_PLAIN_NUMBER: Final = re.compile(r"\s*[-+]?[0-9]{1,9}(\.[0-9]{1,20})?\s*", re.ASCII)
_BROKEN_OFF: Final = re.compile(r"[\"']?[-+0-9.eE]+\Z")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NUMBER_AND_WORDS: Final = re.compile(r":\s*[-+]?[0-9][0-9.]*[ \t]+(?=[^\s,}\]\"'/#])")
_CONTRADICTION: Final = "it holds two different sets of scores"


@dataclass(frozen=True, slots=True)
class Reply:
    """The scores that count, in the rubric's order, and what stood where a score should have been."""

    scores: Mapping[str, float]
    improvements: tuple[str, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)
    """By dimension: "is null", "is 11, outside 1 to 10"."""
    repaired: bool = False

    def missing(self, names: Sequence[str]) -> tuple[str, ...]:
        """The dimensions without a score, in that order."""
        return tuple(name for name in names if name not in self.scores)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A reply without a single score, and why; the words are the gate's own, never the reply's."""

    why: str


def read_reply(text: str, names: Sequence[str]) -> Reply | Unreadable:
    """The scores of a reply for these dimensions; never raises, whatever the text."""
    if not text.strip():
        return Unreadable("the reply is empty")
    if len(text) > LONGEST:
        return Unreadable(f"the reply is longer than {LONGEST} characters")
    found = [value for value in _objects(text) if "scores" in value]
    if found:
        return _chosen([_reply(value, names, repaired=False) for value in found], names)
    mended = _mended(text)
    if isinstance(mended, Unreadable):
        return mended
    return _chosen([_reply(value, names, repaired=True) for value in mended], names)


def score(value: object) -> float | str:
    """The score a value is; or, in words, what it is instead."""
    match value:
        case bool():
            return f"is {str(value).lower()}"
        case None:
            return "is null"
        case str() if not value.strip():
            return "is empty"
        case str() if _PLAIN_NUMBER.fullmatch(value):
            return _in_range(float(value))
        case int() | float():
            return _in_range(float(value))
        case _Twice():
            return "is given twice, differently"
        case _:
            return "is not a number"


def _in_range(number: float) -> float | str:
    if not math.isfinite(number):
        return "is not finite"
    if not LOWEST <= number <= HIGHEST:
        return f"is {number_text(number)}, outside {LOWEST} to {HIGHEST}"
    return number


class _Twice:
    """Stands for a member that an object gives twice, differently."""


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        members[key] = _Twice() if key in members and members[key] != value else value
    return members


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_members, parse_int=float, strict=False)


def _objects(text: str) -> Iterator[dict[str, object]]:
    """The well-formed JSON objects in a text, outermost ones, in order."""
    position, false_starts = text.find("{"), 0
    while position >= 0 and false_starts < _MOST_FALSE_STARTS:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            false_starts += 1
            end = position + 1
        else:
            yield value
        position = text.find("{", end)


def _mended(text: str) -> list[dict[str, object]] | Unreadable:
    """The objects with scores that a repaired text holds."""
    start = text.find("{")
    if start < 0:
        return Unreadable("there is no JSON object in the reply")
    whole = _BROKEN_OFF.sub("", text[start:])
    if len(whole) > LONGEST_REPAIRED:
        return Unreadable("it is not JSON, and too long to be repaired")
    if _NUMBER_AND_WORDS.search(_STRING.sub('""', whole)):
        return Unreadable("a number is followed by words, so what was meant is not clear")
    import json_repair

    try:
        value = json_repair.loads(whole, skip_json_loads=True)
    except (ValueError, RecursionError):
        return Unreadable("it is not JSON and could not be repaired")
    values = value if isinstance(value, list) else [value]
    objects = [each for each in values if isinstance(each, dict) and "scores" in each]
    return objects or Unreadable("there are no `scores` in the reply")


def _reply(value: Mapping[str, object], names: Sequence[str], *, repaired: bool) -> Reply | Unreadable:
    scores = value["scores"]
    if isinstance(scores, _Twice):
        return Unreadable(_CONTRADICTION)
    if not isinstance(scores, Mapping):
        return Unreadable("`scores` is not an object")
    judged = {name: _dimension(scores[name]) for name in names if name in scores}
    return Reply(
        scores={name: each for name, each in judged.items() if isinstance(each, float)},
        improvements=_improvements(value.get("improvements")),
        rejected={name: each for name, each in judged.items() if isinstance(each, str)},
        repaired=repaired,
    )


def _dimension(value: object) -> float | str:
    """A dimension is a score, or an object with one."""
    if isinstance(value, Mapping):
        return score(value["score"]) if "score" in value else "has no score"
    return score(value)


def _improvements(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _chosen(replies: Sequence[Reply | Unreadable], names: Sequence[str]) -> Reply | Unreadable:
    """The one reply that counts: complete before incomplete; contradicting ones cancel each other."""
    readable = [each for each in replies if isinstance(each, Reply)]
    scored = [each for each in readable if each.scores]
    if not scored:
        return _nothing(replies)
    best = [each for each in scored if not each.missing(names)] or scored
    if any(each.scores != best[0].scores for each in best):
        return Unreadable(_CONTRADICTION)
    return best[0]


def _nothing(replies: Sequence[Reply | Unreadable]) -> Unreadable:
    """Why none of the replies has a score, in the words of the last one."""
    last = replies[-1]
    if isinstance(last, Unreadable):
        return last
    reasons = [f"{name} {reason}" for name, reason in last.rejected.items()]
    return Unreadable(f"no score can be used{': ' + ', '.join(reasons) if reasons else ''}")
