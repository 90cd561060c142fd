"""Who may hold a take: the world, the brain itself, a person or a company."""

import re
import unicodedata
from typing import Final

_PUNCTUATION: Final = frozenset("._-")
_CATEGORIES: Final = frozenset({"Ll", "Lo", "Lm", "Mn", "Mc", "Me", "Nd"})
"""Lower-case, caseless and modifier letters, marks, digits."""

_SPACES: Final = frozenset({"people", "companies"})
_ASCII_SEGMENT: Final = re.compile(r"[a-z0-9._-]+")


def is_valid_holder(holder: str) -> bool:
    """Whether a holder is `world`, `brain`, `people/<segment>`, `companies/<segment>` or a bare `<segment>`."""
    space, slash, segment = holder.partition("/")
    return _is_segment(segment) and space in _SPACES if slash else _is_segment(space)


def _is_segment(text: str) -> bool:
    if text.isascii():
        return _ASCII_SEGMENT.fullmatch(text) is not None
    return all(
        character in _PUNCTUATION or unicodedata.category(character) in _CATEGORIES for character in text
    )
