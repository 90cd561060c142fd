"""Files that may not be read are named, with an exit code of their own kind, whichever command meets them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.permissions import unprivileged
from tests.workspaces import rows, workspace


@pytest.fixture
def shut(tmp_path: Path) -> Iterator[Path]:
    """A workspace with a folder `shut` that may not be looked into, and a ledger one of whose runs lies there."""
    workspace(tmp_path, candidate=rows([1] * 40))
    (tmp_path / "shut").mkdir()
    records = [
        {
            "schema_version": 3,
            "run_id": name,
            "ran_at": f"2026-10-0{day}T10:00:00Z",
            "suite": "longmemeval",
            "mode": "balanced",
            "commit": "abc1234",
            "seed": 42,
            "params": {"output": place},
            "status": "completed",
            "duration_ms": 1,
        }
        for day, (name, place) in enumerate((("open", "rows/candidate.ndjson"), ("shut", "shut/x.ndjson")), 1)
    ]
    (tmp_path / "ledger.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    (tmp_path / "shut").chmod(0)
    yield tmp_path
    (tmp_path / "shut").chmod(0o755)


def said(folder: Path, *arguments: str) -> tuple[int, str]:
    command = unprivileged([sys.executable, "-m", "gate", *arguments])
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["verify", "shut/receipt.json"], 65),
        (["render", "shut/receipt.json", "--as", "comment"], 65),
        (["validate", "shut/rows.ndjson"], 65),
        (["compare", "--rows", "shut/a.ndjson", "shut/b.ndjson"], 65),
        (["compare", "--input", "shut/ledger.jsonl"], 65),
        (["run", "--config", "shut/eval-gate.yml"], 78),
        (["plan", "--config", "shut/eval-gate.yml"], 78),
        (["suite", "retrieval", "--corpus", "shut/docs", "--qrels", "shut/q.tsv"], 65),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_what_may_not_be_read_is_named_and_is_no_bug(shut: Path, arguments: list[str], code: int) -> None:
    found, text = said(shut, *arguments)

    assert (found, "Traceback" in text) == (code, False), text
    assert "shut/" in text
    assert "ermission denied" in text


def test_one_run_whose_rows_may_not_be_read_leaves_the_table_of_all_runs_whole(shut: Path) -> None:
    code, text = said(shut, "compare", "--input", "ledger.jsonl", "--runs", "open,shut", "--json")

    assert code == 0, text
    assert json.loads(text)["records"][1]["run_id"] == "shut"


@pytest.mark.parametrize(("name", "code"), [("eval-gate.yml", 78), ("rows/candidate.ndjson", 65)])
def test_an_unreadable_file_has_the_exit_code_of_what_it_is(shut: Path, name: str, code: int) -> None:
    (shut / name).chmod(0)

    found, text = said(shut, "run")

    assert (found, "Permission denied" in text) == (code, True), text
