import json
import random  # noqa: TID251 - the random moments of a test
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gate.core.longmemeval.row_file import kept_of
from gate.core.longmemeval.splits import sample
from gate.core.records.ledger import RunRecord, read_ledger
from gate.store.row_files import read_rows
from gate.systems.reference import ReferenceSystem
from tests.cli.calls import Shell
from tests.gbrain_runs import told
from tests.longmemeval_files import array, document, lines
from tests.program import spawn
from tests.programs import ROOT, everybodys_python, open_folder, searching
from tests.repositories import git, repository
from tests.systems.servers import served

__all__ = ["open_folder"]

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


def records(shell: Shell) -> list[RunRecord]:
    return list(read_ledger((shell.folder / ".gbrain-evals" / "eval-results.jsonl").read_bytes()).records)


CONFIG = """version: 1
system: {kind: %s}
suites: [{suite: rows, name: any, rows: rows.ndjson}]
rules: [{metric: "recall_all@k", rule: threshold, at-least: 0}]
"""


def first_line(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text().splitlines()[0])
    return found


def test_the_configured_service_is_asked_one_question_at_a_time_and_answers_alike(shell: Shell) -> None:
    data = dataset(shell)
    suite(shell, data, "--output", "ours.ndjson")
    with served(ReferenceSystem()) as server:
        shell.write("eval-gate.yml", CONFIG % f'http, url: "{server.url}"')
        assert suite(shell, data, "--output", "rows.ndjson", "--record").code == 0
        refused = suite(shell, data, "--output", "rows.ndjson", "--jobs", "2")
    assert rows_of(shell.folder / "rows.ndjson") == rows_of(shell.folder / "ours.ndjson")
    assert (refused.code, "one question at a time" in refused.err) == (64, True)
    assert first_line(shell.folder / "rows.ndjson")["run"]["system"] == "reference"
    assert records(shell)[0].status == "completed"


ALL_SESSIONS = """
def search(query, known):
    hits = [{"doc_id": name, "score": 1.0, "rank": rank} for rank, name in enumerate(sorted(known), 1)]
    return {"hits": hits[: query["k"]]}
"""


def test_a_configured_program_has_as_many_instances_as_are_asked_for(shell: Shell, open_folder: Path) -> None:
    program = open_folder / "program.py"
    program.write_text(searching(ALL_SESSIONS))
    shell.folder.chmod(0o755)
    shell.write("here.yml", CONFIG % f"command, run: [{everybodys_python()}, -I, {program}]")
    data, made = dataset(shell), []
    for jobs in ("1", "3"):
        call = suite(shell, data, "--config", "here.yml", "--jobs", jobs, "--output", f"{jobs}.ndjson")
        assert call.code == 0, call.err
        made.append(rows_of(shell.folder / f"{jobs}.ndjson"))
    assert made[0] == made[1]
    assert {row["recall_all_hit"] for row in made[0]} == {True}
    assert first_line(shell.folder / "1.ndjson")["run"]["system"] == "program"


def test_a_configured_service_that_is_down_is_no_result_and_is_recorded(shell: Shell) -> None:
    shell.write("here.yml", CONFIG % 'http, url: "http://127.0.0.1:9", attempts: 1, start-timeout: 0.1')
    call = suite(shell, dataset(shell), "--config", "here.yml", "--record")
    assert call.code == 69
    (record,) = records(shell)
    assert (record.status, "suite_failed" in str(record.raw["error"])) == ("failed", True)


def test_rows_of_a_configuration_cannot_be_asked(shell: Shell) -> None:
    shell.write("here.yml", CONFIG % "rows")
    assert suite(shell, dataset(shell), "--config", "here.yml").code == 78


def gbrain(shell: Shell, folder: Path, *rows: dict[str, object], **files: str) -> tuple[str, ...]:
    """A dataset of four questions, and how to call a stand-in that answers with these rows."""
    array(folder / "data.json", [document(number) for number in range(4)])
    shell.folder.chmod(0o755)
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", folder / "gbrain.py")
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    program = f"{everybodys_python()} -I {folder / 'gbrain.py'}"
    return (str(folder / "data.json"), "--gbrain", program, "--output", "rows.ndjson", "--record")


