"""JSON read strictly: what two readers could understand differently is refused, with its place.

RFC 8259 leaves duplicate names (§4), numbers beyond a double (§6) and unpaired surrogates (§8.2) to
the reader; RFC 7493 (I-JSON) forbids all three, and so does this module. NaN and Infinity are no JSON.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Final, NoReturn

MAX_DEPTH: Final = 100
"""How many lists and objects may lie inside each other."""

_BOM: Final = b"\xef\xbb\xbf"
_LONGEST_PLAIN_INTEGER: Final = 300
"""An integer of up to this many digits is certainly below the largest double."""

_LONGEST_SHOWN: Final = 60

_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_TOKEN: Final = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.)*")(?P<colon>[ \t\r\n]*:)?'
    r"|(?P<number>-?[0-9][0-9.eE+-]*)"
    r"|(?P<constant>NaN|-?Infinity)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)


class StrictJsonError(ValueError):
    """The bytes are not JSON that every reader understands alike; says where (both count from 1) and why."""

    def __init__(self, reason: str, *, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


class _RefusedError(ValueError):
    """Something is refused; where it stands is found by a second, slower look."""


def strict_loads(data: bytes) -> object:
    """The value that UTF-8 JSON bytes hold, a byte order mark allowed; StrictJsonError for anything doubtful.

    Refused are: invalid UTF-8, invalid JSON, NaN and Infinity, numbers beyond the range of a double,
    duplicate keys, unpaired surrogates, nesting deeper than MAX_DEPTH.
    """
    text = _decoded(data)
    try:
        value = _parsed(text)
    except json.JSONDecodeError as exc:
        raise _error(text, exc.pos, _in_plain_words(exc.msg, text)) from None
    except (_RefusedError, RecursionError):
        _refuse_first(text)
    if nested_deeper_than(value, MAX_DEPTH) or _SURROGATE_ESCAPE.search(text):
        for offset, reason in _refusals(text):
            raise _error(text, offset, reason)
    return value


def nested_deeper_than(value: object, depth: int) -> bool:
    """Whether lists and mappings lie inside each other more than `depth` levels deep; never recurses."""
    level: list[object] = [value]
    for _ in range(depth):
        level = [child for holder in level for child in _children(holder)]
    return any(isinstance(member, dict | list) for member in level)


def _children(holder: object) -> Iterable[object]:
    if isinstance(holder, dict):
        return holder.values()
    return holder if isinstance(holder, list) else ()


def _decoded(data: bytes) -> str:
    body = data.removeprefix(_BOM)
    try:
        return body.decode()
    except UnicodeDecodeError as exc:
        before = body[: exc.start].decode()
        hint = " (UTF-16?)" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
        reason = f"byte 0x{body[exc.start]:02x} is not valid UTF-8{hint}"
        raise _error(before, len(before), reason) from None


def _parsed(text: str) -> object:
    return json.loads(
        text,
        object_pairs_hook=_unique,
        parse_int=_integer,
        parse_float=_finite,
        parse_constant=_no_constant,
    )


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RefusedError
    return members


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _RefusedError
    return number


def _integer(text: str) -> int:
    if len(text) > _LONGEST_PLAIN_INTEGER:
        _finite(text)
    return int(text)


def _no_constant(_name: str) -> NoReturn:
    raise _RefusedError


def _refuse_first(text: str) -> NoReturn:
    offset, reason = next(_refusals(text))
    raise _error(text, offset, reason)


def _refusals(text: str) -> Iterator[tuple[int, str]]:
    """Everything refused in text that is valid JSON at least up to there, in the order of the text."""
    keys: list[dict[str, int]] = []
    for token in _TOKEN.finditer(text):
        if token["open"]:
            keys.append({})
            if len(keys) > MAX_DEPTH:
                yield token.start(), f"nested more than {MAX_DEPTH} levels deep"
        elif token["close"]:
            keys.pop()
        else:
            reason = _refused_text(token, keys) if token["text"] else _refused_number(token)
            if reason:
                yield token.start(), reason


def _refused_text(token: re.Match[str], keys: list[dict[str, int]]) -> str | None:
    value: str = json.loads(token["text"])
    if any("\ud800" <= character <= "\udfff" for character in value):
        return "an unpaired surrogate: this text is broken in the middle of a character"
    if token["colon"] is None:
        return None
    first = keys[-1].setdefault(value, token.start())
    if first == token.start():
        return None
    line, _ = _position(token.string, first)
    return f"duplicate key {_short(value)}, first in line {line}"


def _refused_number(token: re.Match[str]) -> str | None:
    if token["constant"]:
        return f"{token['constant']} is not a JSON number"
    if math.isinf(float(token["number"])):
        return f"{_cut(token['number'])} is beyond the range of numbers"
    return None


def _short(text: str) -> str:
    return "`" + _cut(text.encode("unicode_escape").decode("ascii") if not text.isprintable() else text) + "`"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:20]}… ({len(text):,} characters)"


def _in_plain_words(message: str, text: str) -> str:
    if not text.strip():
        return "there is nothing here"
    if message == "Extra data":
        return "the JSON value ends here, but the text goes on"
    return f"not JSON: {message[0].lower()}{message[1:].removesuffix(' at').removesuffix(' starting')}"


def _error(text: str, offset: int, reason: str) -> StrictJsonError:
    line, column = _position(text, offset)
    return StrictJsonError(reason, line=line, column=column)


def _position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, columns in characters."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
