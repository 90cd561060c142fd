"""The image, started as the runner starts it, and what the workspace's ordinary owner finds afterwards.

Runs only where .ci/container has built the image and says its name.
"""

import json
import shutil
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from gate.errors import ExitCode
from tests.container.machines import IMAGE, STOP_WITHIN, UID, Machine, give, machine, needs_image
from tests.github.fake_github import github
from tests.github.fake_world import ACTION_TOKEN, REPOSITORY, REPOSITORY_ID
from tests.wiring.pull_requests import opened

pytestmark = needs_image


def many_questions(prepared: Machine) -> None:
    """Enough work that a signal finds the gate in the middle of it."""
    for side, shift in (("baseline", 0), ("candidate", 1)):
        rows = (
            json.dumps({"question_id": f"q-{number}", "hit": (number + shift) % 7 / 7})
            for number in range(100_000)
        )
        (prepared.workspace / "rows" / f"{side}.ndjson").write_text("\n".join(rows))


@pytest.mark.parametrize(("case", "code"), [("pass", 0), ("fail", 1), ("inconclusive", 2)])
def test_three_tiny_cases_exit_with_their_verdicts(tmp_path: Path, case: str, code: int) -> None:
    prepared = machine(tmp_path, case)
    ran = prepared.run()
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert prepared.outputs["verdict"] == case
    assert json.loads((prepared.workspace / prepared.outputs["receipt-path"]).read_text())["verdict"] == case
    assert (tmp_path / "files/summary").read_text().strip()


def test_everything_that_was_written_belongs_to_the_workspaces_owner(tmp_path: Path) -> None:
    prepared = machine(tmp_path, "fail")
    before = set(tmp_path.rglob("*"))
    prepared.run("--env=INPUT_OUT=deep/er/gate-out")
    made = set(tmp_path.rglob("*")) - before
    assert prepared.workspace / "deep/er/gate-out/receipt.json" in made
    assert {path.relative_to(prepared.workspace).parts[0] for path in made} == {"deep"}
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(UID, UID)}


def test_an_ordinary_owner_can_read_and_remove_it() -> None:
    with TemporaryDirectory() as folder:
        prepared = machine(Path(folder), "pass")
        prepared.run()
        command = f"cat {prepared.out}/receipt.json && rm -r {prepared.out}"
        subprocess.run(["sh", "-c", command], check=True, capture_output=True, user=UID, extra_groups=[])
        assert not prepared.out.exists()


def test_it_works_hardened_as_another_user_on_a_read_only_file_system(tmp_path: Path) -> None:
    prepared = machine(tmp_path, "pass")
    hardened = ("--read-only", "--tmpfs=/tmp", "--cap-drop=all", "--security-opt=no-new-privileges")
    ran = prepared.run(*hardened, f"--user={UID}:{UID}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert prepared.outputs["verdict"] == "pass"


def test_the_commit_is_read_from_a_repository_of_another_owner(tmp_path: Path) -> None:
    prepared = machine(tmp_path, "pass")
    git = (
        "git",
        "-C",
        str(prepared.workspace),
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "safe.directory=*",
    )
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=first"], check=True)
    head = subprocess.run(
        [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    give(tmp_path)
    ran = prepared.run(variables=["GITHUB_EVENT_NAME="])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads((prepared.out / "receipt.json").read_text())["plan"]["commits"]["head"] == head


def test_a_pull_request_gets_its_comment_from_inside_the_image(tmp_path: Path) -> None:
    with github() as fake:
        pull = opened(tmp_path / "made", fake, losses=12)
        prepared = machine(tmp_path / "machine", "pass", network="host")
        shutil.rmtree(prepared.workspace)
        shutil.move(pull.workspace, prepared.workspace)
        (prepared.folder / "workflow/event.json").write_text(json.dumps(pull.payload()))
        give(prepared.folder)
        told = {
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_API_URL": fake.url,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_REPOSITORY_ID": REPOSITORY_ID,
            "GITHUB_SHA": pull.merge,
            "GITHUB_RUN_ID": 100,
            "INPUT_TOKEN": ACTION_TOKEN,
        }
        ran = prepared.run(variables=[f"{name}={value}" for name, value in told.items()])
        assert ran.returncode == ExitCode.FAIL, ran.stdout + ran.stderr
        (comment,) = pull.comments()
        assert "Regression" in comment
        assert prepared.outputs["comment-url"]
        assert (prepared.out / "claim.json").stat().st_uid == UID


def test_code_of_the_workspace_is_never_ours(tmp_path: Path) -> None:
    prepared = machine(tmp_path, "pass")
    for name in ("gate", "json", "numpy", "sitecustomize"):
        (prepared.workspace / f"{name}.py").write_text("raise SystemExit(99)\n")
    ran = prepared.run("--env=PYTHONPATH=/github/workspace", "--env=PYTHONSTARTUP=/github/workspace/gate.py")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_inputs_keep_their_dashes_and_a_misspelt_one_stops_the_step(tmp_path: Path) -> None:
    prepared = machine(tmp_path, "inconclusive")
    assert prepared.run(variables=["INPUT_ON-INCONCLUSIVE=fail"]).returncode == ExitCode.INCONCLUSIVE
    ran = prepared.run(variables=["INPUT_ON-INCONCLUSIV=fail"])
    assert ran.returncode == ExitCode.USAGE
    assert "`on-inconclusive`" in ran.stdout


def test_every_library_the_gate_may_ever_import_is_there() -> None:
    libraries = (
        "scipy.special, scipy.optimize, scipy.fft, openai, anthropic, google.genai, psycopg, github, dulwich"
    )
    python = ["podman", "run", "--rm", "--network=none", "--entrypoint=/opt/venv/bin/python", IMAGE]
    ran = subprocess.run(
        [*python, "-I", "-c", f"import {libraries}"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(("name", "code"), [("TERM", ExitCode.TERMINATED), ("INT", ExitCode.INTERRUPTED)])
def test_process_1_writes_its_receipt_before_the_runner_kills(tmp_path: Path, name: str, code: int) -> None:
    prepared = machine(tmp_path, "fail")
    many_questions(prepared)
    command = prepared.podman_run("--rm", f"--name=gate-{name}", f"--stop-signal={name}")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert any(line.startswith("comparing") for line in running.stdout)
        began = time.monotonic()
        subprocess.run(["podman", "stop", "--time=20", f"gate-{name}"], check=True, capture_output=True)
        assert time.monotonic() - began < STOP_WITHIN
        running.stdout.read()
    assert running.returncode == code
    receipt = json.loads((prepared.out / "receipt.json").read_text())
    assert receipt["reason"] == "cancelled"
    assert (prepared.out / "receipt.json").stat().st_uid == UID
