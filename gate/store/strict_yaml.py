"""The plain part of YAML 1.2 that a configuration needs; everything that surprises people is refused.

Only `true` and `false` are booleans and only decimal numbers are numbers, so that `yes`, `on`, dates,
`0123` and `1_000` stay the text that stands there. Anchors, aliases, tags, merge keys, duplicate keys
and further documents are refused. The parser is read event by event: no recursion, nothing built twice.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from gate.core.records.strict_json import MAX_DEPTH
from gate.core.validate import Problem
from gate.core.wording import Path, key_text, place

_NOTHING: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITY_OR_NAN: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_TAB_INDENT: Final = re.compile(r" *\t")
_LONGEST_INTEGER: Final = 300


_Node = yaml.ScalarEvent | yaml.CollectionStartEvent | yaml.AliasEvent


class YamlError(ValueError):
    """Text that cannot be read as YAML any further; line and column count from 1."""

    def __init__(self, message: str, *, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """What was read, the line of every place in it, and what was refused on the way.

    `unread` are the places whose value could not be read: None stands there, and means nothing.
    """

    value: object
    lines: Mapping[str, int]
    problems: tuple[Problem, ...]
    unread: frozenset[str]


def parse(text: str) -> YamlDocument:
    """The one document in the text, None if it is empty; YamlError where it is not YAML or nested too deeply."""
    control = _CONTROL.search(text)
    if control is not None:
        before = text[: control.start()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise YamlError(f"control character U+{ord(control[0]):04X}", line=line, column=column)
    reader = _Reader()
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            reader.take(event)
    except yaml.YAMLError as error:
        raise _syntax_error(error, text) from error
    return YamlDocument(reader.root, reader.lines, tuple(reader.problems), frozenset(reader.unread))


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read; `key` waits for its value, which `dropped` throws away."""

    path: Path
    holder: list[object] | dict[str, object]
    key: str | None = None
    dropped: bool = False


class _Reader:
    """Builds the document from the parser's events, on a stack of its own."""

    def __init__(self) -> None:
        self.root: object = None
        self.lines: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.unread: set[str] = set()
        self._documents = 0
        self._open: list[_Open] = []

    def take(self, event: yaml.Event) -> None:
        """Read one event more."""
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise _error("a second document begins here; there may be one only", event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()
        elif isinstance(event, _Node):
            if self._wants_key():
                self._take_key(event)
            else:
                self._take_value(event)

    def _wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].holder, dict) and self._open[-1].key is None

    def _take_key(self, event: _Node) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise _error(
                "a key must be plain text; a value that begins with `{` or `[` goes in quotes", event
            )
        top, key = self._open[-1], event.value
        path = (*top.path, key)
        self._refuse_decoration(event, path)
        top.key, top.dropped = key, True
        if key == "<<" and event.implicit[0]:
            self._refuse(path, event, "merge keys are not read; write the keys out")
        elif key in top.holder:
            self._refuse(path, event, f"duplicate key {key_text(key)}, again in line {_line(event)}")
        else:
            top.dropped = False
            self.lines[place(path)] = _line(event)

    def _take_value(self, event: _Node) -> None:
        path = self._next_path()
        self.lines.setdefault(place(path), _line(event))
        self._refuse_decoration(event, path)
        value: Any = None
        if isinstance(event, yaml.AliasEvent):
            self._unread(path, event, "aliases are not read; write the value out")
        elif isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event, path)
        else:
            value = [] if isinstance(event, yaml.SequenceStartEvent) else {}
        self._attach(value)
        if isinstance(event, yaml.CollectionStartEvent):
            self._open.append(_Open(path, value))
            if len(self._open) > MAX_DEPTH:
                raise _error(f"nested more than {MAX_DEPTH} levels deep", event)

    def _next_path(self) -> Path:
        if not self._open:
            return ()
        top = self._open[-1]
        return (*top.path, len(top.holder) if top.key is None else top.key)

    def _attach(self, value: object) -> None:
        if not self._open:
            self.root = value
            return
        top = self._open[-1]
        if isinstance(top.holder, list):
            top.holder.append(value)
        elif top.key is not None and not top.dropped:
            top.holder[top.key] = value
        top.key = None

    def _scalar(self, event: yaml.ScalarEvent, path: Path) -> object:
        text = event.value
        if not event.implicit[0] or event.tag is not None:
            return text
        if _INFINITY_OR_NAN.fullmatch(text):
            self._unread(path, event, f"{key_text(text)} is not a finite number")
            return None
        number = _number(text)
        if number is not None:
            if math.isinf(float(text)):
                self._unread(
                    path, event, f"{key_text(text)} is beyond the range of numbers; text goes in quotes"
                )
            return number
        return None if text in _NOTHING else _BOOLEANS.get(text, text)

    def _refuse_decoration(self, event: _Node, path: Path) -> None:
        if not isinstance(event, yaml.AliasEvent) and event.tag is not None:
            message = f"tags ({key_text(event.tag)}) are not read; write the value plainly"
            self._unread(path, event, message)
        if event.anchor is not None and not isinstance(event, yaml.AliasEvent):
            self._refuse(path, event, "anchors are not read; write the value out where it is needed")

    def _unread(self, path: Path, event: _Node, message: str) -> None:
        self.unread.add(place(path))
        self._refuse(path, event, message)

    def _refuse(self, path: Path, event: _Node, message: str) -> None:
        self.lines.setdefault(place(path), _line(event))
        self.problems.append(Problem(place(path), message))


def _number(text: str) -> float | None:
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < _LONGEST_INTEGER else float(text)
    return float(text) if _FLOAT.fullmatch(text) else None


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


def _error(message: str, event: yaml.Event) -> YamlError:
    column = 1 if event.start_mark is None else event.start_mark.column + 1
    return YamlError(message, line=_line(event), column=column)


def _syntax_error(error: yaml.YAMLError, text: str) -> YamlError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line, mark.column) if mark is not None else (0, 0)
    lines = text.splitlines()
    at = lines[line] if line < len(lines) else ""
    return YamlError(_in_plain_words(error, at, column), line=line + 1, column=column + 1)


def _in_plain_words(error: yaml.YAMLError, at: str, column: int) -> str:
    problem, context = getattr(error, "problem", None) or str(error), getattr(error, "context", None)
    if _TAB_INDENT.match(at):
        return "a tab cannot indent YAML; use spaces"
    if context == "while scanning an alias":
        return "a value that begins with `*` goes in quotes"
    if "cannot start any token" in problem:
        return f"a value that begins with {key_text(at[column : column + 1])} goes in quotes"
    if "mapping values are not allowed" in problem:
        return "a `:` where no key can be: indent the line like its neighbours; text with `: ` goes in quotes"
    return f"not YAML: {problem}" + (f" {context}" if context else "")
