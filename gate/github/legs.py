"""The legs of one matrix job are gates of their own: each gets a name from its values. Pure."""

import hashlib
import json
import re
from typing import Final

LONGEST: Final = 63
_NOT_PLAIN: Final = re.compile(r"[^a-z0-9.]+")


def leg(matrix: str) -> str:
    """A name for the leg that `toJSON(matrix)` describes; empty where there is no matrix."""
    try:
        values = json.loads(matrix or "null")
    except ValueError:
        return ""
    if not isinstance(values, dict) or not values:
        return ""
    return _plain("-".join(_text(value) for value in values.values()))


def gate_of_leg(gate: str, leg_name: str) -> str:
    """The gate's id in this leg, never longer than an id may be: a long one ends in a digest of the whole."""
    if not leg_name:
        return gate
    whole = f"{gate}-{leg_name}"
    if len(whole) <= LONGEST:
        return whole
    mark = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{whole[: LONGEST - len(mark) - 1].rstrip('-.')}-{mark}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _plain(text: str) -> str:
    return _NOT_PLAIN.sub("-", text.lower()).strip("-.")