def four(**members: object) -> list[dict[str, object]]:
    return [told(number, **members) for number in (3, 2, 1, 0)]


def test_gbrain_asks_instead_and_its_rows_become_ours(shell: Shell, open_folder: Path) -> None:
    summed = {"kind": "by_type_summary", "schema_version": 2, "run_config": {"embedder": "voyage@1024"}}
    call = suite(shell, *gbrain(shell, open_folder, *four(), summed))
    assert call.code == 0, call.err
    path = shell.folder / "rows.ndjson"
    assert ids(path) == ["q000", "q001", "q002", "q003"]
    assert "private words" not in path.read_text()
    table = read_rows(path, name="rows")
    assert table.metrics["recall_all@k"].values.tolist() == [1, 1, 1, 1]
    (record,) = records(shell)
    assert (record.params["system"], record.params["embedder"]) == ("gbrain", "voyage@1024")
    assert record.params["retrieval_config_hash"] == "a" * 64


def test_gbrain_is_asked_for_the_same_sample_as_any_other_system(shell: Shell, open_folder: Path) -> None:
    asked = gbrain(shell, open_folder, *four())
    assert suite(shell, *asked, "--limit", "2", "--seed", "7").code == 0
    drawn = ids(shell.folder / "rows.ndjson")
    assert drawn == sorted(sample([f"q{number:03}" for number in range(4)], 2, 7))


def test_shards_by_gbrain_merge_into_the_whole_run(shell: Shell, open_folder: Path) -> None:
    asked = [word for word in gbrain(shell, open_folder, *four()) if word not in ("--output", "rows.ndjson")]
    for number in (1, 2):
        assert suite(shell, *asked, "--output", f"out/{number}.ndjson", "--shard", f"{number}/2").code == 0
    merged = shell.gate("merge", "out", "--out", "whole")
    assert merged.code == 0, merged.err
    assert ids(shell.folder / "whole/rows/longmemeval-balanced.ndjson") == ["q000", "q001", "q002", "q003"]


def test_a_judged_run_of_gbrain_measures_the_answers(shell: Shell, open_folder: Path) -> None:
    rows = [told(number, judge_correct=number != 2, judge_model="m") for number in range(4)]
    call = suite(shell, *gbrain(shell, open_folder, *rows), "--gbrain-option", "--judge", "--answers")
    assert call.code == 0, call.err
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert table.metrics["qa_accuracy"].values.tolist() == [1, 1, 0, 1]
    assert table.fingerprints["judge_model"] == "m"


@pytest.mark.parametrize(
    ("rows", "files", "code", "said"),
    [
        (four()[:3], {}, 0, "1 question with errors"),
        ([told(9)], {}, 1, "suite_failed: all 4 questions are errors"),
        (four(search_meta={"degraded": ["rerank"]}), {"code": "1"}, 1, "reranker_fell_open: 4 questions"),
        (four(), {"code": "1"}, 1, "gbrain ended with exit code 1"),
        ([{"kind": "by_type_summary", "k": 8}], {}, 69, "another k"),
        ([told(0, mode="tokenmax")], {}, 69, "rows of another mode"),
    ],
)
def test_what_gbrain_leaves_undone_is_never_a_success(
    shell: Shell,
    open_folder: Path,
    rows: list[dict[str, object]],
    files: dict[str, str],
    code: int,
    said: str,
) -> None:
    call = suite(shell, *gbrain(shell, open_folder, *rows, **files))
    assert call.code == code
    assert said in call.out + call.err
    assert records(shell)[0].status == ("completed" if code == 0 else "failed")


def test_what_gbrain_says_of_itself_fails_the_gate_too(shell: Shell, open_folder: Path) -> None:
    suite(shell, *gbrain(shell, open_folder, *four(), code="1"))
    assert read_rows(shell.folder / "rows.ndjson", name="rows").shortfalls == {"suite_failed": 4}


def test_a_deadline_stops_gbrain_and_keeps_the_rows_so_far(shell: Shell, open_folder: Path) -> None:
    asked = gbrain(shell, open_folder, told(0), told(1), hang="")
    call = suite(shell, *asked, "--deadline", "1")
    assert (call.code, "deadline: 2 of 4 questions" in call.err) == (2, True)
    assert ids(shell.folder / "rows.ndjson") == ["q000", "q001"]
    (open_folder / "hang").unlink()
    (open_folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in four()))
    assert suite(shell, *asked, "--resume").code == 0
    assert ids(shell.folder / "rows.ndjson") == ["q000", "q001", "q002", "q003"]


