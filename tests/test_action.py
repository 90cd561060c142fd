"""The action's entry, with an environment that is given and a log that is kept."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path

import pytest

from gate.action import act
from gate.errors import Cancelled, ExitCode
from gate.runner import Runner
from tests.github.runner_rules import Command, Step, read_command_file

CASES = Path(__file__).parent / "container" / "cases"
EXPECTED = {"pass": ExitCode.PASS, "fail": ExitCode.FAIL, "inconclusive": ExitCode.INCONCLUSIVE}


@dataclass
class Ran:
    """One step of a workflow, run in a workspace of its own."""

    workspace: Path
    code: int = -1
    written: list[str] = field(default_factory=list)

    @property
    def log(self) -> str:
        return "".join(self.written)

    @property
    def commands(self) -> list[Command]:
        return Step().read(self.log)

    @property
    def outputs(self) -> dict[str, str]:
        return read_command_file(self.file("output").read_text())

    def file(self, name: str) -> Path:
        return self.workspace.parent / name

    def said(self, level: str) -> str:
        return "\n".join(command.data for command in self.commands if command.name == level)


def step(folder: Path, *, case: str = "pass", variables: dict[str, str] | None = None) -> Ran:
    workspace = folder / "workspace"
    if not workspace.exists():
        shutil.copytree(CASES / case, workspace)
    ran = Ran(workspace)
    environment = {
        "GITHUB_OUTPUT": str(ran.file("output")),
        "GITHUB_STEP_SUMMARY": str(ran.file("summary")),
        **(variables or {}),
    }
    ran.code = act(Runner(environment, workspace, ran.written.append))
    return ran


def event(folder: Path, name: str, payload: object) -> dict[str, str]:
    path = folder / "event.json"
    path.write_text(json.dumps(payload))
    return {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path)}


@pytest.mark.parametrize("case", EXPECTED)
def test_the_exit_code_is_the_verdict(tmp_path: Path, case: str) -> None:
    ran = step(tmp_path, case=case)
    assert ran.code == EXPECTED[case]
    assert ran.outputs["verdict"] == case


def test_later_steps_are_told_where_everything_lies(tmp_path: Path) -> None:
    ran = step(tmp_path, case="fail", variables={"INPUT_OUT": "results/gate/"})
    assert json.loads(ran.outputs["regressed"]) == ["hit"]
    assert ran.outputs["reason"] == "regression"
    for name in ("receipt-path", "report-json", "summary-path"):
        assert (ran.workspace / ran.outputs[name]).is_file(), name


def test_the_summary_is_added_to_what_the_step_had_already(tmp_path: Path) -> None:
    (tmp_path / "summary").write_text("before\n")
    ran = step(tmp_path)
    shown = ran.file("summary").read_text()
    assert shown.startswith("before\n")
    assert "no drop detected" in shown


def test_nothing_is_written_outside_the_output_folder(tmp_path: Path) -> None:
    ran = step(tmp_path)
    before = {path.relative_to(CASES / "pass") for path in (CASES / "pass").rglob("*")}
    after = {path.relative_to(ran.workspace) for path in ran.workspace.rglob("*")}
    assert all(path.parts[0] == "gate-out" for path in after - before)


@pytest.mark.parametrize(
    ("case", "level"), [("pass", "notice"), ("fail", "error"), ("inconclusive", "error")]
)
def test_the_first_annotation_says_the_verdict(tmp_path: Path, case: str, level: str) -> None:
    first = step(tmp_path, case=case).commands[0]
    assert first.name == level
    assert dict(first.properties)["title"].startswith("Retrieval Quality Gate")


def test_without_a_runner_there_is_nothing_to_append_to(tmp_path: Path) -> None:
    ran = step(tmp_path, variables={"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""})
    assert ran.code == 0
    assert not ran.file("output").exists()


def test_a_misspelt_input_stops_the_step_with_the_nearest_name(tmp_path: Path) -> None:
    ran = step(tmp_path, variables={"INPUT_CONFG": "eval-gate.yml"})
    assert ran.code == ExitCode.USAGE
    assert "`config`" in ran.said("error")
    assert not (ran.workspace / "gate-out").exists()


def test_inputs_override_what_the_configuration_says(tmp_path: Path) -> None:
    ran = step(tmp_path, variables={"INPUT_GATE": "other", "INPUT_SEED": "7"})
    receipt = json.loads((ran.workspace / "gate-out" / "receipt.json").read_text())
    assert receipt["gate"] == "other"
    assert receipt["plan"]["stats"]["seed"] == 7


def test_a_seed_that_is_no_number_is_a_configuration_error(tmp_path: Path) -> None:
    assert step(tmp_path, variables={"INPUT_SEED": "many"}).code == ExitCode.CONFIG


def test_a_missing_configuration_is_said_with_what_to_do(tmp_path: Path) -> None:
    ran = step(tmp_path, variables={"INPUT_CONFIG": "elsewhere.yml"})
    assert ran.code == ExitCode.CONFIG
    assert "elsewhere.yml" in ran.said("error")
    assert "→" in ran.said("error")


def test_a_configuration_outside_the_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "eval-gate.yml").write_text("version: 1\n")
    ran = step(tmp_path, variables={"INPUT_CONFIG": "../eval-gate.yml"})
    assert ran.code == ExitCode.USAGE
    assert "outside the workspace" in ran.said("error")


def test_an_output_folder_that_is_a_planted_link_is_refused(tmp_path: Path) -> None:
    shutil.copytree(CASES / "pass", tmp_path / "workspace")
    (tmp_path / "target").mkdir()
    (tmp_path / "workspace" / "gate-out").symlink_to(tmp_path / "target")
    ran = step(tmp_path)
    assert ran.code == ExitCode.USAGE
    assert list((tmp_path / "target").iterdir()) == []


def test_suites_are_refused_where_foreign_code_would_meet_secrets(tmp_path: Path) -> None:
    payload = json.loads(
        (Path(__file__).parent / "github/payloads/pull_request_target.fork.json").read_text()
    )
    ran = step(tmp_path, variables=event(tmp_path, "pull_request_target", payload))
    assert ran.code == ExitCode.USAGE
    assert "pull_request_target" in ran.said("error")


def test_an_ordinary_event_is_judged(tmp_path: Path) -> None:
    payload = json.loads((Path(__file__).parent / "github/payloads/push.default_branch.json").read_text())
    assert step(tmp_path, variables=event(tmp_path, "push", payload)).code == 0


def test_an_event_that_cannot_be_read_is_an_invalid_input(tmp_path: Path) -> None:
    variables = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "none.json")}
    ran = step(tmp_path, variables=variables)
    assert ran.code == ExitCode.DATA
    assert "none.json" in ran.said("error")


def test_foreign_text_in_the_rows_gives_the_runner_no_command(tmp_path: Path) -> None:
    shutil.copytree(CASES / "fail", tmp_path / "workspace")
    for rows in (tmp_path / "workspace" / "rows").iterdir():
        rows.write_text(rows.read_text().replace("q-03", "\\n::set-env name=EVIL::1\\n##[error]x"))
    ran = step(tmp_path)
    assert ran.code == ExitCode.FAIL
    assert {command.name for command in ran.commands} <= {"error", "stop-commands"}
    assert "EVIL" not in ran.said("error")


def test_every_secret_is_hidden_line_by_line_before_anything_else_is_said(tmp_path: Path) -> None:
    workspace = step(tmp_path).workspace
    config = workspace / "eval-gate.yml"
    served = "system: {kind: http, url: 'http://search', token-env: SEARCH_PASS}\n"
    config.write_text(f"{config.read_text()}\n{served}")
    given = {
        "INPUT_TOKEN": "ghs_0123456789",
        "OPENAI_API_KEY": "sk-first\nsk-second",
        "GATE_DATABASE_URL": "postgres://u:pw@db/x",
        "SEARCH_PASS": "s3cret",
        "OTHER": "no secret",
    }

    ran = step(tmp_path, variables=given)

    hidden = [command.data for command in ran.commands if command.name == "add-mask"]
    assert hidden == ["ghs_0123456789", "sk-first", "sk-second", "postgres://u:pw@db/x", "s3cret"]
    assert [command.name for command in ran.commands][:4] == ["add-mask"] * 4


def test_a_stop_is_said_with_its_own_exit_code(tmp_path: Path) -> None:
    class Stopped(list[str]):
        def append(self, text: str) -> None:
            super().append(text)
            if text.startswith("comparing"):
                raise Cancelled(ExitCode.TERMINATED)

    shutil.copytree(CASES / "pass", tmp_path / "workspace")
    log, output = Stopped(), tmp_path / "output"
    runner = Runner({"GITHUB_OUTPUT": str(output)}, tmp_path / "workspace", log.append)
    assert act(runner) == ExitCode.TERMINATED
    told = read_command_file(output.read_text())
    assert (told["verdict"], told["reason"]) == ("inconclusive", "cancelled")
    assert told["artifact-name"].startswith("gate-")
    assert json.loads((tmp_path / "workspace/gate-out/receipt.json").read_text())["reason"] == "cancelled"
    assert "cancelled" in Step().read("".join(log))[-1].data


def test_what_nobody_foresaw_is_our_bug_and_says_so(tmp_path: Path) -> None:
    shutil.copytree(CASES / "pass", tmp_path / "workspace")
    log: list[str] = []
    draws = chain(["too short"], repeat("a" * 32))
    runner = Runner({}, tmp_path / "workspace", log.append, lambda: next(draws))
    assert act(runner) == ExitCode.BUG
    assert "bug in the gate" in Step().read("".join(log))[-1].data


def test_the_workspace_puts_no_code_on_our_path(tmp_path: Path) -> None:
    shutil.copytree(CASES / "pass", tmp_path / "workspace")
    for name in ("gate", "json", "numpy", "sitecustomize", "usercustomize"):
        (tmp_path / "workspace" / f"{name}.py").write_text("raise SystemExit(99)\n")
    ran = subprocess.run(
        [sys.executable, "-I", "-m", "gate.action"],
        cwd=tmp_path / "workspace",
        env={"HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "workspace"), "PATH": os.defpath},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr.decode()


def test_a_signal_leaves_a_receipt_that_says_cancelled(tmp_path: Path) -> None:
    shutil.copytree(CASES / "fail", tmp_path / "workspace")
    rows = [json.dumps({"question_id": f"q-{number}", "hit": number % 7 / 7}) for number in range(60_000)]
    for side in ("baseline", "candidate"):
        (tmp_path / "workspace" / "rows" / f"{side}.ndjson").write_text("\n".join(rows))
        rows = [row.replace("0.14", "0.28") for row in rows]
    running = subprocess.Popen(
        [sys.executable, "-I", "-m", "gate.action"],
        cwd=tmp_path / "workspace",
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    for line in running.stdout:
        if line.startswith("comparing"):
            running.send_signal(signal.SIGTERM)
            break
    rest = running.communicate(timeout=60)[0]
    assert running.returncode == ExitCode.TERMINATED, rest
    assert json.loads((tmp_path / "workspace/gate-out/receipt.json").read_text())["reason"] == "cancelled"


@pytest.mark.parametrize(
    ("config", "variables", "code", "name"),
    [
        (b"version: 1\nruels: []\n", {}, 78, "gate-default-attempt-1"),
        (b"version: 1\ngate: search\nruels: []\n", {"GITHUB_RUN_ATTEMPT": "3"}, 78, "gate-search-attempt-3"),
        (b"gate: search\n", {"INPUT_GATE": "own"}, 78, "gate-own-attempt-1"),
        (b"gate: search\n", {"INPUT_MATRIX": '{"mode": "fast"}'}, 78, "gate-search-fast-attempt-1"),
        (None, {}, 78, "gate-default-attempt-1"),
        (b"gate: search\n", {"INPUT_CONFIGG": "x"}, 64, "gate-search-attempt-1"),
    ],
    ids=["broken", "with an id", "with an input", "a leg", "no config", "a misspelt input"],
)
def test_a_step_that_ends_in_an_error_still_names_its_artifact(
    config: bytes | None, variables: dict[str, str], code: int, name: str, tmp_path: Path
) -> None:
    step(tmp_path)
    (tmp_path / "output").unlink()
    file = tmp_path / "workspace" / "eval-gate.yml"
    file.unlink() if config is None else file.write_bytes(config)

    ran = step(tmp_path, variables=variables)

    assert ran.code == code
    assert ran.outputs["artifact-name"] == name
    assert "verdict" not in ran.outputs


def test_outputs_that_cannot_be_written_do_not_hide_the_error_itself(tmp_path: Path) -> None:
    step(tmp_path)
    (tmp_path / "workspace" / "eval-gate.yml").unlink()

    ran = step(tmp_path, variables={"GITHUB_OUTPUT": str(tmp_path)})

    assert ran.code == 78
    assert "eval-gate.yml: there is no such file" in ran.said("error")
    assert "input `config:`" in ran.said("error")
    assert "outputs could not be written" in ran.log


def test_the_second_half_makes_no_artifact_and_names_none(tmp_path: Path) -> None:
    step(tmp_path)
    (tmp_path / "output").unlink()

    ran = step(tmp_path, variables={"INPUT_COMMAND": "publish", "INPUT_CONFIGG": "x"})

    assert ran.code == 64
    assert not ran.file("output").exists() or ran.outputs == {}
