"""`gate serve-reference`, called as a user calls it."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gate.core.records.system import Document
from gate.ports import SystemFailed
from tests.cli.calls import Shell
from tests.systems.conformance import check
from tests.systems.servers import client

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def test_it_serves_until_it_is_asked_to_stop_and_wants_its_token() -> None:
    served = subprocess.Popen(
        [sys.executable, "-m", "gate", "serve-reference", "--port", "0", "--token-env", "TOKEN"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT), "TOKEN": "t0ken"},
    )
    try:
        assert served.stdout is not None
        port = int(served.stdout.readline().rsplit(":", 1)[1])
        right, wrong = "t0ken", "other"
        with client(port, token=right) as system:
            check(system)
        with client(port, token=wrong) as system, pytest.raises(SystemFailed, match="status 401"):
            system.ingest([Document(id="a", text="b")])
    finally:
        served.send_signal(signal.SIGTERM)
        _, said = served.communicate(timeout=20)
    assert served.returncode == 0
    assert "stopped" in said
    assert "Traceback" not in said


def test_the_description_is_the_published_one(shell: Shell) -> None:
    published = json.loads((ROOT / "schemas/system-protocol.v1.openapi.json").read_text())
    assert shell.gate("serve-reference", "--openapi").document == published


def test_a_port_that_is_taken_is_said(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = shell.gate("serve-reference", "--port", str(taken.getsockname()[1]))
    assert done.code == 69
    assert "cannot listen there (Address already in use)" in done.err


def test_a_token_that_is_not_set_is_wrong_usage(shell: Shell) -> None:
    done = shell.gate("serve-reference", "--token-env", "NOT_SET")
    assert done.code == 64
    assert "the variable NOT_SET holds no token" in done.err
