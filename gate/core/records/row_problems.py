"""What is wrong with a line, in words: where, what was expected, what to do."""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from gate.errors import EvidenceError

REMEDY: Final = "write rows as NDJSON in UTF-8: one JSON object per line, each with its `question_id`"

_LONGEST_SHOWN: Final = 60
_PATH: Final = re.compile(r" - at `\$\.?(.*)`\Z", re.DOTALL)
_GOT: Final = re.compile(r"got `(\w+)`")
_BYTE: Final = re.compile(r"\(byte (\d+)\)")
_NO_NUMBER: Final = re.compile(rb"-?(?:NaN|Infinity)|undefined|None")
_LONGEST_WORD: Final = 9
_KINDS: Final = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}


def shown(text: str) -> str:
    """Foreign text inside a message: printable, and not longer than a few words."""
    printable = text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
    if len(printable) > _LONGEST_SHOWN:
        printable = f"{printable[:_LONGEST_SHOWN]}…"
    return f"`{printable}`"


def refused(where: str, what: str) -> EvidenceError:
    """The error for a line that cannot be used."""
    return EvidenceError(f"{where}: {what}", remedy=REMEDY)


def unreadable(error: Exception, line: bytes = b"") -> str:
    """Why bytes are not the JSON object of a row; `line` shows what stands where reading ended."""
    match error:
        case UnicodeDecodeError():
            return f"not UTF-8 (byte 0x{error.object[error.start]:02x} at column {error.start + 1})"
        case RecursionError():
            return "nested too deeply"
        case msgspec.ValidationError():
            return _mistaken(str(error))
        case _:
            return f"not JSON: {_no_number(str(error), line) or _syntax(str(error))}"


def mistyped(error: Exception, expectation: Callable[[str], tuple[str, str] | None]) -> str:
    """Which field of a row holds what it must not; `expectation` knows the field of a decoder's path."""
    message = str(error)
    path = _PATH.search(message)
    expected = expectation(path[1]) if path else None
    if path is None or expected is None:
        return unreadable(error)
    field, meant = expected
    return f"{shown(field)} must be {meant}{_instead(message[: path.start()])}"


def _instead(what: str) -> str:
    if "out of range" in what:
        return ", not a number beyond the range of doubles"
    got = _GOT.search(what)
    return f", not {_KINDS.get(got[1], got[1])}" if got else ""


def _mistaken(message: str) -> str:
    got = _GOT.search(message)
    if got is None:
        return "a number beyond the range of doubles"
    return f"not a JSON object but {_KINDS.get(got[1], got[1])}"


def _no_number(message: str, line: bytes) -> str | None:
    """What Python and JavaScript write for a value that is none, where reading ended on it."""
    place = _BYTE.search(message)
    if place is None:
        return None
    start = int(place[1])
    found = _NO_NUMBER.search(line, max(start - 1, 0), start + _LONGEST_WORD)
    if found is None:
        return None
    return f"{found[0].decode()} stands for no number: leave the field out where nothing was measured"


def _syntax(message: str) -> str:
    if "truncated" in message:
        return "it breaks off in the middle"
    if "trailing characters" in message:
        return "the object ends before the line does"
    return message.removeprefix("JSON is malformed: ")
