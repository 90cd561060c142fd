"""The gate as a user starts it: the command line in this process, or a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gate.cli import invoke


@dataclass(frozen=True)
class Done:
    """What a call left behind."""

    code: int
    out: str
    err: str


def gate(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Done:
    """One call of the command line, in this process."""
    code = invoke([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return Done(code, said.out, said.err)


def spawn(*arguments: str | Path, cwd: Path, **environment: str) -> "subprocess.Popen[str]":
    """The gate as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "gate", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},  # noqa: TID251 - a child starts with what this process has
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
