"""The runner's rules for lines and files, modelled on actions/runner (ActionCommand.cs, ActionCommandManager.cs,
FileCommandManager.cs, StreamReader.ReadLine): what it would do with what we print and write."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_REPORTING = frozenset({"debug", "error", "warning", "notice", "group", "endgroup", "echo"})
_STATE = frozenset(
    {"add-mask", "add-matcher", "add-path", "remove-matcher", "save-state", "set-env", "set-output"}
)
NAMES = _REPORTING | _STATE | {"stop-commands"}

_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
_OLD = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))
_WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
WHITE_SPACE = _WHITE_SPACE + "\u2028\u2029\u202f\u205f\u3000"


class StepFailedError(Exception):
    """The runner fails the step."""


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    data: str
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Step:
    """One step's state, shared by its two streams."""

    done: list[Command] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    token: str | None = None

    def read(self, stream: str) -> list[Command]:
        """The commands carried out while the stream is read; other lines are shown."""
        before = len(self.done)
        for line in lines(stream):
            if not self._carried_out(line):
                self.shown.append(line)
        return self.done[before:]

    def _carried_out(self, line: str) -> bool:
        names = NAMES | ({self.token.lower()} if self.token is not None else set())
        command = parsed(line, names)
        if command is None:
            return False
        if self.token is not None:
            return self._resumed(command)
        if command.name.lower() == "stop-commands":
            self._stop(command.data)
        self.done.append(command)
        return True

    def _resumed(self, command: Command) -> bool:
        if self.token is None or command.name.lower() != self.token.lower():
            return False
        self.token = None
        return True

    def _stop(self, token: str) -> None:
        if token.lower() in NAMES or token.lower() in {"", "pause-logging"}:
            raise StepFailedError(f"invalid token {token!r}")
        self.token = token


def lines(stream: str) -> list[str]:
    """The lines of a stream: CR, LF and CRLF end one."""
    found = re.split(r"\r\n|\r|\n", stream)
    return found if found[-1] else found[:-1]


def parsed(line: str, names: Iterable[str] = NAMES) -> Command | None:
    """The command a line is taken for, the newer form first; names compare without case."""
    known = frozenset(names)
    return _parsed_v2(line, known) or _parsed_v1(line, known)


def _parsed_v2(line: str, names: frozenset[str]) -> Command | None:
    trimmed = line.lstrip(WHITE_SPACE)
    end = trimmed.find("::", 2)
    if not trimmed.startswith("::") or end < 0:
        return None
    name, _, properties = trimmed[2:end].partition(" ")
    if name.lower() not in names:
        return None
    pairs = _pairs(properties.strip(WHITE_SPACE), ",", _PROPERTY)
    return Command(name, _unescaped(trimmed[end + 2 :], _DATA), pairs)


def _parsed_v1(line: str, names: frozenset[str]) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, _, properties = line[start + 3 : end].partition(" ")
    if name.lower() not in names:
        return None
    return Command(name, _unescaped(line[end + 1 :], _OLD), _pairs(properties, ";", _OLD))


def _pairs(text: str, separator: str, escapes: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Empty entries are removed on both levels, so a value loses the equals signs at its beginning."""
    found = {}
    for entry in filter(None, text.split(separator)):
        name, _, value = entry.lstrip("=").partition("=")
        if name and value.lstrip("="):
            found[name.lower()] = _unescaped(value.lstrip("="), escapes)
    return tuple(found.items())


def _unescaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for escaped, char in escapes:
        text = text.replace(escaped, char)
    return text


def read_command_file(text: str) -> dict[str, str]:
    """The entries of a GITHUB_OUTPUT, GITHUB_STATE or GITHUB_ENV file; raises StepFailedError as the runner does."""
    entries: dict[str, str] = {}
    rest = text
    while rest:
        line, _, rest = rest.partition("\n")
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            name, value = line.split("=", 1)
        elif heredoc >= 0:
            name, delimiter = line.split("<<", 1)
            if not name or not delimiter:
                raise StepFailedError(f"invalid format {line!r}")
            value, rest = _until(delimiter, rest)
        else:
            raise StepFailedError(f"invalid format {line!r}")
        entries[name] = value
    return entries


def _until(delimiter: str, rest: str) -> tuple[str, str]:
    value: list[str] = []
    while rest:
        line, newline, rest = rest.partition("\n")
        if line == delimiter:
            return "\n".join(value), rest
        if not newline:
            raise StepFailedError("EOF marker missing new line")
        value.append(line)
    raise StepFailedError(f"matching delimiter not found {delimiter!r}")
