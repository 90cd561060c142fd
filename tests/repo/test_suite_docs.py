"""The commands that the suites' pages show end as a reader expects, on files of the names they show."""

import json
import shlex
from pathlib import Path

import pytest

from tests.core.brainbench.results import result_object
from tests.core.imports.test_promptfoo import result
from tests.core.replay.captures import lines as capture_lines
from tests.core.replay.captures import row
from tests.longmemeval_files import array, document
from tests.program import gate
from tests.repo.test_command_docs import lines

DOCS = Path(__file__).parents[2] / "docs"
NEEDS_MORE = ("--gbrain", "gate ledger show RUN", "$", " fetch ")
"""What only a reader has: gbrain, the name of a run, a shell with variables, a network."""

SHOWN = {
    page: [
        line for line in lines((DOCS / f"{page}.md").read_text()) if not any(w in line for w in NEEDS_MORE)
    ]
    for page in ("retrieval", "replay", "brainbench", "import", "ledger", "run-all")
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/bob.md").write_text("Bob repairs bicycles.")
    (tmp_path / "docs/eve.md").write_text("Eve sings.")
    judged = {"version": 1, "queries": [{"query": "bicycles", "relevant": ["bob"]}]}
    (tmp_path / "qrels.json").write_text(json.dumps(judged))
    captured = row("bicycles", id=None, retrieved_slugs=["bob"], latency_ms=1000)
    (tmp_path / "captures.ndjson").write_bytes(capture_lines(captured))
    array(tmp_path / "lme.json", [document(number) for number in range(2)])
    (tmp_path / "brainbench.json").write_text(json.dumps(result_object()))
    for run in ("run.txt", "base.txt"):
        (tmp_path / run).write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d2 1\n")
    (tmp_path / "beir-folder/qrels").mkdir(parents=True)
    (tmp_path / "beir-folder/qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n")
    (tmp_path / "beir-folder/queries.jsonl").write_text('{"_id":"q1","text":"one"}\n')
    (tmp_path / "results.json").write_text(json.dumps({"results": {"results": [result()]}}))
    return tmp_path


@pytest.mark.parametrize("page", SHOWN)
def test_the_commands_of_a_page_work(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if page == "brainbench":  # the baseline has to be written before it can be compared with
        (folder / "evals").mkdir()
        SHOWN[page].sort(key=lambda line: "--write-baseline" not in line)
    if page == "ledger":
        recorded = ("suite", "retrieval", "--corpus", "docs", "--qrels", "qrels.json", "--record")
        assert gate(capsys, *recorded).code == 0
    for line in SHOWN[page]:
        done = gate(capsys, *shlex.split(line)[1:])
        assert done.code == 0, f"{line}\n{done.out}{done.err}"


def test_every_page_shows_commands() -> None:
    assert {page: len(shown) > 0 for page, shown in SHOWN.items()} == dict.fromkeys(SHOWN, True)
