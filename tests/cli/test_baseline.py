import json
from pathlib import Path

import pytest

from tests.program import gate
from tests.repositories import repository
from tests.workspaces import CONFIG, losing, rows, workspace


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A workspace in which the gate has run."""
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path, candidate=rows([1] * 40, question="no text, please"))
    gate(capsys, "run")
    return tmp_path


def accept(capsys: pytest.CaptureFixture[str], note: str = "first release") -> int:
    return gate(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", note).code


def test_an_accepted_run_is_the_baseline_of_the_next_one(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accept(capsys) == 0
    workspace(
        finished,
        config=CONFIG.replace("baseline: {rows: rows/baseline.ndjson}", "baseline: {accepted: true}"),
        candidate=losing(12),
    )

    assert gate(capsys, "run").code == 1
    receipt = json.loads((finished / "gate-out" / "receipt.json").read_text())
    assert receipt["plan"]["baseline"]["chosen"].startswith("the accepted baseline of ")
    assert gate(capsys, "verify", "gate-out/receipt.json").code == 0


def test_accepting_a_run_that_failed_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path, candidate=losing(12))
    assert gate(capsys, "run").code == 1

    done = gate(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", "known loss")

    assert done.code == 0
    assert "note: this run's verdict is fail" in done.err


def test_accepting_where_files_are_uncommitted_says_which(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository(finished)
    accept(capsys)
    assert "note:" not in gate(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", "x").err
    for name in "abcd":
        (finished / f"{name}.md").write_text("new")

    done = gate(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", "x")

    assert done.code == 0
    assert "note: the work tree holds 4 uncommitted files (a.md, b.md, c.md, …)" in done.err


def test_nothing_but_ids_and_values_is_kept(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accept(capsys)

    kept = sorted(path.name for path in (finished / ".gate").rglob("*.*"))
    assert kept == ["accepted.json", "main.candidate.ndjson", "receipt.json"]
    assert not [path for path in (finished / ".gate").rglob("*.*") if "no text" in path.read_text()]


@pytest.mark.usefixtures("finished")
def test_it_is_dated_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    accept(capsys, "release 1.2")

    done = gate(capsys, "baseline", "list")

    assert "tests: 20" in done.out
    assert "release 1.2" in done.out


@pytest.mark.usefixtures("finished")
def test_without_a_reason_nothing_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    assert accept(capsys, "  ") == 64
    assert gate(capsys, "baseline", "accept", "gate-out/receipt.json").code == 64
    assert "no accepted baseline" in gate(capsys, "baseline", "list").out


def test_rows_that_were_changed_are_not_accepted(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (finished / "gate-out" / "rows" / "main.candidate.ndjson").write_bytes(b"{}\n")
    assert accept(capsys) == 65

    (finished / "gate-out" / "rows" / "main.candidate.ndjson").unlink()
    assert accept(capsys) == 65


def test_a_new_baseline_replaces_the_rows_of_the_old_one(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(capsys)
    workspace(finished, config=CONFIG.replace("name: main", "name: renamed"))
    gate(capsys, "run")
    accept(capsys)

    kept = sorted(path.name for path in (finished / ".gate").rglob("*.ndjson"))
    assert kept == ["renamed.candidate.ndjson"]


def test_a_note_that_was_broken_by_hand_is_one_clear_error(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(capsys)
    (finished / ".gate" / "baselines" / "tests" / "accepted.json").write_text("{}")

    assert gate(capsys, "baseline", "list").code == 65


def test_a_run_that_measured_only_a_part_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    second = "  - {suite: rows, name: second, rows: rows/baseline.ndjson}\nbaseline:"
    workspace(tmp_path, config=CONFIG.replace("baseline:", second, 1))
    monkeypatch.chdir(tmp_path)
    assert gate(capsys, "run", "--suites", "main").code == 2
    refused = gate(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", "new model")

    assert refused.code == 65
    assert "measured only a part: second is left out" in refused.err
    assert not (tmp_path / ".gate").exists()
