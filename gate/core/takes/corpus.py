"""Which takes count as the corpus, and what a source saw besides the takes it delivered."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.core.records.takes_receipt import Choice
from gate.core.takes.take import Take


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which takes count: those of pages whose slug begins with the prefix, every character of it literal."""

    slug_prefix: str = ""
    inactive: Choice = "skipped"
    deleted_pages: Choice = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusNotes:
    """What was left out or read against the rules, counted so that it can be shown."""

    pages: int = 0
    """How many pages were looked at."""
    inactive: int = 0
    """Takes left out because they are struck or superseded."""
    deleted: int = 0
    """Takes left out because their page is deleted."""
    clamped: int = 0
    """Takes whose weight lay outside [0, 1]."""
    warnings: Mapping[str, int] = field(default_factory=dict)
    """Warnings of malformed fences, by code."""
    misencoded: int = 0
    """Pages with bytes that are no UTF-8; U+FFFD stands for them."""
    unreadable: int = 0
    """Pages or folders that could not be read."""
    links: int = 0
    """Symbolic links, which are not followed."""
    places: tuple[str, ...] = ()
    """Where the first warnings and failures are: a page and a code, never a claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Takes in the order they were drawn, from how many that could have been."""

    takes: tuple[Take, ...]
    eligible: int
    notes: CorpusNotes = field(default_factory=CorpusNotes)
