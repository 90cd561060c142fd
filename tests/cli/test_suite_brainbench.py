"""`gate suite brainbench`, called as a user calls it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gate.core.brainbench.result import baseline_of, baseline_text, read_result
from gate.core.records.ledger import fingerprints, read_ledger
from gate.store.row_files import read_rows
from tests.cli.calls import Shell
from tests.core.brainbench.results import BASELINE, RESULT, cell_object, real, result_object
from tests.programs import ROOT, everybodys_python, open_folder
from tests.repositories import git, repository

__all__ = ["open_folder"]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def written(failed: int = 1, **overrides: Any) -> bytes:
    """A result with one cell of push, without turns."""
    metrics = {"push_recall": (10 - failed) / 10, "push_precision": 1, "source_isolation_violations": 0}
    cell = cell_object(suite="push", gold_total=10, gold_failed=failed, metrics=metrics)
    return json.dumps(result_object(cells=[cell], turn_rows=[], **overrides)).encode()


def committed(data: bytes) -> str:
    return baseline_text(baseline_of(read_result(data)))


def test_the_real_result_holds_against_the_real_baseline(shell: Shell) -> None:
    shell.write("result.json", real(RESULT))
    shell.write("main.json", real(BASELINE))
    done = shell.gate("suite", "brainbench", "--result", "result.json", "--baseline", "main.json")
    assert (done.code, done.err.count("error")) == (0, 0)
    assert done.out.splitlines()[-2] == "verdict: pass"
    assert len(read_rows(shell.folder / "gate-out/rows/brainbench-n-a.ndjson", name="rows")) == 804


def test_a_missed_page_more_is_a_regression_by_count(shell: Shell) -> None:
    shell.write("result.json", written(failed=2))
    shell.write("main.json", committed(written()))
    call = ("suite", "brainbench", "--result", "result.json", "--baseline", "main.json")
    done = shell.gate(*call)
    assert done.code == 1
    assert "worse: codex/push gold_failed: 1 more pieces of gold missed" in done.out
    assert shell.gate(*call, "--allow-regression", "smaller index").code == 0


def test_a_committed_file_that_is_not_there_is_inconclusive(shell: Shell) -> None:
    shell.write("result.json", written())
    done = shell.gate("suite", "brainbench", "--result", "result.json", "--baseline", "main.json")
    assert (done.code, "there is no baseline" in done.out) == (2, True)


def test_the_base_s_own_baseline_counts_whatever_the_tree_says(shell: Shell) -> None:
    repository(shell.folder, {"evals/main.json": committed(written()).encode()})
    base = git(shell.folder, "rev-parse", "HEAD")
    shell.write("result.json", written(failed=3))
    shell.write("evals/main.json", committed(written(failed=3)))
    call = ("suite", "brainbench", "--result", "result.json", "--baseline", "evals/main.json")
    assert shell.gate(*call).code == 0  # compared with itself
    done = shell.gate(*call, "--base", base)
    assert (done.code, "2 more pieces of gold missed" in done.out) == (1, True)
    (shell.folder / "evals/main.json").unlink()
    gone = shell.gate(*call, "--base", base)
    assert (gone.code, "the committed baseline was deleted" in gone.out) == (2, True)
    shell.write("evals/main.json", committed(written(failed=3)))
    git(shell.folder, "update-ref", "refs/remotes/origin/main", base)
    for name in ("origin/main", "main", "HEAD", base[:7]):
        assert shell.gate(*call, "--base", name).code == 1


@pytest.mark.parametrize("name", ["origin/main", "f" * 40])
def test_a_base_that_names_no_commit_is_inconclusive_and_named_whole(shell: Shell, name: str) -> None:
    repository(shell.folder, {"evals/main.json": committed(written()).encode()})
    shell.write("result.json", written())
    done = shell.gate(
        "suite", "brainbench", "--result", "result.json", "--baseline", "evals/main.json", "--base", name
    )
    assert (done.code, f"no commit is known here as '{name}'" in done.out) == (2, True)


def test_a_new_baseline_is_written_with_its_justification(shell: Shell) -> None:
    shell.write("result.json", written(failed=2))
    call = ("suite", "brainbench", "--result", "result.json")
    assert shell.gate(*call, "--write-baseline", "new.json", "--justification", "smaller index").code == 0
    assert json.loads((shell.folder / "new.json").read_text())["justification"] == "smaller index"
    assert shell.gate("validate", "new.json").code == 0


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--result", "r.json", "--gbrain", "gbrain"),
        ("--result", "r.json", "--base", "main"),
        ("--result", "r.json", "--allow-regression", "why not"),
        ("--result", "r.json", "--justification", "why not"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(shell: Shell, options: tuple[str, ...]) -> None:
    assert shell.gate("suite", "brainbench", *options).code == 64


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{}", "result.json: Object missing required field"),
        (json.dumps(result_object(cells=[cell_object(gold_total=5)])).encode(), "contradicts its own turns"),
    ],
)
def test_a_result_that_cannot_be_is_invalid_input(shell: Shell, data: bytes, said: str) -> None:
    shell.write("result.json", data)
    done = shell.gate("suite", "brainbench", "--result", "result.json")
    assert (done.code, said in done.err) == (65, True), done.err


def test_a_result_that_is_not_there_is_named(shell: Shell) -> None:
    done = shell.gate("suite", "brainbench", "--result", "no.json")
    assert (done.code, "no.json: cannot be read" in done.err) == (65, True)


def runner(folder: Path, data: bytes | None) -> str:
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", folder / "gbrain.py")
    if data is not None:
        (folder / "brainbench.json").write_bytes(data)
    return f"{everybodys_python()} -I {folder / 'gbrain.py'}"


def test_gbrain_runs_it_and_the_run_is_recorded(shell: Shell, open_folder: Path) -> None:
    shell.folder.chmod(0o755)
    (shell.folder / ".git").mkdir()
    call = ("suite", "brainbench", "--gbrain", runner(open_folder, written()), "--record")
    assert shell.gate(*call).code == 0
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.run_id.startswith("unknown-brainbench-na-42-")
    assert (record.status, record.mode, record.output) == (
        "completed",
        "n/a",
        "gate-out/rows/brainbench-n-a.ndjson",
    )
    assert fingerprints(record)["dataset_sha256"] == "a" * 64
    assert record.params["cells"] == {
        "codex/push": {
            "push_recall": 0.9,
            "push_precision": 1,
            "source_isolation_violations": 0,
            "gold_failed": 1,
            "gold_total": 10,
        }
    }


def test_a_runner_that_leaves_no_result_is_recorded_as_failed(shell: Shell, open_folder: Path) -> None:
    shell.folder.chmod(0o755)
    (shell.folder / ".git").mkdir()
    call = ("suite", "brainbench", "--gbrain", runner(open_folder, None), "--record")
    done = shell.gate(*call)
    assert (done.code, "left no result" in done.err) == (69, True)
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.status == "failed"


def test_a_regression_is_recorded_as_failed_with_its_reason(shell: Shell) -> None:
    (shell.folder / ".git").mkdir()
    shell.write("result.json", written(failed=9))
    shell.write("main.json", committed(written()))
    call = ("suite", "brainbench", "--result", "result.json", "--baseline", "main.json", "--record", "--json")
    done = shell.gate(*call)
    assert done.code == 1
    assert json.loads(done.out.splitlines()[-1])["verdict"] == "regression"
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.status == "failed"
    assert str(record.raw["error"]).startswith("regression: codex/push gold_failed: 8 more pieces")


def test_the_gbrain_of_the_configuration_runs_it(shell: Shell, open_folder: Path) -> None:
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", open_folder / "gbrain.py")
    (open_folder / "brainbench.json").write_bytes(written())
    shell.folder.chmod(0o755)
    shell.write("main.json", committed(written()))
    config = f"""version: 1
system: {{kind: gbrain, run: [{everybodys_python()}, -I, {open_folder / "gbrain.py"}]}}
suites: [{{suite: rows, name: any, rows: rows.ndjson}}]
rules: [{{metric: push_recall, rule: threshold, at-least: 0}}]
"""
    shell.write("eval-gate.yml", config)
    assert shell.gate("suite", "brainbench", "--baseline", "main.json").code == 0
    twice = ("--gbrain", "gbrain", "--config", "eval-gate.yml")
    assert shell.gate("suite", "brainbench", "--baseline", "main.json", *twice).code == 64
