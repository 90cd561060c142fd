"""Values, types and places in plain words: short, printable, and never a secret."""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from gate.core.records.redaction import REDACTED, redact

Path = tuple[str | int, ...]

_LONGEST_SHOWN: Final = 60
_LONGEST_COMPARED: Final = 100
_LARGEST_SHOWN: Final = 10**20
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_@/-]*")
_TYPES: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


def place(path: Sequence[str | int]) -> str:
    """Where a value lies, as a reader would write it: `rules[2].at-least`; "" for the whole document."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return text


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word the writer most probably meant; None when none is near."""
    by_letters = {_letters(candidate): candidate for candidate in known}
    matches = difflib.get_close_matches(_letters(word), by_letters, n=1)
    return by_letters[matches[0]] if matches else None


def _letters(word: str) -> str:
    return word[:_LONGEST_COMPARED].lower().replace("_", "-")


def counted(number: int, one: str, many: str | None = None) -> str:
    """ "1 question", "1,234 questions"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def shortened(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """The first few texts, and how many more there are: "a", "b", "and 3 more"."""
    rest = len(texts) - most
    return (*texts[:most], *((f"and {rest} more",) if rest > 0 else ()))


def named(keys: Iterable[str]) -> str:
    """Keys as a list in a sentence: `a`, `b`."""
    return ", ".join(key_text(key) for key in keys)


def key_text(key: str) -> str:
    """A key as it stands in a sentence, cut short where it is long."""
    return f"`{printable(_cut(key))}`"


def quoted(text: str) -> str:
    """A text in quotes, in one line, cut short where it is long."""
    return printable(json.dumps(_cut(text), ensure_ascii=False))


def type_words(types: str | Sequence[str]) -> str:
    """The types a JSON Schema allows: "text or a list"."""
    listed = [types] if isinstance(types, str) else types
    return either(_TYPES.get(name, name) for name in listed)


def either(choices: Iterable[str]) -> str:
    """Alternatives in a sentence: "a", "a or b", "a, b or c"."""
    *first, last = dict.fromkeys(choices) or ("",)
    return f"{', '.join(first)} or {last}" if first else last


def found(value: object, path: Path = ()) -> str:
    """What stands there, short; a value that is, or lies under a name for, a secret is not shown."""
    shown = _without_secrets(value, path)
    match shown:
        case None:
            return "nothing"
        case bool():
            return "true" if shown else "false"
        case int():
            return str(shown) if abs(shown) < _LARGEST_SHOWN else "a very large number"
        case float():
            return repr(shown)
        case str():
            return quoted(shown)
        case list():
            return f"a list of {len(shown)}" if shown else "an empty list"
        case dict():
            return "a mapping" if shown else "an empty mapping"
        case _:
            return f"a value of type {type(shown).__name__}"


def _without_secrets(value: object, path: Path) -> object:
    if isinstance(value, list | dict):
        return value
    key = path[-1] if path else ""
    if redact({key: "any text"}) != {key: "any text"}:
        return REDACTED
    return redact(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def printable(text: str) -> str:
    """The text in one line that moves no cursor: everything unprintable as its escape."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
