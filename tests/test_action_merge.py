import json
import shutil
from pathlib import Path

import pytest

from gate.action import act
from gate.core.longmemeval.run import Run, first_line
from gate.core.shards import Shard
from gate.runner import Runner
from gate.store.row_files import read_rows
from tests.core.longmemeval.factories import run

NAMES = tuple(f"q{number}" for number in range(20))
CONFIG = """
version: 1
suites:
  - {suite: rows, name: lme, rows: gate-out/rows/longmemeval-balanced.ndjson}
rules:
  - {metric: recall_any@k, rule: threshold, at-least: 0.5}
"""


def shard(workspace: Path, number: int, attempt: int = 1, *, without: int = 0) -> Path:
    """The downloaded artifact of one job of the matrix."""
    stated: Run = run(*NAMES, shard=Shard(number, 2))
    own = stated.own_questions()
    path = workspace / "gate-shards" / f"shard-{number}-{attempt}" / "rows" / "longmemeval.ndjson"
    path.parent.mkdir(parents=True)
    rows = [json.dumps({"question_id": each, "recall_any_hit": True}) + "\n" for each in own]
    path.write_bytes(first_line(stated) + "".join(rows[: len(rows) - without]).encode())
    return path


def merged(workspace: Path, **more: str) -> tuple[int, str]:
    """The exit code of the step, and what it logged."""
    log: list[str] = []
    output = workspace.parent / "output"
    code = act(
        Runner({"INPUT_COMMAND": "merge", "GITHUB_OUTPUT": str(output), **more}, workspace, log.append)
    )
    return code, "".join(log)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "eval-gate.yml").write_text(CONFIG)
    return folder


def test_shards_of_a_matrix_are_joined_and_judged(workspace: Path) -> None:
    shard(workspace, 1)
    shard(workspace, 2)
    assert merged(workspace)[0] == 0
    receipt = json.loads((workspace / "gate-out" / "receipt.json").read_text())
    assert receipt["verdict"] == "pass"
    table = read_rows(workspace / "gate-out" / "rows" / "longmemeval-balanced.ndjson", name="rows")
    assert table.ids == NAMES


def test_a_job_that_left_nothing_makes_the_verdict_inconclusive(workspace: Path) -> None:
    shard(workspace, 2)
    code, log = merged(workspace)
    assert code == 2
    assert "shard 1/2 is missing" in log
    assert json.loads((workspace / "gate-out" / "receipt.json").read_text())["verdict"] == "inconclusive"


def test_a_later_attempt_completes_an_earlier_one(workspace: Path) -> None:
    shard(workspace, 1, without=3)
    shard(workspace, 1, attempt=2)
    shard(workspace, 2)
    code, log = merged(workspace)
    assert code == 0
    assert "again" in log


def test_no_shard_at_all_is_inconclusive(workspace: Path) -> None:
    code, log = merged(workspace)
    assert code == 2
    assert "gate-out/rows/longmemeval-balanced.ndjson: no sharded job has left any rows of it" in log
    receipt = json.loads((workspace / "gate-out" / "receipt.json").read_text())
    assert (receipt["verdict"], receipt["reason"]) == ("inconclusive", "cancelled")


def test_a_configuration_that_judges_nothing_merged_is_refused_where_there_is_no_shard(
    workspace: Path,
) -> None:
    (workspace / "eval-gate.yml").write_text(CONFIG.replace("gate-out/rows", "elsewhere"))
    code, log = merged(workspace)
    assert (code, "no shard was found" in log) == (78, True)


def test_a_configuration_that_does_not_judge_the_merged_rows_is_refused(workspace: Path) -> None:
    path = shard(workspace, 1)
    shutil.copy(path, workspace / "other.ndjson")
    (workspace / "eval-gate.yml").write_text(
        CONFIG.replace("gate-out/rows/longmemeval-balanced.ndjson", "other.ndjson")
    )
    assert merged(workspace)[0] == 78


@pytest.mark.parametrize("folder", ["../elsewhere", "/etc", "."])
def test_shards_are_looked_for_below_the_workspace_alone(workspace: Path, folder: str) -> None:
    code, log = merged(workspace, INPUT_SHARDS=folder)
    assert (code, f"shards: '{folder}' does not lie below the workspace" in log) == (64, True)
