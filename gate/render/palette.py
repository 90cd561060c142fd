"""Colours for the terminal, passed in by whoever knows whether the terminal has any."""

from dataclasses import dataclass
from typing import Final

from gate.render.tables import Tone


@dataclass(frozen=True, slots=True)
class Palette:
    """What is written before a text of each tone; all empty means no colour, and then nothing is written after."""

    good: str = ""
    bad: str = ""
    unsure: str = ""
    quiet: str = ""
    strong: str = ""
    reset: str = ""

    def paint(self, text: str, tone: Tone | None) -> str:
        """The text in its tone."""
        start = {"good": self.good, "bad": self.bad, "unsure": self.unsure, "quiet": self.quiet}.get(
            tone or "", ""
        )
        return f"{start}{text}{self.reset}" if start else text

    def bold(self, text: str) -> str:
        """The text, emphasised."""
        return f"{self.strong}{text}{self.reset}" if self.strong else text


NO_COLOUR: Final = Palette()
ANSI: Final = Palette(
    good="\x1b[32m", bad="\x1b[31m", unsure="\x1b[33m", quiet="\x1b[2m", strong="\x1b[1m", reset="\x1b[0m"
)
