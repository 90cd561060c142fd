"""composite/gate.sh as a runner starts it, as far as pip's first question to the index it was given."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zipfile import ZipFile

from gate.errors import ExitCode

COMPOSITE = Path(__file__).parents[2] / "composite"


@contextmanager
def empty_index() -> Iterator[tuple[str, list[str]]]:
    """A package index that has nothing, and everything it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mirror/simple", asked
        finally:
            server.shutdown()


def started(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script in an environment that holds nothing else."""
    environment = {
        "PATH": os.defpath,
        "HOME": str(folder),
        "RUNNER_TEMP": str(folder),
        "GITHUB_ACTION_PATH": str(COMPOSITE),
        "GATE_PYTHON": sys.executable,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_RETRIES": "0",
        **variables,
    }
    return subprocess.run(
        ["bash", str(COMPOSITE / "gate.sh")],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_dependencies_come_from_the_index_that_is_named_and_from_no_other(tmp_path: Path) -> None:
    with empty_index() as (url, asked):
        ran = started(tmp_path, GATE_INDEX_URL=url)

    assert ran.returncode == ExitCode.UNAVAILABLE, ran.stdout + ran.stderr
    assert asked
    assert all(path.startswith("/mirror/simple/") for path in asked)
    assert "::error title=Retrieval Quality Gate::the gate could not be installed" in ran.stdout
    assert "'index-url' or 'wheel'" in ran.stdout


def wheel_with_a_panel(folder: Path) -> Path:
    """A package of one file whose extra `panel` needs a client."""
    path = folder / "gate_stand_in-1-py3-none-any.whl"
    info = "gate_stand_in-1.dist-info"
    metadata = (
        "Metadata-Version: 2.1\nName: gate-stand-in\nVersion: 1\n"
        "Provides-Extra: panel\nRequires-Dist: judges-client; extra == 'panel'\n"
    )
    with ZipFile(path, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def test_an_extra_that_is_named_is_installed_too(tmp_path: Path) -> None:
    wheel = str(wheel_with_a_panel(tmp_path))
    with empty_index() as (url, asked):
        started(tmp_path, GATE_INDEX_URL=url, GATE_WHEEL=wheel)
        without = list(asked)
        started(tmp_path, GATE_INDEX_URL=url, GATE_WHEEL=wheel, GATE_EXTRAS="panel, panel")

    assert without == []
    assert asked[0] == "/mirror/simple/judges-client/"


def test_extras_are_names_and_nothing_else(tmp_path: Path) -> None:
    ran = started(tmp_path, GATE_EXTRAS="panel] @ https://elsewhere.example")

    assert ran.returncode == ExitCode.USAGE
    assert "'extras' is a list of names" in ran.stdout


def test_a_python_that_is_too_old_or_not_there_is_said(tmp_path: Path) -> None:
    ran = started(tmp_path, GATE_PYTHON="false")

    assert ran.returncode == ExitCode.UNAVAILABLE
    assert "Python 3.11 or newer is needed" in ran.stdout
