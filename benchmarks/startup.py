"""How soon the program answers, and what a whole run costs beside the suites: whole processes."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.table import Row, interleaved

ROOT = Path(__file__).parents[1]
REPEATS = 7
MOST_TIMES_BARE = 5
OVERHEAD = 0.6
FAIL = 1


def rows() -> list[Row]:
    """`--help` and `--version` against an interpreter that does nothing, and the quickstart from rows to comment."""
    with tempfile.TemporaryDirectory() as folder:
        run = ["run", "--config", "examples/quickstart/eval-gate.yml", "--out", folder]
        help_, version, verdict, bare = interleaved(
            REPEATS,
            _gate("--help"),
            _gate("--version"),
            _gate(*run, code=FAIL),
            lambda: subprocess.run([sys.executable, "-I", "-c", "pass"], check=True),
        )
    asked = 1 / MOST_TIMES_BARE
    return [
        Row("gate --help", help_, "bare Python", bare, least_ratio=asked),
        Row("gate --version", version, "bare Python", bare, least_ratio=asked),
        Row("gate run, rows to comment", verdict, "bare Python", bare, budget=OVERHEAD),
    ]


def _gate(*arguments: str, code: int = 0) -> Callable[[], None]:
    def call() -> None:
        command = [sys.executable, "-I", "-m", "gate", *arguments]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ran.returncode != code:
            raise SystemExit(f"{' '.join(command)} exited with {ran.returncode}:\n{ran.stdout}{ran.stderr}")

    return call
