"""One sentence, two readers: the same words as Markdown for a comment and as plain text for a terminal.

What a renderer writes itself is trusted; whatever came from rows, configs, ledgers or branches goes through one of a
dialect's functions, and through nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from gate.core.report import Verdict
from gate.render.neutral import code, inline
from gate.render.visible import reveal

_SENTENCE: Final = 300
_NAME: Final = 60


@dataclass(frozen=True, slots=True)
class Dialect:
    """How untrusted text is written, and what stands for emphasis and for a verdict.

    `name` is for identifiers somebody may copy, `label` for names in tables, `prose` for sentences. Only after a
    `name` may a colon follow directly: a text that ends in ":tada" and a colon of ours would make a picture.
    """

    name: Callable[[str], str]
    label: Callable[[str], str]
    prose: Callable[[str], str]
    strong: Callable[[str], str]
    marks: Mapping[Verdict, str]


def _one_line(text: str) -> str:
    return reveal(" ".join(text.split()))


def _same(text: str) -> str:
    return text


def _name(text: str) -> str:
    return code(text, limit=_NAME)


def _label(text: str) -> str:
    return inline(text, limit=_NAME)


def _sentence(text: str) -> str:
    return inline(text, limit=_SENTENCE)


def _bold(text: str) -> str:
    return f"**{text}**"


PLAIN: Final = Dialect(
    name=_one_line,
    label=_one_line,
    prose=_one_line,
    strong=_same,
    marks={"pass": "✓", "fail": "✗", "inconclusive": "?"},
)
MARKDOWN: Final = Dialect(
    name=_name,
    label=_label,
    prose=_sentence,
    strong=_bold,
    marks={"pass": "✅", "fail": "❌", "inconclusive": "⚠️"},
)


def listed(names: tuple[str, ...], *, most: int = 3) -> str:
    """ "a", "a and b", "a, b, c and 4 more"; the names are already in their dialect."""
    shown = names if len(names) <= most else names[: most - 1]
    rest = len(names) - len(shown)
    parts = [*shown, *([f"{rest:,} more"] if rest else [])]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
