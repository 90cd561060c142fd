import json
import random  # noqa: TID251 - the random moments of a test
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gate.core.longmemeval.row_file import kept_of
from gate.core.longmemeval.splits import sample
from gate.core.records.ledger import read_ledger
from gate.store.row_files import read_rows
from tests.cli.calls import Shell
from tests.longmemeval_files import array, document, lines

DATA = Path(__file__).parents[3] / "shared" / "data" / "gbrain"
VOLATILE = ("latency_ms",)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a finished file without what the clock decides."""
    objects = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        {key: value for key, value in each.items() if key not in VOLATILE}
        for each in objects
        if "question_id" in each
    ]


def ids(path: Path) -> list[str]:
    return [row["question_id"] for row in rows_of(path)]


def summary(path: Path) -> dict[str, Any]:
    last: dict[str, Any] = json.loads(path.read_text().splitlines()[-1])
    assert last["kind"] == "by_type_summary"
    return last


def dataset(shell: Shell, count: int = 12) -> str:
    array(shell.folder / "data.json", [document(number) for number in range(count)])
    return "data.json"


def suite(shell: Shell, *arguments: str) -> Any:
    return shell.gate("suite", "longmemeval", *arguments)


def test_the_published_small_datasets_run_on_the_reference_system(shell: Shell) -> None:
    for name in ("longmemeval-mini.jsonl", "outputs/longmemeval-nightly.jsonl"):
        if not (DATA / name).exists():
            pytest.skip("the published datasets lie in ../shared, which is not here")
        assert suite(shell, str(DATA / name), "--output", "rows.ndjson").code == 0
        table = read_rows(shell.folder / "rows.ndjson", name="rows")
        assert table.metrics["recall_all@k"].present.all()
        assert table.fingerprints["k"] == "5"


def test_rows_are_written_where_the_gate_looks_for_them_and_two_runs_agree(shell: Shell) -> None:
    data = dataset(shell)
    first = suite(shell, data)
    assert first.code == 0
    assert "all, k = 5" in first.out
    path = shell.folder / "gate-out" / "rows" / "longmemeval-balanced.ndjson"
    once = rows_of(path)
    assert suite(shell, data, "--jobs", "5").code == 0
    assert rows_of(path) == once
    assert summary(path)["complete"] is True


def test_no_text_of_a_question_is_written_or_said_unless_asked_for(shell: Shell) -> None:
    array(
        shell.folder / "data.json", [document(1) | {"question": "the gin of Mallory?", "answer": "Mallory"}]
    )
    call = suite(shell, "data.json", "--output", "rows.ndjson")
    assert "Mallory" not in (shell.folder / "rows.ndjson").read_text() + call.out + call.err
    assert suite(shell, "data.json", "--output", "rows.ndjson", "--show-text").code == 0
    assert "Mallory" in (shell.folder / "rows.ndjson").read_text()


def test_a_limit_draws_the_same_questions_for_the_same_seed(shell: Shell) -> None:
    data = dataset(shell)
    suite(shell, data, "--limit", "5", "--seed", "7", "--output", "rows.ndjson")
    drawn = ids(shell.folder / "rows.ndjson")
    assert sorted(drawn) == list(sample([f"q{number:03}" for number in range(12)], 5, 7))


def test_question_ids_choose_and_unknown_ones_are_refused(shell: Shell) -> None:
    data = dataset(shell)
    shell.write("ids.txt", "q003\nq001\n")
    assert suite(shell, data, "--question-ids", "ids.txt", "--output", "rows.ndjson").code == 0
    assert ids(shell.folder / "rows.ndjson") == ["q001", "q003"]
    for content, said in (
        (b"q999\n", "no question 'q999'"),
        (b"", "no question is named"),
        (b"\xff", "UTF-8"),
    ):
        shell.write("ids.txt", content)
        call = suite(shell, data, "--question-ids", "ids.txt", "--output", "other.ndjson")
        assert call.code == 65
        assert said in call.err


def test_shards_together_are_the_unsharded_run(shell: Shell) -> None:
    data = dataset(shell, 40)
    suite(shell, data, "--output", "whole.ndjson")
    whole = {row["question_id"]: row for row in rows_of(shell.folder / "whole.ndjson")}
    found: dict[str, Any] = {}
    for number in (1, 2, 3):
        assert suite(shell, data, "--shard", f"{number}/3").code == 0
        part = rows_of(shell.folder / "gate-out" / "rows" / f"longmemeval-balanced.{number}-of-3.ndjson")
        assert not found.keys() & {row["question_id"] for row in part}
        found |= {row["question_id"]: row for row in part}
    assert found == whole


def test_a_run_is_recorded_with_its_digests(shell: Shell) -> None:
    data = dataset(shell)
    assert suite(shell, data, "--record", "--output", "out/rows.ndjson").code == 0
    (record,) = read_ledger((shell.folder / ".gbrain-evals" / "eval-results.jsonl").read_bytes()).records
    assert (record.suite, record.mode, record.output) == ("longmemeval", "balanced", "out/rows.ndjson")
    shell.write("unrelated", "")
    compared = shell.gate("compare", "--rows", "out/rows.ndjson", "out/rows.ndjson")
    assert compared.code in (0, 2)


def test_a_dataset_with_another_digest_is_refused(shell: Shell) -> None:
    call = suite(shell, dataset(shell), "--sha256", "0" * 64)
    assert call.code == 65
    assert "its sha256 is" in call.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--shard", "3/2"], 64, "is no shard"),
        (["--mode", "turbo"], 78, "no mode 'turbo'"),
        (["--answers"], 78, "does not answer"),
        (["-k", "51"], 78, "at most 50 chunks"),
        (["--deadline", "0", "--output", "rows.ndjson"], 2, "deadline: 12 of 12 questions were not asked"),
        (["--require", "reranker"], 1, "reranker_fell_open: 12 questions"),
    ],
)
def test_what_cannot_be_or_was_not_done_has_its_exit_code(
    shell: Shell, arguments: list[str], code: int, said: str
) -> None:
    call = suite(shell, dataset(shell), *arguments)
    assert call.code == code
    assert said in call.err


def test_a_run_that_met_its_deadline_goes_on_from_there(shell: Shell) -> None:
    data = dataset(shell)
    assert suite(shell, data, "--deadline", "0", "--output", "rows.ndjson").code == 2
    assert summary(shell.folder / "rows.ndjson")["complete"] is False
    assert suite(shell, data, "--resume", "--output", "rows.ndjson").code == 0
    assert len(ids(shell.folder / "rows.ndjson")) == 12
    assert summary(shell.folder / "rows.ndjson")["complete"] is True


def test_json_is_one_event_a_line(shell: Shell) -> None:
    call = suite(shell, dataset(shell), "--json", "--output", "rows.ndjson")
    events = [json.loads(line) for line in call.out.splitlines()]
    assert events[0]["event"] == "stage"
    assert events[-1]["event"] == "complete"
    assert events[-1]["questions_run"] == 12


def torn(shell: Shell, path: Path, rows: int) -> None:
    """Leave of a finished file what a kill would: its first rows, and half of the next."""
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[: rows + 1]) + whole[rows + 1][:20])
    assert shell.folder in path.parents


def test_an_unfinished_run_is_neither_overwritten_nor_continued_as_another(shell: Shell) -> None:
    data, path = dataset(shell), shell.folder / "rows.ndjson"
    suite(shell, data, "--output", "rows.ndjson")
    torn(shell, path, 4)
    before = path.read_bytes()
    refused = suite(shell, data, "--output", "rows.ndjson")
    assert (refused.code, "unfinished run, 4 rows" in refused.err) == (64, True)
    for other in (["-k", "3"], ["--mode", "tokenmax"], ["--limit", "3"], ["--shard", "1/2"], ["--show-text"]):
        call = suite(shell, data, "--resume", "--output", "rows.ndjson", *other)
        assert (call.code, "begun as another run" in call.err) == (65, True)
    array(shell.folder / "data.json", [document(number) for number in range(13)])
    assert "dataset_sha256" in suite(shell, data, "--resume", "--output", "rows.ndjson").err
    assert path.read_bytes() == before


def test_a_torn_run_goes_on_and_says_what_was_lost(shell: Shell) -> None:
    data, path = dataset(shell), shell.folder / "rows.ndjson"
    suite(shell, data, "--output", "rows.ndjson")
    whole = rows_of(path)
    torn(shell, path, 4)
    call = suite(shell, data, "--resume", "--output", "rows.ndjson")
    assert call.code == 0
    assert "continued after 4 of 12 rows" in call.err
    assert "20 bytes of a torn last line dropped" in call.err
    assert rows_of(path) == whole


def test_errors_are_tried_again_on_resume(shell: Shell) -> None:
    data, path = dataset(shell), shell.folder / "rows.ndjson"
    suite(shell, data, "--output", "rows.ndjson")
    whole = rows_of(path)
    with path.open("a") as file:
        file.write('{"question_id":"q004","error":"timeout: none"}\n')
    assert suite(shell, data, "--resume", "--output", "rows.ndjson").code == 0
    assert rows_of(path) == whole


def test_a_file_that_is_something_else_is_not_touched(shell: Shell) -> None:
    data = dataset(shell)
    shell.write("notes.md", "# mine\n")
    for extra in ([], ["--resume"]):
        call = suite(shell, data, "--output", "notes.md", *extra)
        assert (call.code, "something else" in call.err) == (64, True)
    assert (shell.folder / "notes.md").read_text() == "# mine\n"


def test_a_run_killed_within_its_first_line_begins_anew(shell: Shell) -> None:
    data = dataset(shell)
    shell.write("rows.ndjson", '{"kind":"run_in')
    assert suite(shell, data, "--resume", "--output", "rows.ndjson").code == 0
    assert len(ids(shell.folder / "rows.ndjson")) == 12


def start(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "gate", "suite", "longmemeval", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait_for_rows(path: Path, process: "subprocess.Popen[bytes]", count: int) -> None:
    """Return when the file has so many more lines, or the process has ended."""
    while process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.002)


def slow_dataset(shell: Shell) -> str:
    """Questions that take the reference system a few milliseconds each."""
    filler = {"role": "assistant", "content": " ".join(f"word{number}" for number in range(4_000))}
    documents = [document(number) for number in range(200)]
    for each in documents:
        sessions: Any = each["haystack_sessions"]
        sessions[0]["turns"].append(filler)
    lines(shell.folder / "data.jsonl", documents)
    return "data.jsonl"


def test_a_run_killed_at_twenty_random_moments_loses_and_doubles_no_row(shell: Shell) -> None:
    data, path = slow_dataset(shell), shell.folder / "rows.ndjson"
    chance = random.Random(20)  # noqa: S311 - no secret hangs on it
    kills, before = 0, {}
    while kills < 20:
        lines_before = path.read_bytes().count(b"\n") if path.exists() else 0
        process = start(shell.folder, data, "--output", "rows.ndjson", "--resume")
        wait_for_rows(path, process, lines_before + chance.randrange(5))
        time.sleep(chance.random() * 0.03)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "the run was over before it could be killed"
        kills += 1
        kept = kept_of(path.read_bytes())
        assert {name: kept.rows[name] for name in before} == before
        assert (kept.doubled, kept.unreadable, kept.summed) == (0, 0, False)
        before = dict(kept.rows)
    assert 0 < len(before) < 200
    assert suite(shell, data, "--output", "rows.ndjson", "--resume").code == 0
    assert suite(shell, data, "--output", "whole.ndjson").code == 0
    assert rows_of(path) == rows_of(shell.folder / "whole.ndjson")
    assert ids(path) == [f"q{number:03}" for number in range(200)]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_cancelled_run_keeps_its_rows_and_says_that_it_was_cancelled(
    shell: Shell, number: signal.Signals, code: int
) -> None:
    data, path = slow_dataset(shell), shell.folder / "rows.ndjson"
    process = start(shell.folder, data, "--output", "rows.ndjson", "--record")
    wait_for_rows(path, process, 5)
    process.send_signal(number)
    said = process.communicate()[1].decode()
    assert process.returncode == code
    assert "cancelled:" in said
    assert 0 < summary(path)["questions_run"] < 200
    (record,) = read_ledger((shell.folder / ".gbrain-evals" / "eval-results.jsonl").read_bytes()).records
    assert record.status == "failed"
    assert suite(shell, data, "--output", "rows.ndjson", "--resume").code == 0
    assert len(ids(path)) == 200
