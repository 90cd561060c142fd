import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calls import Shell
from tests.longmemeval_files import array, document

CONFIG = """
version: 1
suites:
  - {suite: rows, name: lme, rows: gate-out/rows/longmemeval-balanced.ndjson}
rules:
  - {metric: recall_any@k, rule: threshold, at-least: 0.1}
"""


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A folder with three finished shards, each in the folder of its own job, and a configuration."""
    monkeypatch.chdir(tmp_path)
    here = Shell(tmp_path, capsys)
    array(tmp_path / "data.json", [document(number) for number in range(40)])
    for number in (1, 2, 3):
        output = f"job-{number}/rows/part.ndjson"
        call = here.gate("suite", "longmemeval", "data.json", "--shard", f"{number}/3", "--output", output)
        assert call.code == 0
    here.write("eval-gate.yml", CONFIG)
    return here


def rows(path: Path) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in json.loads(line).items() if key != "latency_ms"}
        for line in path.read_text().splitlines()
    ]


JOBS = ("job-1", "job-2", "job-3")
MERGED = Path("gate-out/rows/longmemeval-balanced.ndjson")


def test_merged_shards_are_the_unsharded_run_line_by_line(shell: Shell) -> None:
    assert shell.gate("merge", *reversed(JOBS)).code == 0
    assert shell.gate("suite", "longmemeval", "data.json", "--output", "whole.ndjson").code == 0
    assert rows(shell.folder / MERGED) == rows(shell.folder / "whole.ndjson")


def test_merged_rows_are_judged_by_the_configuration(shell: Shell) -> None:
    call = shell.gate("merge", *JOBS, "--config", "eval-gate.yml")
    assert call.code == 0
    receipt = json.loads((shell.folder / "gate-out" / "receipt.json").read_text())
    assert receipt["verdict"] == "pass"
    shell.write("eval-gate.yml", CONFIG.replace("at-least: 0.1", "at-most: 0.1"))
    assert shell.gate("merge", *JOBS, "--config", "eval-gate.yml").code == 1


def test_the_configuration_that_is_there_judges_and_without_one_that_is_said(shell: Shell) -> None:
    shell.write("eval-gate.yml", CONFIG.replace("at-least: 0.1", "at-most: 0.1"))
    assert shell.gate("merge", *JOBS).code == 1
    (shell.folder / "eval-gate.yml").unlink()
    call = shell.gate("merge", *JOBS)
    assert (call.code, "joined, not judged" in call.err) == (0, True)


def test_a_missing_shard_is_inconclusive_whatever_the_others_say(shell: Shell) -> None:
    shutil.rmtree(shell.folder / "job-2")
    for extra in ((), ("--config", "eval-gate.yml")):
        call = shell.gate("merge", *JOBS, *extra)
        assert call.code == 2
        assert "shard 2/3 is missing" in call.err
        assert "job-2: no rows there" in call.err
    receipt = json.loads((shell.folder / "gate-out" / "receipt.json").read_text())
    assert (receipt["verdict"], receipt["reason"]) == ("inconclusive", "cancelled")
    last = rows(shell.folder / MERGED)[-1]
    assert last["complete"] is False


def test_a_shard_that_was_killed_is_inconclusive(shell: Shell) -> None:
    path = shell.folder / "job-3" / "rows" / "part.ndjson"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]))
    call = shell.gate("merge", *JOBS, "--config", "eval-gate.yml")
    assert call.code == 2
    assert "shard 3/3 is not finished" in call.err


def test_no_shard_at_all_is_inconclusive_and_no_old_rows_are_judged(shell: Shell) -> None:
    assert shell.gate("merge", *JOBS).code == 0
    before = (shell.folder / MERGED).read_bytes()
    call = shell.gate("merge", "nowhere", "--config", "eval-gate.yml")
    assert call.code == 2
    assert f"{MERGED}: no sharded job has left any rows of it" in call.err
    receipt = json.loads((shell.folder / "gate-out" / "receipt.json").read_text())
    assert (receipt["reason"], receipt["suites"][0]["candidate"]["questions"]) == ("cancelled", 0)
    assert (shell.folder / "gate-out/stale" / MERGED.name).read_bytes() == before
    (shell.folder / "eval-gate.yml").unlink()
    call = shell.gate("merge", "nowhere")
    assert (call.code, "no shard was found" in call.err) == (2, True)


def test_old_rows_that_cannot_be_set_aside_are_told(shell: Shell) -> None:
    (shell.folder / "eval-gate.yml").unlink()
    assert shell.gate("merge", *JOBS).code == 0
    shell.write("eval-gate.yml", CONFIG)
    shell.write("gate-out/stale", "no folder")
    call = shell.gate("merge", "nowhere")
    assert call.code == 69
    assert f"{MERGED.name}: what an earlier run left cannot be moved" in call.err


def test_a_mode_without_a_shard_is_not_judged_by_the_rows_of_an_earlier_merge(shell: Shell) -> None:
    other = ("--mode", "conservative", "--output", "job-4/rows/part.ndjson")
    assert shell.gate("suite", "longmemeval", "data.json", *other).code == 0
    second = "gate-out/rows/longmemeval-conservative.ndjson"
    both = CONFIG.replace("rules:", f"  - {{suite: rows, name: second, rows: {second}}}\nrules:")
    shell.write("eval-gate.yml", both)
    assert shell.gate("merge", *JOBS, "job-4").code == 0
    call = shell.gate("merge", *JOBS)
    assert (call.code, f"{second}: no sharded job" in call.err) == (2, True)


def test_a_configuration_that_judges_something_else_is_refused(shell: Shell) -> None:
    shutil.rmtree(shell.folder / "job-2")
    shell.write("other.ndjson", '{"question_id":"q1","recall_any_hit":true}\n')
    shell.write("eval-gate.yml", CONFIG.replace(str(MERGED), "other.ndjson"))
    call = shell.gate("merge", *JOBS, "--config", "eval-gate.yml")
    assert call.code == 78
    assert "judges the merged rows" in call.err


def test_merging_a_folder_into_itself_twice_is_the_same(shell: Shell) -> None:
    for number in (1, 2, 3):
        assert shell.gate("suite", "longmemeval", "data.json", "--shard", f"{number}/3").code == 0
    assert shell.gate("merge", "gate-out").code == 0
    once = rows(shell.folder / MERGED)
    assert shell.gate("merge", "gate-out").code == 0
    assert rows(shell.folder / MERGED) == once


def test_shards_of_two_datasets_are_refused(shell: Shell) -> None:
    array(shell.folder / "data.json", [document(number) for number in range(41)])
    output = ("--output", "other/rows.ndjson")
    assert shell.gate("suite", "longmemeval", "data.json", "--shard", "2/3", *output).code == 0
    call = shell.gate("merge", "job-1", "other", "job-3")
    assert call.code == 65
    assert "dataset_sha256" in call.err


def test_rows_that_state_no_run_are_left_alone_and_said(shell: Shell) -> None:
    shell.write("job-1/rows/retrieval.ndjson", '{"question_id":"q1","hit@1":1}\n')
    call = shell.gate("merge", *JOBS)
    assert call.code == 0
    assert "states no run that can be merged" in call.err
