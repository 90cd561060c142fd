"""`gate suite retrieval`, called as a user calls it."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from gate.core.records.ledger import read_ledger
from gate.store.row_files import read_rows
from tests import cranfield
from tests.cli.calls import Shell
from tests.programs import everybodys_python, open_folder, searching
from tests.repositories import git, repository
from tests.scripted_system import ScriptedSystem, failed, reply
from tests.systems.servers import served

__all__ = ["open_folder"]

QUERIES = {
    "version": 1,
    "queries": [
        {"id": "q1", "query": "widget company", "relevant": ["people/alice"], "question_type": "who"},
        {"id": "q2", "query": "bicycles", "relevant": ["people/bob"], "question_type": "what"},
        {"id": "q3", "query": "gadgets", "relevant": ["people/alice"], "question_type": "what"},
    ],
}


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys)
    shell.write("docs/people/alice.md", "Alice founded the widget company in spring.")
    shell.write("docs/people/bob.md", "Bob sells gadgets and repairs bicycles.")
    shell.write("docs/people/carol.md", "Carol walks.")
    shell.write("q.json", json.dumps(QUERIES))
    return shell


CALL = ("suite", "retrieval", "--corpus", "docs", "--qrels", "q.json")


def test_queries_are_asked_and_the_means_shown_with_success_by_class(shell: Shell) -> None:
    done = shell.gate(*CALL, "-k", "1", "-k", "2")

    assert done.code == 0
    assert [
        line.split() for line in done.out.splitlines() if line.startswith(("hit@1", "mrr", "what", "who"))
    ] == [
        ["mrr", "0.6667", "3"],
        ["hit@1", "66.7", "%", "3"],
        ["what", "50.0", "%", "50.0", "%", "2"],
        ["who", "100.0", "%", "100.0", "%", "1"],
    ]
    assert "3 queries answered\n" in done.out
    table = read_rows(shell.folder / "gate-out/rows/retrieval-balanced.ndjson", name="rows")
    assert table.ids == ("q1", "q2", "q3")
    assert table.metrics["hit@1"].values.tolist() == [1, 1, 0]
    assert table.types == ("who", "what", "what")


def test_no_text_of_a_query_is_written_or_said_unless_it_may_be(shell: Shell) -> None:
    for extra, shown in (((), False), (("--show-text",), True)):
        done = shell.gate(*CALL, *extra)
        written = (shell.folder / "gate-out/rows/retrieval-balanced.ndjson").read_text()
        assert "bicycles" not in done.out + done.err
        assert ("bicycles" in written) is shown


def test_a_recorded_run_is_one_valid_line_of_the_ledger(shell: Shell) -> None:
    assert (
        shell.gate(
            *CALL, "--record", "--limit", "2", "--output", "mine.ndjson", "--mode", "conservative"
        ).code
        == 0
    )

    ledger = shell.folder / ".gbrain-evals/eval-results.jsonl"
    (record,) = read_ledger(ledger.read_bytes()).records
    (line,) = [json.loads(text) for text in ledger.read_text().splitlines()]
    assert (record.suite, record.mode, record.status, line["limit"]) == (
        "retrieval",
        "conservative",
        "completed",
        2,
    )
    assert line["params"]["knobs"] == {"limit": 10, "token_budget": 4000}
    assert line["params"]["output"] == "mine.ndjson"
    assert {"dataset_sha256", "corpus_sha256", "questions_sha256", "answer_key_sha256"} < line[
        "params"
    ].keys()
    assert line["metrics"]["hit@10"] == 1
    assert shell.gate("validate", str(ledger), "mine.ndjson").code == 0


def test_two_runs_of_the_reference_system_compare_as_identical(shell: Shell) -> None:
    for name in ("one", "two"):
        shell.gate(*CALL, "--output", f"{name}.ndjson")
    rows = [
        [{key: value for key, value in json.loads(line).items() if key != "latency_ms"} for line in lines]
        for lines in ((shell.folder / f"{name}.ndjson").read_text().splitlines() for name in ("one", "two"))
    ]
    assert rows[0] == rows[1]


def test_events_are_one_object_a_line_and_the_last_one_sums_up(shell: Shell) -> None:
    done = shell.gate(*CALL, "--json", "-k", "2")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [event["event"] for event in events if event["event"] != "progress"] == ["stage"] * 3 + [
        "complete"
    ]
    assert events[-1]["questions_run"] == 3
    assert events[-1]["documents"] == 3
    assert events[-1]["metrics"]["recall@2"] == pytest.approx(2 / 3)


def test_a_passed_deadline_is_inconclusive_and_truthful(shell: Shell) -> None:
    done = shell.gate(*CALL, "--deadline", "0")
    assert done.code == 2
    assert "0 queries answered, 3 not asked" in done.out
    assert "deadline: 3 queries" in done.err
    rows = read_rows(shell.folder / "gate-out/rows/retrieval-balanced.ndjson", name="rows")
    assert rows.shortfalls == {"deadline": 3}


def test_a_guard_that_fails_is_a_failure(shell: Shell) -> None:
    done = shell.gate(*CALL, "--require", "vector", "--record")
    assert done.code == 1
    assert "vector_degraded: 3 queries" in done.err
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.status == "failed"


def test_what_the_configuration_requires_holds_here_too(shell: Shell) -> None:
    shell.write("eval-gate.yml", config("{kind: reference}") + "require: [vector]\n")
    done = shell.gate(*CALL)
    assert (done.code, "vector_degraded: 3 queries" in done.err) == (1, True)
    shell.write("other.yml", config("{kind: reference}"))
    assert shell.gate(*CALL, "--config", "other.yml").code == 0


def test_what_a_reader_must_know_is_said(shell: Shell) -> None:
    assert "k = 10 reaches all 3 documents" in shell.gate(*CALL).err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--corpus", "nowhere", "--qrels", "q.json"), 65, "there is no such corpus"),
        (("--corpus", "docs", "--qrels", "nowhere"), 65, "there is no such file"),
        (("--corpus", "docs", "--qrels", "docs/people/bob.md"), 65, "expected query, document and grade"),
        (("--corpus", "docs"), 64, "Missing option '--qrels'"),
        (("--corpus", "docs", "--qrels", "q.json", "-k", "0"), 64, "Invalid value"),
        (("--corpus", "docs", "--qrels", "q.json", "--mode", "turbo"), 78, "has no mode 'turbo'"),
        (("--corpus", "docs", "--qrels", "q.json", "--config", "nowhere.yml"), 78, "nowhere.yml"),
        (("--corpus", "docs", "--qrels", "q.json", "--output", "q.json/x"), 69, "rows cannot be written"),
    ],
)
def test_what_is_wrong_is_said_with_its_exit_code(
    shell: Shell, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = shell.gate("suite", "retrieval", *arguments)
    assert done.code == code
    assert said in done.err


def test_judgements_without_texts_need_queries(shell: Shell) -> None:
    shell.write("test.tsv", "query-id\tcorpus-id\tscore\nq1\tpeople/alice\t1\n")
    call = ("suite", "retrieval", "--corpus", "docs", "--qrels", "test.tsv")
    assert "nothing says what the query 'q1' asks" in shell.gate(*call).err
    shell.write("queries.jsonl", '{"_id": "q1", "text": "widget company"}\n')
    assert shell.gate(*call, "--queries", "queries.jsonl").code == 0


def test_a_beir_folder_brings_its_queries(shell: Shell) -> None:
    shell.write("nq/corpus.jsonl", '{"_id": "a", "title": "", "text": "widget"}\n')
    shell.write("nq/queries.jsonl", '{"_id": "q1", "text": "widget"}\n')
    shell.write("nq/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t2\n")
    assert shell.gate("suite", "retrieval", "--corpus", "nq", "--qrels", "nq/qrels/test.tsv").code == 0


def test_inputs_may_lie_outside_of_the_repository(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.folder / "repository/.git").mkdir(parents=True)
    monkeypatch.chdir(shell.folder / "repository")
    assert (
        shell.gate("suite", "retrieval", "--corpus", "../docs", "--qrels", "../q.json", "--record").code == 0
    )
    assert Path(".gbrain-evals/eval-results.jsonl").exists()


def test_an_input_that_is_wrong_is_named_as_it_was_given(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write("bad.json", "{")
    shell.write("bad/a.md", b"\xff")
    (shell.folder / "repository/.git").mkdir(parents=True)
    monkeypatch.chdir(shell.folder / "repository")
    whole = str(shell.folder / "bad.json")
    for qrels in ("../bad.json", whole, "../gone.json"):
        done = shell.gate("suite", "retrieval", "--corpus", "../docs", "--qrels", qrels)
        assert (done.code, f"error: {qrels}: " in done.err) == (65, True), done.err
    done = shell.gate("suite", "retrieval", "--corpus", "../bad", "--qrels", "../q.json")
    assert (done.code, "error: ../bad: a.md: " in done.err) == (65, True), done.err


def config(system: str) -> str:
    return f"""
