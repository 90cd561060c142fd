"""`gate import`: what people have becomes rows that the gate reads and compares."""

import json
from pathlib import Path

import pytest

from gate.store.row_files import read_rows
from tests.cli.calls import Shell
from tests.core.imports.test_promptfoo import result

RUN = "q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d3 1 1 t\n"
QRELS = "q1 0 d2 1\nq2 0 d3 1\n"


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys)
    shell.write("run.txt", RUN)
    shell.write("qrels.txt", QRELS)
    return shell


def test_a_run_and_judgements_become_rows(shell: Shell) -> None:
    done = shell.gate(
        "import", "trec", "run.txt", "qrels.txt", "-k", "1", "-k", "5", "--output", "rows.ndjson"
    )
    assert (done.code, done.err) == (0, "")
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert table.ids == ("q1", "q2")
    assert table.metrics["mrr"].values.tolist() == [0.5, 1.0]
    assert table.metrics["hit@1"].values.tolist() == [0.0, 1.0]
    assert (table.fingerprints["k"], len(table.fingerprints["dataset_sha256"])) == ("5", 64)
    assert table.gold_ranks is not None
    assert table.gold_ranks.tolist() == [2, 1]


def test_imported_rows_can_be_compared(shell: Shell) -> None:
    shell.write("better.txt", RUN.replace("d2 2 1", "d2 2 3"))
    for run in ("run", "better"):
        assert shell.gate("import", "trec", f"{run}.txt", "qrels.txt", "--output", f"{run}.ndjson").code == 0
    assert shell.gate("compare", "--rows", "run.ndjson", "better.ndjson", "--json").code == 0


@pytest.mark.parametrize("run", [RUN, json.dumps({"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}})])
def test_a_beir_folder_and_a_run_in_either_shape_become_the_same_rows(shell: Shell, run: str) -> None:
    shell.write("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td3\t1\n")
    shell.write("beir/queries.jsonl", '{"_id":"q1","text":"one"}\n{"_id":"q2","text":"two"}\n')
    shell.write("any.run", run)
    assert shell.gate("import", "beir", "beir", "any.run", "--output", "rows.ndjson").code == 0
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert table.metrics["mrr"].values.tolist() == [0.5, 1.0]
    assert b"one" not in (shell.folder / "rows.ndjson").read_bytes()


def test_promptfoo_s_results_become_rows(shell: Shell) -> None:
    results = [result(), result("Oslo", failureReason=2, error="secret")]
    shell.write("results.json", json.dumps({"results": {"results": results}}))
    done = shell.gate("import", "promptfoo", "results.json", "--output", "rows.ndjson")
    assert done.out == "2 rows, 1 of them errors: rows.ndjson\n"
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert table.errored.tolist() == [False, True]
    assert set(table.metrics) == {"pass", "score", "latency_ms", "cost_usd"}


def test_what_was_left_out_is_said(shell: Shell) -> None:
    shell.write("run.txt", RUN + "q9 Q0 d1 1 1 t\n")
    done = shell.gate("import", "trec", "run.txt", "qrels.txt", "--output", "rows.ndjson")
    assert done.err == "1 queries of the run are not judged: left out\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("trec", "no.txt", "qrels.txt"), "no.txt: cannot be read"),
        (("trec", "qrels.txt", "qrels.txt"), "qrels.txt: line 1: expected query, Q0"),
        (("trec", "run.txt", "run.txt"), "run.txt: line 1"),
        (("promptfoo", "run.txt"), "run.txt: no valid JSON"),
    ],
)
def test_a_file_that_is_something_else_is_named(shell: Shell, arguments: tuple[str, ...], said: str) -> None:
    done = shell.gate("import", *arguments, "--output", "rows.ndjson")
    assert done.code == 65
    assert said in done.err
    assert not (shell.folder / "rows.ndjson").exists()


def test_a_beir_query_without_a_text_is_named(shell: Shell) -> None:
    shell.write("beir/qrels/test.tsv", "q1\td2\t1\n")
    shell.write("beir/queries.jsonl", "")
    done = shell.gate("import", "beir", "beir", "run.txt", "--output", "rows.ndjson")
    assert (done.code, "queries.jsonl: nothing says what the query 'q1' asks" in done.err) == (65, True)