def test_a_run_by_gbrain_does_not_go_on_under_another_configuration(shell: Shell, open_folder: Path) -> None:
    asked = gbrain(shell, open_folder, *four()[:3])
    assert suite(shell, *asked).code == 0
    others = four(retrieval_config_hash="b" * 64)
    (open_folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in others))
    call = suite(shell, *asked, "--resume")
    assert (call.code, "begun as another run" in call.err) == (65, True)


def test_a_finished_run_by_gbrain_is_not_asked_again(shell: Shell, open_folder: Path) -> None:
    asked = gbrain(shell, open_folder, *four())
    suite(shell, *asked)
    before = (shell.folder / "rows.ndjson").read_bytes()
    (open_folder / "gbrain.py").unlink()
    assert suite(shell, *asked, "--resume").code == 0
    assert (shell.folder / "rows.ndjson").read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        ("--gbrain", "gbrain", "--jobs", "2"),
        ("--gbrain", "gbrain", "--config", "eval-gate.yml"),
        ("--gbrain-option", "--judge"),
        ("--gbrain", "gbrain", "--gbrain-option", "--output=x"),
    ],
)
def test_what_cannot_be_meant_together_is_wrong_usage(shell: Shell, wrong: tuple[str, ...]) -> None:
    assert suite(shell, dataset(shell), *wrong).code == 64


def test_a_cancelled_run_by_gbrain_keeps_what_it_has_written(shell: Shell, open_folder: Path) -> None:
    data, _, program, *rest = gbrain(shell, open_folder, told(0), hang="")
    call = ("suite", "longmemeval", data, "--gbrain", program, *rest)
    process = spawn(*call, cwd=shell.folder, TMPDIR=str(open_folder))
    until = time.monotonic() + 60
    while not list(open_folder.glob("gate-gbrain-*/rows.jsonl")) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 143
    assert ids(shell.folder / "rows.ndjson") == ["q000"]
    assert records(shell)[0].status == "failed"


def test_a_record_says_which_commit_the_questions_come_from_and_what_went_in(shell: Shell) -> None:
    data = dataset(shell)
    repository(shell.folder, {"README.md": b"hello\n"})
    head = git(shell.folder, "rev-parse", "HEAD")
    assert suite(shell, data, "--record").code == 0
    params = records(shell)[0].params
    assert params["dataset_commit"] == head
    assert params["knobs"] == {"limit": 25, "token_budget": 12000}
    digests = ("dataset_sha256", "corpus_sha256", "questions_sha256", "answer_key_sha256", "output_sha256")
    assert {len(str(params[name])) for name in digests} == {64}
    assert records(shell)[0].commit == head[:9]


def test_digests_change_with_what_they_are_of(shell: Shell) -> None:
    changes = (
        {},
        {"question": "which?"},
        {"answer": "other"},
        {"haystack_sessions": document(5)["haystack_sessions"]},
    )
    for place, change in enumerate(changes):
        array(shell.folder / f"{place}.json", [document(0), document(1) | change])
        suite(shell, f"{place}.json", "--output", f"{place}.ndjson", "--record")
    names = ("questions_sha256", "answer_key_sha256", "corpus_sha256")
    same = [
        [record.params[name] == records(shell)[0].params[name] for name in names] for record in records(shell)
    ]
    assert same[1:] == [[False, True, True], [True, False, True], [True, True, False]]


def test_the_configured_gbrain_is_waited_for_as_long_as_the_configuration_says(
    shell: Shell, open_folder: Path
) -> None:
    data, _, program, *rest = gbrain(shell, open_folder, told(0), hang="")
    shell.write("eval-gate.yml", CONFIG % f"gbrain, run: [{', '.join(program.split())}], timeout: 1")
    call = suite(shell, data, *rest)
    assert (call.code, "3 questions with errors" in call.out) == (0, True), call.err
    errors = [row.get("error", "")[:8] for row in rows_of(shell.folder / "rows.ndjson")]
    assert errors == ["", *["timeout:"] * 3]