version: 1
system: {system}
suites: [{{suite: retrieval, corpus: docs, qrels: q.json}}]
rules: [{{metric: "ndcg@10", rule: threshold, at-least: 0.1}}]
"""


def test_the_configurations_system_is_asked(shell: Shell) -> None:
    system = ScriptedSystem({"q1": reply(("people/alice", 1.0)), "q2": failed("garbage")})
    with served(system) as server:
        shell.write("eval-gate.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1}}'))
        done = shell.gate(*CALL)
    assert done.code == 0
    assert "2 queries answered, 1 with errors" in done.out
    assert (
        "system" in read_rows(shell.folder / "gate-out/rows/retrieval-balanced.ndjson", name="r").fingerprints
    )


def test_a_system_that_is_not_there_fails_with_every_query_an_error(shell: Shell) -> None:
    shell.write(
        "here.yml", config('{kind: http, url: "http://127.0.0.1:9", attempts: 1, start-timeout: 0.1}')
    )
    done = shell.gate(*CALL, "--config", "here.yml")
    assert done.code == 1
    assert "suite_failed: 3 queries" in done.err
    rows = read_rows(shell.folder / "gate-out/rows/retrieval-balanced.ndjson", name="rows")
    assert rows.errored.tolist() == [True] * 3


SLOW = """
import time
def search(query, known):
    time.sleep(0.02)
    return {"hits": [{"doc_id": name, "score": 1.0, "rank": rank} for rank, name in enumerate(sorted(known), 1)][:2]}
