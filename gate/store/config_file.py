"""The configuration file: read strictly, checked against its schema, every problem with its line."""

import hashlib
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.validate import Problem, problems
from gate.errors import ConfigError
from gate.store.schema_files import load

SCHEMA: Final = "config.v1"
LARGEST: Final = 1024 * 1024
"""The largest configuration that is read, in bytes."""

_MOST_SHOWN: Final = 50
_BOM: Final = b"\xef\xbb\xbf"
KEYS: Final = "docs/configuration.md describes every key"
INPUTS: Final = "docs/github-action.md describes every input"


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration as it was read, with everything its schema finds wrong; `lines` count from 1."""

    name: str
    document: object
    sha256: str
    bytes: int
    lines: Mapping[str, int]
    problems: tuple[Problem, ...]

    def told(self, found: Iterable[Problem]) -> tuple[str, ...]:
        """Problems in the file's order and words: `eval-gate.yml:12: rules[2].metrc: unknown key …`."""
        in_order = sorted(found, key=lambda problem: self.lines.get(problem.place, 0))
        return tuple(self._told(problem) for problem in in_order)

    def _told(self, problem: Problem) -> str:
        line = self.lines.get(problem.place)
        where = self.name if line is None else f"{self.name}:{line}"
        return ": ".join(part for part in (where, problem.place, problem.message) if part)


def read_config(path: Path, *, name: str | None = None) -> ConfigFile:
    """The configuration at a path, shown as `name`; ConfigError when it cannot be read as YAML at all."""
    shown = str(path) if name is None else name
    return parse_config(_content(path, shown), name=shown)


def parse_config(data: bytes, *, name: str) -> ConfigFile:
    """The configuration in the bytes (YAML, and so JSON too); ConfigError when they are not YAML at all."""
    if len(data) > LARGEST:
        raise ConfigError(
            f"{name}: larger than {LARGEST:,} bytes", remedy="name rows and other data by path instead"
        )
    document, lines, refused, unread = _parsed(data, name)
    found = [problem for problem in problems(document, load(SCHEMA)) if problem.place not in unread]
    return ConfigFile(
        name=name,
        document=document,
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
        lines=lines,
        problems=(*refused, *found),
    )


def refuse(told: Iterable[str], name: str, *, described: str = KEYS) -> ConfigError:
    """One error for all problems, as many as one can read; the rest is counted. `described` = where to read on."""
    lines = list(told)
    if len(lines) == 1:
        return ConfigError(lines[0], remedy=f"correct it; {described}")
    rest = len(lines) - _MOST_SHOWN
    shown = [*lines[:_MOST_SHOWN], *([f"and {rest:,} more"] if rest > 0 else [])]
    text = "".join(f"\n  {line}" for line in shown)
    return ConfigError(f"{name}: {len(lines):,} problems:{text}", remedy=f"correct them; {described}")


def _content(path: Path, name: str) -> bytes:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise ConfigError(f"{name}: is {kind}", remedy="name the configuration itself with --config PATH")
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        raise ConfigError(
            f"{name}: there is no such file",
            remedy="run `gate init`, which writes a first one, create it as docs/configuration.md describes, or name "
            "another with --config PATH",
        ) from None
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or str(exc)
        raise ConfigError(
            f"{name}: cannot be read ({reason})", remedy="check the path and its permissions"
        ) from exc


_Parsed = tuple[object, Mapping[str, int], tuple[Problem, ...], frozenset[str]]


def _parsed(data: bytes, name: str) -> _Parsed:
    from gate.store.strict_yaml import YamlError, parse

    text = _text(data, name)
    try:
        read = parse(text)
    except YamlError as exc:
        document = _as_json(data)
        if document is None:
            raise _unreadable(name, exc.line, exc.column, exc.message) from exc
        return document, {}, (), frozenset()
    if read.value is None and not read.problems:
        raise ConfigError(
            f"{name}: is empty",
            remedy="run `gate init --force`, which writes a first one, or copy that of docs/configuration.md",
        )
    return read.value, read.lines, read.problems, read.unread


def _text(data: bytes, name: str) -> str:
    body = data.removeprefix(_BOM)
    try:
        return body.decode()
    except UnicodeDecodeError as exc:
        before = body[: exc.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"byte 0x{body[exc.start]:02x} is not valid UTF-8; save the file as UTF-8"
        raise _unreadable(name, line, column, message) from exc


def _as_json(data: bytes) -> Any:
    """The few JSON texts that are not YAML (escaped surrogate pairs); None if it is not JSON either."""
    try:
        return strict_loads(data)
    except StrictJsonError:
        return None


def _unreadable(name: str, line: int, column: int, message: str) -> ConfigError:
    return ConfigError(f"{name}:{line}: column {column}: {message}", remedy=f"correct the line; {KEYS}")
