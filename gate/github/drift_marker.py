"""The hidden first lines of a drift watch's issue: whose it is, which run it speaks of, the last failed try. Pure."""

import re
from typing import Final

from msgspec import Struct

from gate.core.drift import Age
from gate.github.marker import held_by, hidden_line, hidden_pattern

_NAME: Final = "retrieval-quality-gate-drift"
_MARKER: Final = hidden_pattern(_NAME)
_BEGIN, _END = "<!-- last attempt -->\n", "\n<!-- end of the last attempt -->\n\n"
_ATTEMPT: Final = re.compile(rf"\A{re.escape(_BEGIN)}(.*?){re.escape(_END)}", re.DOTALL)


class DriftMarker(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which gate watches, the last run that measured, what had drifted then, and the last run that could not measure.

    `drifted` is a digest, empty where nothing had drifted. A duplicate says which issue took its place (`moved`).
    """

    gate: str
    run: int = 0
    attempt: int = 0
    drifted: str = ""
    tried_run: int = 0
    tried_attempt: int = 0
    moved: int | None = None

    @property
    def measured(self) -> Age:
        """The last run that measured."""
        return self.run, self.attempt

    @property
    def tried(self) -> Age:
        """The last run that could not measure."""
        return self.tried_run, self.tried_attempt


class Parts(Struct, frozen=True, kw_only=True):
    """An issue's body taken apart: `attempt` is the line about the last failed try, empty where there is none."""

    marker: DriftMarker
    attempt: str = ""
    text: str = ""


def body_of(parts: Parts) -> str:
    """The parts as the body of an issue."""
    attempt = f"{_BEGIN}{parts.attempt}{_END}" if parts.attempt else ""
    return f"{hidden_line(_NAME, parts.marker)}{attempt}{parts.text}"


def parts_of(body: str) -> Parts | None:
    """The parts of an issue's body; None = it does not begin with our marker."""
    whole = body.replace("\r\n", "\n")
    match = _MARKER.match(whole)
    marker = held_by(match, DriftMarker)
    if match is None or marker is None:
        return None
    rest = whole[match.end() :]
    told = _ATTEMPT.match(rest)
    return Parts(marker=marker, attempt=told[1] if told else "", text=rest[told.end() :] if told else rest)
