"""The recipes of docs/recipes.md for reaching a system under test: a service, the runner itself, an image from ours.

Containers on one bridge find each other by name, as those of a job with services do.
"""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.errors import ExitCode
from tests.container.machines import IMAGE, ROOTLESS, STOP_WITHIN, Machine, give, machine, needs_image

ROOT = Path(__file__).parents[2]
PYTHON = "/opt/venv/bin/python"
BUILT_IN = "{kind: reference}"
SERVICE = "{kind: http, url: 'http://%s'}"
PROGRAM = "{kind: command, run: [python3, /opt/search.py]}"
pytestmark = needs_image


def podman(*arguments: str) -> str:
    done = subprocess.run(["podman", *arguments], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def network() -> Iterator[str]:
    name = "gate-recipes"
    podman("network", "create", name)
    yield name
    podman("network", "rm", "--force", name)


@contextmanager
def service(network: str) -> Iterator[str]:
    """The built-in system as a service of the job, `search:8765`."""
    serving = ("-I", "-m", "gate", "serve-reference", "--host", "0.0.0.0", "--port", "8765")  # noqa: S104 - in its own network
    flags = ("--detach", "--name=search", f"--network={network}", f"--entrypoint={PYTHON}")
    podman("run", *flags, IMAGE, *serving)
    try:
        yield "search:8765"
    finally:
        podman("rm", "--force", "--time=0", "search")


@contextmanager
def server_on_the_runner() -> Iterator[int]:
    """The built-in system as a process of the runner, on all interfaces; its port."""
    serving = ("serve-reference", "--host", "0.0.0.0", "--port", "0")  # noqa: S104 - a container has to reach it
    command = [sys.executable, "-u", "-m", "gate", *serving]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield int(running.stdout.readline().rpartition(":")[2])
        finally:
            running.terminate()


def asking(folder: Path, system: str, *, image: str = IMAGE, network: str = "none") -> Machine:
    """The case `retrieval`, with its queries put to another system."""
    prepared = machine(folder, "retrieval", image=image, network=network)
    config = prepared.workspace / "eval-gate.yml"
    text = config.read_text()
    assert BUILT_IN in text
    config.write_text(text.replace(BUILT_IN, system))
    return prepared


def test_the_built_in_system_needs_no_network(tmp_path: Path) -> None:
    prepared = machine(tmp_path, "retrieval")
    ran = prepared.run()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert prepared.outputs["verdict"] == "pass"


@pytest.mark.parametrize(("at_least", "code", "verdict"), [("0.7", 0, "pass"), ("0.8", 1, "fail")])
def test_a_service_is_reached_by_its_name(
    tmp_path: Path, network: str, at_least: str, code: int, verdict: str
) -> None:
    with service(network) as address:
        prepared = asking(tmp_path, SERVICE % address, network=network)
        config = prepared.workspace / "eval-gate.yml"
        config.write_text(config.read_text().replace("at-least: 0.7", f"at-least: {at_least}"))
        ran = prepared.run()
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert prepared.outputs["verdict"] == verdict


@pytest.mark.skipif(ROOTLESS, reason="a rootless bridge ends in a network of its own, not at the runner")
def test_a_server_on_the_runner_is_reached_through_the_bridge(tmp_path: Path, network: str) -> None:
    with server_on_the_runner() as port:
        prepared = asking(tmp_path, SERVICE % f"runner-host:{port}", network=network)
        ran = prepared.run()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert prepared.outputs["verdict"] == "pass"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_localhost_is_refused_with_the_ways_that_work(tmp_path: Path, network: str, host: str) -> None:
    with service(network):
        ran = asking(tmp_path, SERVICE % f"{host}:8765", network=network).run()
    assert ran.returncode == ExitCode.CONFIG, ran.stdout + ran.stderr
    assert "inside a container is the container itself" in ran.stdout
    assert "http://NAME:PORT" in ran.stdout
    assert "http://runner-host:PORT" in ran.stdout


def test_a_service_that_is_not_there_is_named(tmp_path: Path, network: str) -> None:
    nobody = "{kind: http, url: 'http://nobody:8765', start-timeout: 1, attempts: 1}"
    ran = asking(tmp_path, nobody, network=network).run()
    assert ran.returncode == ExitCode.FAIL, ran.stdout + ran.stderr
    assert "http://nobody:8765 cannot be reached" in ran.stdout


SILENT = """
import socket
with socket.create_server(("0.0.0.0", 8765)) as server:
    held = [server.accept()[0] for _ in range(100)]
"""


def test_a_service_that_never_answers_holds_up_no_cancellation(tmp_path: Path, network: str) -> None:
    flags = ("--detach", "--name=silent", f"--network={network}", f"--entrypoint={PYTHON}")
    podman("run", *flags, IMAGE, "-c", SILENT)
    prepared = asking(tmp_path, SERVICE % "silent:8765", network=network)
    try:
        with subprocess.Popen(
            prepared.podman_run("--rm", "--name=gate-waiting"), stdout=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            assert any(line.startswith("handing over") for line in running.stdout)
            began = time.monotonic()
            podman("stop", "--time=20", "gate-waiting")
            assert time.monotonic() - began < STOP_WITHIN
            running.stdout.read()
    finally:
        podman("rm", "--force", "--time=0", "silent")
    assert running.returncode == ExitCode.TERMINATED
    assert json.loads((prepared.out / "receipt.json").read_text())["reason"] == "cancelled"


# -- an image built from ours -----------------------------------------------------------------------------------


def dockerfile() -> str:
    """What docs/recipes.md shows, but from the image under test."""
    page = (ROOT / "docs/recipes.md").read_text()
    (shown,) = re.findall(r"```dockerfile\n(.*?)```", page, re.DOTALL)
    changed, count = re.subn(r"^FROM .*$", f"FROM {IMAGE}", shown, flags=re.MULTILINE)
    assert count == 1
    return changed


@contextmanager
def built(folder: Path, program: str) -> Iterator[str]:
    """An image as the recipe makes it, with this program in it."""
    folder.mkdir()
    (folder / "Dockerfile").write_text(dockerfile())
    (folder / "search.py").write_text(program)
    podman("build", "--quiet", "--pull-never", "--isolation=chroot", "--tag=localhost/own:ci", str(folder))
    try:
        yield "localhost/own:ci"
    finally:
        podman("rmi", "--force", "localhost/own:ci")


@pytest.mark.parametrize(("at_least", "code", "verdict"), [("0.7", 0, "pass"), ("0.8", 1, "fail")])
def test_a_program_in_an_image_from_ours_is_asked(
    tmp_path: Path, at_least: str, code: int, verdict: str
) -> None:
    wrapper = (ROOT / "examples/systems/wrapper.py").read_text()
    with built(tmp_path / "image", wrapper) as image:
        prepared = asking(tmp_path / "machine", PROGRAM, image=image)
        config = prepared.workspace / "eval-gate.yml"
        config.write_text(config.read_text().replace("at-least: 0.7", f"at-least: {at_least}"))
        ran = prepared.run()
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert prepared.outputs["verdict"] == verdict
    assert "my-system" in (prepared.out / "rows/search.candidate.ndjson").read_text()


THIEF = """
import os
from pathlib import Path

def stolen():
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"INPUT_TOKEN" in path.read_bytes():
                found.append(str(path))
        except OSError:
            pass
    for name in ("env", "output", "path"):
        try:
            with open(f"/github/file_commands/{name}", "a") as file:
                file.write("STOLEN=1\\n")
            found.append(name)
        except OSError:
            pass
    found += [name for name in os.environ if name.startswith(("INPUT_", "GITHUB_", "ACTIONS_"))]
    return " ".join(found) or "nothing at all"
"""


def test_a_thief_in_it_finds_neither_the_token_nor_the_runner_s_files(tmp_path: Path) -> None:
    wrapper = (ROOT / "examples/systems/wrapper.py").read_text()
    thief = THIEF + wrapper.replace('"retriever": "word overlap"', '"stolen": stolen()')
    with built(tmp_path / "image", thief) as image:
        prepared = asking(tmp_path / "machine", PROGRAM, image=image)
        for name in ("env", "path"):
            (prepared.folder / "files" / name).touch()
        give(prepared.folder)
        secrets = ("INPUT_TOKEN=ghs_0123456789abcdef", "ACTIONS_RUNTIME_TOKEN=abcdef0123456789")
        ran = prepared.run(variables=[*secrets, "GITHUB_ENV=/github/file_commands/env"])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rows = (prepared.out / "rows/search.candidate.ndjson").read_text()
    assert '"stolen":"nothing at all"' in rows
    for name in ("env", "path", "output"):
        assert "STOLEN" not in (prepared.folder / "files" / name).read_text()
