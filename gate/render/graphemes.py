"""Where a text may be cut without tearing a visible character apart.

The rules of UAX #29 (Unicode text segmentation, extended grapheme clusters) that the standard library's
tables allow; in doubt two characters are kept together.
"""

import unicodedata

_MARKS = frozenset({"Mn", "Me", "Mc"})
_JOINER = "\u200d"
_LONGEST = 32


def boundary(text: str, at: int) -> int:
    """The last place at or before ``at`` where no visible character is torn.

    A pile of more than 32 joined characters is no character any reader sees; it is cut at ``at``.
    """
    for place in range(at, max(-1, at - _LONGEST - 1), -1):
        if not 0 < place < len(text) or not _joined(text, place):
            return place
    return at


def _joined(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    return (
        _extends(after)
        or before == _JOINER
        or (before, after) == ("\r", "\n")
        or _one_syllable(before, after)
        or _one_flag(text, place)
    )


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in _MARKS
        or char in "\u200c\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _one_syllable(before: str, after: str) -> bool:
    if "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7ff":
        return True
    return "\u1100" <= before <= "\u115f" and ("\u1100" <= after <= "\u115f" or "\uac00" <= after <= "\ud7a3")


def _one_flag(text: str, place: int) -> bool:
    """Regional indicators pair up from the left, so an odd number before the place leaves half a flag."""
    if not _is_regional(text[place]):
        return False
    start = place
    while start > 0 and _is_regional(text[start - 1]):
        start -= 1
    return (place - start) % 2 == 1


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
