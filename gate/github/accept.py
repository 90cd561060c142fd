"""Accepting a failing verdict by a comment: who, why, until when, for which commit and which rules.

/gate accept 4f2c1aa reason="the index is being rebuilt" until=2026-12-31
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from gate.core.report import Acceptance
from gate.github.pulls import WRITERS, permission
from gate.github.understanding import login_of, understood

if TYPE_CHECKING:
    from github.Issue import Issue
    from github.Repository import Repository

MOST_REASON_CHARS: Final = 500
SHORTEST_SHA: Final = 7

_COMMAND: Final = re.compile(r" {0,3}/gate[ \t]+accept(?=[ \t]|$)(?P<rest>.*)")
_FENCE: Final = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_HIDDEN: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“”", "‘": "’", "«": "»", "»": "«"}
_WORD: Final = re.compile(
    r"(?P<key>reason|until)[ \t]*[=:][ \t]*(?P<value>.*)|(?P<bare>[^ \t]+)", re.IGNORECASE
)
_SHA: Final = re.compile(r"[0-9a-f]{7,64}")
_STOPS: Final = {
    "until": re.compile(r"[ \t]"),
    "reason": re.compile(r"[ \t]+(?=(?:reason|until)[ \t]*[=:])", re.IGNORECASE),
}
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A comment as the API gives it."""

    id: int
    author: str
    body: str
    url: str
    created: datetime
    updated: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A comment that was meant as an acceptance and is none, and why."""

    by: str
    why: str
    comment_id: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an acceptance must fit: the present head, the rules that fail there, the owners, the day (UTC)."""

    head: str
    failing: tuple[str, ...]
    owners: tuple[str, ...]
    today: date


@dataclass(frozen=True, slots=True)
class _Words:
    sha: str | None
    reason: str
    until: str


def acceptances(
    remarks: Iterable[Remark], terms: Terms, permission_of: Callable[[str], str]
) -> tuple[Acceptance | Ignored, ...]:
    """Every attempt to accept, in the order of the comments, each with its outcome.

    `permission_of` tells what somebody may do; it is asked only of owners whose comment is otherwise good.
    """
    return tuple(
        _judged(one, words, terms, permission_of) for one in remarks for words in _attempts(one.body)
    )


def read(repository: "Repository", issue: "Issue", terms: Terms) -> tuple[Acceptance | Ignored, ...]:
    """The acceptances below a pull request, permissions checked through the API (once per person)."""
    asked: dict[str, str] = {}

    def permission_of(login: str) -> str:
        if login not in asked:
            asked[login] = permission(repository, login)
        return asked[login]

    return acceptances(remarks(issue), terms, permission_of)


def remarks(issue: "Issue") -> tuple[Remark, ...]:
    """The comments that mention the command, from every page."""
    with understood("a comment"):
        return tuple(
            Remark(
                id=one.id,
                author=login_of(one.user),
                body=one.body,
                url=one.html_url,
                created=one.created_at,
                updated=one.updated_at,
            )
            for one in issue.get_comments()
            if "/gate" in (one.body or "")
        )


def _judged(
    remark: Remark, words: _Words, terms: Terms, permission_of: Callable[[str], str]
) -> Acceptance | Ignored:
    why = _wrong_words(words, terms) or _wrong_person(remark, terms, permission_of)
    if why:
        return Ignored(by=remark.author, why=why, comment_id=remark.id, url=remark.url)
    return Acceptance(
        by=remark.author,
        reason=words.reason,
        until=words.until,
        head=terms.head,
        rules=terms.failing,
        url=remark.url,
    )


def _wrong_words(words: _Words, terms: Terms) -> str:
    """What is wrong with the words, in the order a writer would correct them; empty = nothing."""
    until = _date(words.until)
    checks = (
        (words.sha is None, "it names no commit: write the first seven or more digits of the head"),
        (
            not terms.head.startswith(words.sha or "-"),
            f"it is for {words.sha}, and the head is {terms.head[:7]}",
        ),
        (not words.reason, 'it gives no reason: write reason="…"'),
        (len(words.reason) > MOST_REASON_CHARS, f"its reason is longer than {MOST_REASON_CHARS} characters"),
        (not words.until, "it has no end: write until=YYYY-MM-DD"),
        (until is None, f"{words.until!r} is no date: write until=YYYY-MM-DD"),
        (until is not None and until < terms.today, f"it ended on {words.until}"),
        (not terms.failing, "nothing fails at this head"),
    )
    return next((why for wrong, why in checks if wrong), "")


def _wrong_person(remark: Remark, terms: Terms, permission_of: Callable[[str], str]) -> str:
    if remark.updated > remark.created:
        return "it was edited after it was written, and an editor is not named: write a new one"
    if not terms.owners:
        return "the base's config names no `owners`, and only they may accept"
    if remark.author.lower() not in {owner.removeprefix("@").lower() for owner in terms.owners}:
        return "its author is not among the `owners` of the base's config"
    level = permission_of(remark.author)
    return "" if level in WRITERS else f"its author has {level} permission, and write is needed"


def _attempts(body: str) -> Iterator[_Words]:
    """Every line that begins with the command, outside code, quotations and hidden text."""
    fence = ""
    for line in _HIDDEN.sub("", body.replace("\r\n", "\n")).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = (
                "" if mark and line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence
            )
        elif mark:
            fence = mark["mark"]
        elif command := _COMMAND.fullmatch(line.rstrip()):
            yield _words(command["rest"])


def _words(rest: str) -> _Words:
    found = {"reason": "", "until": ""}
    bare: list[str] = []
    rest = rest.strip()
    while word := _WORD.match(rest):
        if word["key"]:
            key = word["key"].lower()
            found[key], rest = _value(word["value"], _STOPS[key])
        else:
            bare.append(word["bare"])
            rest = rest[word.end() :]
        rest = rest.strip()
    sha = next((one.lower() for one in bare if _SHA.fullmatch(one.lower())), None)
    return _Words(sha, found["reason"].strip(), found["until"].strip())


def _value(text: str, stop: re.Pattern[str]) -> tuple[str, str]:
    """The value at the beginning of `text`, quoted in any way people quote, and what follows it."""
    closing = _QUOTES.get(text[:1], "")
    end = min((at for mark in closing if (at := text.find(mark, 1)) > 0), default=-1)
    if end > 0:
        return text[1:end], text[end + 1 :]
    # without quotes, or without the second one: a day is one word, a reason goes on to the next key
    found = stop.search(text)
    at = found.start() if found else len(text)
    return text[:at].strip("".join(_QUOTES)), text[at:]


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None
