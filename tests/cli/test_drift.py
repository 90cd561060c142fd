import json
import shutil
from pathlib import Path

import pytest

from tests.cli.calls import Call, called
from tests.repositories import commit, git, repository
from tests.workspaces import CONFIG, losing, rows, workspace

WATCHED = CONFIG.replace("{rows: rows/baseline.ndjson}", "{accepted: true}") + (
    "watch: {paths: ['src/search/**']}\n"
)
FILES = {"src/search/rank.py": b"1\n", "docs/a.md": b"a\n", ".gitignore": b"gate-out/\n"}


@pytest.fixture
def accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A repository whose gate has an accepted reference, measured one commit ago."""
    monkeypatch.chdir(repository(tmp_path))
    workspace(tmp_path, config=WATCHED)
    commit(tmp_path, FILES)
    called(capsys, "run")
    called(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", "first")
    commit(tmp_path, {}, "accept")
    shutil.rmtree(tmp_path / "gate-out")
    return tmp_path


def paths(captured: pytest.CaptureFixture[str]) -> Call:
    done = called(captured, "drift", "--paths-only", "--json")
    assert done.code in {0, 1, 2}, done.err
    return done


def test_what_is_as_it_was_is_no_drift(accepted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = called(capsys, "drift")
    assert (done.code, done.out.splitlines()[0][:9]) == (0, "No drift:")
    assert "No watched file has changed in the one commit since the reference" in done.out
    assert called(capsys, "verify", "gate-out/receipt.json").code == 0
    receipt = json.loads((accepted / "gate-out" / "receipt.json").read_text())
    assert (receipt["plan"]["purpose"], receipt["plan"]["since"]["commits"]) == ("drift", 1)


def test_a_drop_is_drift_and_the_changed_files_are_named(
    accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(accepted, {"rows/candidate.ndjson": losing(20), "src/search/rank.py": b"2\n"})
    done = called(capsys, "drift", "--json")
    assert (done.code, done.document["verdict"], done.document["purpose"]) == (1, "fail", "drift")
    assert done.document["since"]["matched"] == ["src/search/rank.py"]
    shown = called(capsys, "render", "gate-out/receipt.json").out
    assert "**Drift: regression of <code>hit</code>" in shown
    assert "1 watched file changed in the 2 commits since the reference" in shown


def test_a_reference_of_the_very_commit_is_compared_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path))
    workspace(tmp_path, config=WATCHED)
    commit(tmp_path, FILES)
    called(capsys, "run")
    called(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", "first")
    (tmp_path / "rows" / "candidate.ndjson").write_bytes(losing(20))
    done = called(capsys, "drift")
    assert done.code == 1
    told = " ".join(done.out.split())
    assert "which is this very commit: the cause lies outside the repository" in told
    assert "or in a file that the watch list does not name. Not committed: 4 other files." in told


def test_rows_that_are_the_references_own_file_decide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path))
    workspace(tmp_path, config=CONFIG.replace("rows/baseline", "rows/candidate"))
    done = called(capsys, "drift", "--json")
    assert (done.code, done.document["reason"]) == (2, "self_baseline")


def test_without_a_reference_nothing_is_said_to_be_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path))
    workspace(tmp_path, config=WATCHED)
    done = called(capsys, "drift")
    assert (done.code, done.out.splitlines()[0].split(":")[0]) == (2, "Could not measure")
    assert "cannot be told: there is no reference" in " ".join(done.out.split())


def test_paths_only_measures_nothing_and_needs_no_rows(
    accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (accepted / "rows" / "candidate.ndjson").unlink()
    done = paths(capsys)
    assert (done.code, done.document["watched_changed"], done.document["matched"]) == (0, False, [])
    assert not (accepted / "gate-out").exists()


def test_paths_only_finds_what_was_committed(accepted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(accepted, {"docs/a.md": b"b\n"})
    assert paths(capsys).code == 0
    commit(accepted, {"src/search/rank.py": None, "src/search/new/deep.py": b"x"})
    done = paths(capsys)
    assert (done.code, done.document["commits"]) == (1, 3)
    assert done.document["matched"] == ["src/search/new/deep.py", "src/search/rank.py"]


@pytest.mark.parametrize("name", ["src/search/rank.py", "src/search/untracked.py"])
def test_paths_only_counts_what_is_not_committed_and_says_so(
    accepted: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (accepted / name).write_bytes(b"changed\n")
    done = called(capsys, "drift", "--paths-only")
    assert done.code == 1
    assert f"  {name} (not committed)" in done.out.splitlines()


def test_paths_only_cannot_tell_without_a_watch_list(
    accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = accepted / "eval-gate.yml"
    config.write_text(config.read_text().replace("watch:", "# watch:"))
    done = paths(capsys)
    assert (done.code, done.document["watched_changed"]) == (2, None)
    assert "no watch list" in done.document["unknown"][0]


def test_paths_only_cannot_tell_without_a_reference(
    accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(accepted / ".gate")
    done = paths(capsys)
    assert (done.code, done.document["reference"]) == (2, None)
    assert "there is no reference" in done.document["unknown"][0]


def test_paths_only_cannot_tell_without_git(accepted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(accepted / ".git")
    done = paths(capsys)
    assert done.code == 2
    assert "no git repository" in " ".join(done.document["unknown"])


def test_paths_only_cannot_tell_in_a_clone_that_does_not_hold_the_reference(
    accepted: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    commit(accepted, {"docs/a.md": b"b\n"})
    shallow = tmp_path_factory.mktemp("shallow") / "clone"
    git(accepted, "clone", "-q", "--depth", "1", f"file://{accepted}", str(shallow))
    monkeypatch.chdir(shallow)
    done = paths(capsys)
    assert (done.code, done.document["changed"], done.document["commits"]) == (2, None, None)
    assert "git fetch --unshallow" in done.document["unknown"][0]


def test_paths_only_looks_back_to_the_run_of_a_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path))
    workspace(tmp_path, config=WATCHED.replace("{accepted: true}", "{ledger: runs.jsonl}"))
    measured = commit(tmp_path, FILES)
    record = {
        "schema_version": 3, "run_id": "r1", "ran_at": "2026-01-01T00:00:00Z", "suite": "main", "mode": "n/a",
        "commit": measured, "seed": 1, "params": {"output": "rows/baseline.ndjson"}, "status": "completed",
        "duration_ms": 1,
    }  # fmt: skip
    (tmp_path / "runs.jsonl").write_text(json.dumps(record) + "\n")
    commit(tmp_path, {"src/search/rank.py": b"2\n"})
    done = paths(capsys)
    assert (done.code, done.document["reference"], done.document["commits"]) == (1, measured, 1)


def test_paths_only_looks_back_though_a_dataset_is_not_fetched_yet(
    accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = accepted / "eval-gate.yml"
    suites = "  - {suite: longmemeval, name: lme, dataset: data/lme.json}\n"
    text = config.read_text().replace("suites:\n", f"system: {{kind: reference}}\nsuites:\n{suites}")
    config.write_text(text)
    assert paths(capsys).code == 0


def test_a_broken_configuration_is_told_as_ever(accepted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (accepted / "eval-gate.yml").write_text("version: 1\n")
    for flags in ([], ["--paths-only"]):
        assert called(capsys, "drift", *flags).code == 78


def test_a_gain_is_no_drift_and_asks_for_a_new_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository(tmp_path))
    workspace(tmp_path, baseline=losing(20), candidate=rows([1] * 40))
    done = called(capsys, "drift")
    assert done.code == 0
    assert "significantly better" in done.out
    assert "Accept this run as the new reference" in done.out


def test_a_narrowed_watch_can_find_drift_and_never_its_absence(
    accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(capsys, "drift", "--baseline", ".gate/baselines/tests/receipt.json").code == 0
    rest = accepted / "eval-gate.yml"
    two = "  - {suite: rows, name: main, rows: rows/candidate.ndjson}\n"
    rest.write_text(rest.read_text().replace(two, two + two.replace("main", "second")))
    done = called(capsys, "drift", "--suites", "main", "--json")
    assert (done.code, done.document["reason"]) == (2, "not_measured")
    commit(accepted, {"rows/candidate.ndjson": losing(20)})
    assert called(capsys, "drift", "--suites", "main").code == 1


@pytest.mark.parametrize(("worse", "code", "says"), [(0, 2, "Could not measure"), (20, 1, "Drift")])
def test_too_many_errors_are_drift_only_where_something_got_worse_beside_them(
    accepted: Path, capsys: pytest.CaptureFixture[str], worse: int, code: int, says: str
) -> None:
    """Exit code 1 stays what it is: something that was measured got worse."""
    errors = b"".join(
        json.dumps({"question_id": f"q{number:03d}", "error": "timeout"}).encode() + b"\n"
        for number in range(38, 40)
    )
    second = "  - {suite: rows, name: second, rows: rows/second.ndjson}\nbaseline:"
    commit(
        accepted,
        {
            "eval-gate.yml": WATCHED.replace("baseline:", second, 1).encode(),
            "rows/candidate.ndjson": losing(worse),
            "rows/second.ndjson": rows([1] * 38) + errors,
        },
    )
    done = called(capsys, "drift")

    assert (done.code, done.out.startswith(says)) == (code, True), done.out
    assert called(capsys, "run").code == 1
    assert called(capsys, "verify", "gate-out/receipt.json").code == 0


def test_a_limit_has_no_meaning_where_nothing_is_asked(
    accepted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert accepted
    refused = called(capsys, "drift", "--paths-only", "--limit", "5")
    assert (refused.code, "--paths-only asks no questions" in refused.err) == (64, True)