"""


def anybody_works_in(folder: Path) -> bool:
    """Whether a process is left that was started there."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == folder:
                return True
    return False


KILLS = [
    (number, wait) for number in (signal.SIGTERM, signal.SIGKILL) for wait in (0.0, 0.07, 0.21, 0.5, 1.1)
]


@pytest.mark.parametrize(("number", "moment"), [*KILLS, (signal.SIGINT, 0.3)])
def test_a_run_killed_at_any_moment_keeps_its_rows_and_leaves_a_truthful_file(
    open_folder: Path, number: signal.Signals, moment: float
) -> None:
    program = open_folder / "program.py"
    program.write_text(searching(SLOW))
    shell_config = config(f"{{kind: command, run: [{everybodys_python()}, -I, program.py]}}")
    (open_folder / "eval-gate.yml").write_text(shell_config)
    (open_folder / "docs").mkdir()
    for page in range(5):
        (open_folder / f"docs/p{page}.md").write_text("page")
    queries = [{"id": f"q{n}", "query": "page", "relevant": ["p1"]} for n in range(200)]
    (open_folder / "q.json").write_text(json.dumps({"version": 1, "queries": queries}))
    rows = open_folder / "gate-out/rows/retrieval-balanced.ndjson"
    started = subprocess.Popen(
        [sys.executable, "-m", "gate", *CALL, "--record"],
        cwd=open_folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.defpath, "PYTHONPATH": str(Path(__file__).parents[2]), "TMPDIR": str(open_folder)},
    )
    for _ in range(500):
        if rows.exists() and rows.stat().st_size > 1_000:
            break
        time.sleep(0.02)
    time.sleep(moment)
    started.send_signal(number)
    code = started.wait(30)

    if number is signal.SIGKILL:
        assert code == -9
    else:
        assert code == {signal.SIGTERM: 143, signal.SIGINT: 130}[number]
    table = read_rows(rows, name="rows")
    assert 1 <= len(table) < 200
    assert table.ids == tuple(f"q{n}" for n in range(len(table)))
    assert table.shortfalls == {"cancelled": 200 - len(table)}
    if number is not signal.SIGKILL:
        assert not anybody_works_in(open_folder)
        (record,) = read_ledger((open_folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
        said = f"cancelled: {200 - len(table)} of 200 queries were not asked"
        assert (record.status, record.raw["error"]) == ("failed", said)


@cranfield.needs_cranfield
def test_cranfield_reaches_its_ndcg_from_the_command_line(shell: Shell) -> None:
    lines = [
        json.dumps({"_id": page.id, "title": page.title, "text": page.text}) for page in cranfield.documents()
    ]
    shell.write("nq/corpus.jsonl", "\n".join(lines))
    shell.write(
        "nq/queries.jsonl",
        "\n".join(json.dumps({"_id": q, "text": t}) for q, t in cranfield.queries().items()),
    )
    judged = [f"{q} 0 {d} {grade}" for q, grades in cranfield.qrels().items() for d, grade in grades.items()]
    shell.write("cran.qrels", "\n".join(judged))

    done = shell.gate("suite", "retrieval", "--corpus", "nq", "--qrels", "cran.qrels", "--json")

    last = json.loads(done.out.splitlines()[-1])
    assert last["questions_run"] == 225
    assert last["metrics"]["ndcg@10"] >= 0.36


def test_a_disk_that_fills_up_leaves_whole_rows_and_an_honest_error(shell: Shell) -> None:
    queries = [{"id": f"q{n}", "query": "widget", "relevant": ["people/alice"]} for n in range(200)]
    shell.write("many.json", json.dumps({"version": 1, "queries": queries}))
    rows = shell.folder / "gate-out/rows/retrieval-balanced.ndjson"
    call = "suite retrieval --corpus docs --qrels many.json"

    done = subprocess.run(
        ["bash", "-c", f'ulimit -f 8; exec "{sys.executable}" -B -m gate {call}'],
        cwd=shell.folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.defpath, "PYTHONPATH": str(Path(__file__).parents[2])},
    )

    assert done.returncode == 69
    assert "rows cannot be written (File too large)" in done.stderr
    assert "Traceback" not in done.stderr
    table = read_rows(rows, name="rows")
    assert 1 <= len(table) < 200
    assert table.shortfalls == {"cancelled": 200 - len(table)}


def test_a_record_says_which_commit_the_judgements_come_from(shell: Shell) -> None:
    repository(shell.folder, {"README.md": b"hello\n"})
    head = git(shell.folder, "rev-parse", "HEAD")
    assert shell.gate(*CALL, "--record").code == 0
    shell.write("q.json", json.dumps(QUERIES).replace("gadgets", "gadget"))
    assert shell.gate(*CALL, "--record").code == 0
    ledger = shell.folder / ".gbrain-evals/eval-results.jsonl"
    first, second = read_ledger(ledger.read_bytes()).records
    assert first.params["dataset_commit"] == head
    assert "dataset_commit" not in second.params  # the file is no longer as it was committed
