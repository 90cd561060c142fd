"""The command line, called as a user calls it."""

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gate.cli import NO_ENVIRONMENT, invoke


@dataclass(frozen=True, slots=True)
class Call:
    """What one call left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output, read as JSON."""
        read: dict[str, Any] = json.loads(self.out)
        return read


def called(
    captured: pytest.CaptureFixture[str],
    *arguments: str,
    environment: Mapping[str, str] = NO_ENVIRONMENT,
) -> Call:
    """Call the gate in this process; what it does to signals is undone."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    captured.readouterr()
    try:
        code = invoke(list(arguments), environment)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    out, err = captured.readouterr()
    assert "\nTraceback" not in f"\n{err}", err
    return Call(code, out, err)


@dataclass(frozen=True, slots=True)
class Shell:
    """A working directory to call the gate in."""

    folder: Path
    captured: pytest.CaptureFixture[str]

    def gate(self, *arguments: str) -> Call:
        """Call the gate in this process."""
        return called(self.captured, *arguments)

    def write(self, name: str, content: bytes | str) -> Path:
        """A file below the working directory, folders included."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def rows(self, name: str, *rows: dict[str, object]) -> Path:
        """A file of rows, one JSON object a line."""
        return self.write(name, "".join(json.dumps(row) + "\n" for row in rows))
