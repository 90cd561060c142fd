"""Characters a reader cannot see, and the signs that stand in for them.

Hidden means: control characters, Unicode's Default_Ignorable_Code_Point (zero width, bidirectional controls,
tag characters, variation selectors, fillers), line and paragraph separators, interlinear marks, blank
symbols, lone surrogates and noncharacters. The ranges are written out so that every Python version shows the
same text.

Three kinds carry meaning and stay where they carry it: the emoji variation selector after a picture or in a
keycap, the joiner between two pictures, and the joiners of Indic and Arabic scripts (the contexts of RFC
5892, A.1 and A.2).
"""

import re

HIDDEN = (
    "\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
    "\U00013430-\U0001343f\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
) + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
"""The inside of a regular expression's character class."""

_PICTURE = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u27ff\u2900-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_ARABIC = "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9"
_MEANINGFUL = (
    f"(?<=[{_PICTURE}])\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])"
    f"|(?<=[{_VIRAMA}])[\u200c\u200d]|(?<=[{_ARABIC}])\u200c(?=[{_ARABIC}])"
)
_UNSEEN = re.compile(f"(?!{_MEANINGFUL})[{HIDDEN}]")
_SPACE_AT_THE_EDGE = re.compile("^ +| +$")
_UNUSUAL_SPACE = re.compile("[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_OPEN_BOX = "\u2423"


def reveal(text: str, *, keep: str = "") -> str:
    """The text with every hidden character replaced by a visible sign, except those named in ``keep``."""
    return _UNSEEN.sub(lambda hidden: hidden[0] if hidden[0] in keep else _sign(ord(hidden[0])), text)


def reveal_spaces(text: str) -> str:
    """The text with spaces nobody would notice (at its edges, or not U+0020) shown as an open box."""
    framed = _SPACE_AT_THE_EDGE.sub(lambda spaces: _OPEN_BOX * len(spaces[0]), text)
    return _UNUSUAL_SPACE.sub(_OPEN_BOX, framed)


def _sign(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"\u27e8U+{code:04X}\u27e9"
