"""What a system under test wrote about its own failure, for a log or a terminal."""

from typing import Final

from gate.core.records.redaction import redact_text
from gate.core.wording import counted
from gate.render.fitting import cut_chars
from gate.render.visible import reveal

MOST_LINES: Final = 20
MOST_CHARS: Final = 400


def system_words(text: str) -> str:
    """The last lines, each cut and behind a bar, without secrets and hidden characters: nothing obeys them."""
    lines = [line for line in redact_text(text).splitlines() if line.strip()]
    shown = lines[-MOST_LINES:]
    which = f"{len(shown)} of {counted(len(lines), 'line')}" if len(lines) > len(shown) else "its own words"
    return "\n".join((f"what the system said last ({which}):", *map(_barred, shown)))


def _barred(line: str) -> str:
    """A runner takes `::` at a line's beginning and `##[` anywhere for a command."""
    seen = reveal(line.rstrip(), keep="\t").replace("##[", "# #[")
    return f"  | {cut_chars(seen, MOST_CHARS)}"
