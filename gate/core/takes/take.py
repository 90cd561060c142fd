"""One take: a claim somebody holds about a page's subject, with how sure they are and since when."""

from dataclasses import dataclass
from typing import Final

DEFAULT_ORIGIN: Final = "default"
"""The source id gbrain gives the pages of its main repository; pages in a folder belong to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """How a take turned out; every part may be unknown."""

    at: str | None = None
    quality: str | None = None
    evidence: str | None = None
    value: str | None = None
    unit: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One take as it is stored. `page` is the slug of its page, `row` its number there, from 1.

    `weight` is the text that the contract prints for the stored number ("1", "0.85"), so that a single-precision
    column cannot change a fingerprint. `since` and `source` are None where the database says NULL; an empty
    text stays an empty text.
    """

    page: str
    row: int
    claim: str
    kind: str
    holder: str
    weight: str
    since: str | None = None
    until: str | None = None
    source: str | None = None
    active: bool = True
    resolution: Resolution | None = None
    origin: str = DEFAULT_ORIGIN
    """Which of several repositories the page comes from; the same slug may exist in more than one."""
