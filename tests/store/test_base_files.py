import json
from pathlib import Path

import pytest

from gate.core.plan import FileRef
from gate.errors import EvidenceError
from gate.ledgers.jsonl import JsonlLedger
from gate.ports import NotHereError, UnusableReceiptError
from gate.store.base_files import BaseFiles
from gate.store.git_tree import GitTree
from gate.store.workspace_files import RowFiles, WorkspaceFiles
from tests.program import gate
from tests.repositories import commit, git, merged, repository
from tests.workspaces import rows, workspace

LINE = json.dumps({"run_id": "r", "mode": "balanced", "suite": "s"}).encode() + b"\n"


def base_files(folder: Path) -> BaseFiles:
    """The pull request's merge is checked out; `main` is its base."""
    head = merged(folder)
    disk = WorkspaceFiles(folder, lambda path: JsonlLedger(path).read())
    return BaseFiles(GitTree(folder), base=git(folder, "rev-parse", "main"), head=head, disk=disk)


def branch(folder: Path, **files: bytes | None) -> BaseFiles:
    git(folder, "checkout", "-q", "-b", "feature")
    commit(folder, {name.replace("__", "/"): data for name, data in files.items()})
    return base_files(folder)


def test_a_pull_request_cannot_rewrite_the_baseline_it_is_judged_by(tmp_path: Path) -> None:
    repository(tmp_path, {"rows": b"the base's rows\n", "l.jsonl": LINE})
    files = branch(tmp_path, rows=b"rewritten\n", **{"l.jsonl": LINE * 3})

    assert files.pin("rows").bytes == len(b"the base's rows\n")
    assert files.pin("rows").commit == git(tmp_path, "rev-parse", "main")
    assert len(files.ledger("l.jsonl").records) == 1


def test_a_pull_request_cannot_bring_its_own_baseline(tmp_path: Path) -> None:
    repository(tmp_path)
    files = branch(tmp_path, rows=b"planted\n", **{"l.jsonl": LINE, "receipt.json": b"{}"})

    with pytest.raises(EvidenceError, match="only this pull request has it"):
        files.pin("rows")
    assert files.ledger("l.jsonl").missing
    with pytest.raises(UnusableReceiptError) as refused:
        files.receipt("receipt.json")
    assert refused.value.reason == "no_baseline"


def test_a_baseline_that_the_pull_request_deletes_still_judges_it(tmp_path: Path) -> None:
    repository(tmp_path, {"rows": b"kept\n"})
    files = branch(tmp_path, rows=None)

    assert files.pin("rows").bytes == 5


def test_what_the_workflow_put_there_is_read_from_disk(tmp_path: Path) -> None:
    repository(tmp_path)
    files = branch(tmp_path, other=b"x")
    (tmp_path / "restored").write_bytes(b"from a cache\n")
    (tmp_path / "l.jsonl").write_bytes(LINE)

    assert (files.pin("restored").commit, files.pin("restored").bytes) == (None, 13)
    assert len(files.ledger("l.jsonl").records) == 1


def test_paths_with_detours_mean_the_same_file(tmp_path: Path) -> None:
    repository(tmp_path, {"a/rows": b"x"})
    files = branch(tmp_path, other=b"x")

    assert files.pin("a/../a/./rows").path == "a/rows"


def test_an_accepted_baseline_gives_receipt_and_rows_from_the_same_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    repository(tmp_path)
    workspace(tmp_path)
    gate(capsys, "run")
    gate(capsys, "baseline", "accept", "gate-out/receipt.json", "--note", "first")
    commit(tmp_path, {".gitignore": b"gate-out/\n"})
    where = ".gate/baselines/tests/receipt.json"
    planted = {".gate/baselines/tests/rows/main.candidate.ndjson": rows([0] * 40)}
    git(tmp_path, "checkout", "-q", "-b", "feature")
    commit(tmp_path, planted)
    files = base_files(tmp_path)

    report = files.receipt(where)
    copy = report.suites[0].candidate.copy
    assert copy is not None
    kept = files.kept_rows(where, copy)
    table = RowFiles(tmp_path, frozenset(), GitTree(tmp_path)).read(kept)

    assert kept.commit == git(tmp_path, "rev-parse", "main")
    assert table.metrics["hit"].values.tolist() == [1.0] * 40


def test_rows_that_do_not_belong_to_the_receipt_are_refused(tmp_path: Path) -> None:
    repository(tmp_path, {"b/receipt.json": b"{}", "b/rows/a.ndjson": b"other\n"})
    files = branch(tmp_path, other=b"x")

    with pytest.raises(EvidenceError, match="changed since the receipt"):
        files.kept_rows("b/receipt.json", FileRef(path="gate-out/rows/a.ndjson", sha256="0" * 64, bytes=1))


def test_a_fetched_receipt_keeps_its_rows_beside_it(tmp_path: Path) -> None:
    repository(tmp_path)
    files = branch(tmp_path, other=b"x")
    (tmp_path / "fetched" / "rows").mkdir(parents=True)
    (tmp_path / "fetched" / "receipt.json").write_bytes(b"{}")
    (tmp_path / "fetched" / "rows" / "a.ndjson").write_bytes(b"x")
    pinned = files.pin("fetched/rows/a.ndjson")

    assert files.kept_rows("fetched/receipt.json", pinned) == pinned


@pytest.mark.parametrize(("data", "reason"), [(b"{", "invalid_receipt"), (b"[]", "invalid_receipt")])
def test_a_broken_receipt_of_the_base_is_invalid(data: bytes, reason: str, tmp_path: Path) -> None:
    repository(tmp_path, {"receipt.json": data})
    files = branch(tmp_path, other=b"x")

    with pytest.raises(UnusableReceiptError) as refused:
        files.receipt("receipt.json")
    assert refused.value.reason == reason


def test_rows_of_a_commit_that_is_not_here_are_said(tmp_path: Path) -> None:
    repository(tmp_path)
    head = git(tmp_path, "rev-parse", "HEAD")
    gone = FileRef(path="none", sha256="0" * 64, bytes=1, commit=head)

    with pytest.raises(NotHereError, match="none of"):
        RowFiles(tmp_path, frozenset(), GitTree(tmp_path)).read(gone)
    with pytest.raises(NotHereError):
        RowFiles(tmp_path, frozenset()).read(gone)


def test_a_file_is_there_where_the_base_has_it_or_the_workflow_put_it(tmp_path: Path) -> None:
    repository(tmp_path, {"base.json": b"1", "gone.json": b"2"})
    files = branch(tmp_path, **{"mine.json": b"3", "gone.json": None})
    (tmp_path / "put.json").write_bytes(b"4")

    assert [files.has(name) for name in ("base.json", "gone.json", "./put.json")] == [True] * 3
    assert [files.has(name) for name in ("mine.json", "nowhere.json")] == [False] * 2
