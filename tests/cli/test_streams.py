import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.workspaces import losing, workspace


def shell(folder: Path, line: str) -> "subprocess.CompletedProcess[str]":
    command = line.replace("gate ", f"{sys.executable} -m gate ", 1)
    return subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    workspace(tmp_path, candidate=losing(12))
    return tmp_path


def test_output_that_nobody_can_read_never_passes(folder: Path) -> None:
    workspace(folder)
    for line in ("gate run", "gate run --json", "gate --help", "gate validate eval-gate.yml"):
        done = shell(folder, f"{line} >/dev/full")

        assert done.returncode == 69, line
        assert done.stderr.count("error: ") == 1, line
        assert "Traceback" not in done.stderr, line


def test_a_caller_who_closed_the_output_still_gets_the_verdict(folder: Path) -> None:
    assert shell(folder, "gate run >&-").returncode == 1
    assert shell(folder, "gate run 2>&-").returncode == 1
    assert shell(folder, "gate validate eval-gate.yml >&-").returncode == 0


def test_errors_that_cannot_be_said_keep_their_code(folder: Path) -> None:
    assert shell(folder, "gate render none.json 2>/dev/full").returncode == 65


def test_ctrl_c_while_the_program_loads_is_no_traceback_of_ours(folder: Path) -> None:
    for delay in (0.02, 0.05, 0.1, 0.2):
        process = subprocess.Popen(
            [sys.executable, "-m", "gate", "run"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)

        assert process.returncode in (-signal.SIGINT, 130, 1)
        assert "gate/cli" not in said  # before our first line runs, the interpreter says what it likes
