"""`gate suite replay`, called as a user calls it."""

import json
import shutil
import signal
import time
from pathlib import Path

import pytest

from gate.core.records.ledger import fingerprints, read_ledger
from gate.core.records.system import Document
from gate.core.replay.captures import read_captures
from gate.core.replay.publishing import baseline_bytes
from gate.core.replay.thresholds import Thresholds
from gate.store.row_files import read_rows
from gate.systems.reference import ReferenceSystem
from tests.cli.calls import Shell
from tests.core.replay.captures import lines, row
from tests.core.replay.test_reported import gate as own_gate
from tests.core.replay.test_reported import report, result
from tests.program import spawn
from tests.programs import ROOT, everybodys_python, open_folder, searching
from tests.repositories import git, repository
from tests.systems.servers import served

__all__ = ["open_folder"]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys)
    shell.write("docs/people/alice.md", "Alice founded the widget company in spring.")
    shell.write("docs/people/bob.md", "Bob sells gadgets and repairs bicycles.")
    return shell


def captured(query: str, *slugs: str, **overrides: object) -> dict[str, object]:
    return row(query, retrieved_slugs=list(slugs), id=None, latency_ms=1000, **overrides)


SAME = (captured("who founded the widget company", "people/alice"), captured("bicycles", "people/bob"))
MOVED = captured("gadgets", "people/alice")


def published(*rows: dict[str, object], **thresholds: float) -> bytes:
    return baseline_bytes(
        read_captures(lines(*rows)).captures,
        label="launch",
        published_at="2026-11-30T12:00:00.000Z",
        thresholds=Thresholds(**thresholds),
    )


SLOW = """
import time
def search(query, known):
    time.sleep(0.02)
    return {"hits": []}
"""
CALL = ("suite", "replay", "--corpus", "docs", "--against")


def test_answers_that_stayed_hold_a_baseline(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME))
    done = shell.gate(*CALL, "b.ndjson")
    assert done.code == 0
    assert "2 queries replayed" in done.out
    assert "missed" not in done.out
    table = read_rows(shell.folder / "gate-out/rows/replay-balanced.ndjson", name="rows")
    assert table.metrics["jaccard@k"].values.tolist() == [1.0, 1.0]


def test_an_answer_that_moved_is_a_failure_that_names_the_threshold(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME, MOVED))
    done = shell.gate(*CALL, "b.ndjson")
    assert done.code == 1
    assert "missed: mean_jaccard@k is 0.6667, the threshold is 0.85" in done.out
    assert "missed: top1_stability_rate is 0.6667, the threshold is 0.8" in done.out


def test_a_missed_threshold_is_a_failed_record_that_names_it(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME, MOVED))
    assert shell.gate(*CALL, "b.ndjson", "--record").code == 1
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert (record.status, record.params["missed"]) == ("failed", ["mean_jaccard@k", "top1_stability_rate"])
    assert str(record.raw["error"]).startswith("threshold_missed: mean_jaccard@k is 0.6667, the threshold")


def test_a_header_without_its_mean_latency_never_holds(shell: Shell) -> None:
    header, *rest = published(*SAME).splitlines(keepends=True)
    stated = json.loads(header)
    del stated["baseline_mean_latency_ms"]
    shell.write("b.ndjson", json.dumps(stated).encode() + b"\n" + b"".join(rest))
    done = shell.gate(*CALL, "b.ndjson")
    assert (done.code, "`baseline_mean_latency_ms` must be a number" in done.err) == (65, True)


def test_a_required_part_that_is_missing_fails_the_replay(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME))
    done = shell.gate(*CALL, "c.ndjson", "--require", "vector")
    assert (done.code, "vector_degraded: 2 queries" in done.err) == (1, True)
    built_in = CONFIG.replace('http, url: "%s", attempts: 1, start-timeout: 0.1', "reference")
    shell.write("here.yml", built_in + "require: [vector]\n")
    done = shell.gate(*CALL, "c.ndjson", "--config", "here.yml")
    assert (done.code, "vector_degraded: 2 queries" in done.err) == (1, True)


def test_a_cancelled_replay_is_a_failed_record_that_counts(shell: Shell, open_folder: Path) -> None:
    program = open_folder / "program.py"
    program.write_text(searching(SLOW))
    command = f"command, run: [{everybodys_python()}, -I, {program}]"
    shell.write("here.yml", CONFIG.replace('http, url: "%s", attempts: 1, start-timeout: 0.1', command))
    shell.write("c.ndjson", lines(*(captured(f"query {number}", "people/bob") for number in range(300))))
    process = spawn(*CALL, "c.ndjson", "--config", "here.yml", "--record", cwd=shell.folder)
    rows = shell.folder / "gate-out/rows/replay-balanced.ndjson"
    until = time.monotonic() + 60
    while not (rows.exists() and rows.stat().st_size > 2_000) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 143
    table = read_rows(rows, name="rows")
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    said = f"cancelled: {300 - len(table)} of 300 queries were not asked"
    assert (record.status, record.raw["error"]) == ("failed", said)


def test_captures_without_thresholds_are_measured_and_not_judged(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME, MOVED))
    done = shell.gate(*CALL, "c.ndjson")
    assert (done.code, "nothing was to be held" in done.out) == (0, True)


def test_thresholds_may_be_given_here(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME, MOVED))
    held = ("--threshold-jaccard", "0.5", "--threshold-top1", "0.5")
    assert shell.gate(*CALL, "b.ndjson", *held).code == 0
    shell.write("c.ndjson", lines(*SAME, MOVED))
    assert shell.gate(*CALL, "c.ndjson", "--threshold-top1", "0.9").code == 1


@pytest.mark.parametrize(
    "wrong",
    [
        ("--threshold-jaccard", "nan"),
        ("--threshold-top1", "-1"),
        ("--threshold-latency-multiplier", "0"),
        ("--gbrain", "gbrain"),
        ("--compare-limit", "0"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(shell: Shell, wrong: tuple[str, str]) -> None:
    shell.write("c.ndjson", lines(*SAME))
    assert shell.gate(*CALL, "c.ndjson", *wrong).code == 64


@pytest.mark.parametrize("command", ['"open', " "])
def test_a_command_line_that_names_nothing_is_wrong_usage(shell: Shell, command: str) -> None:
    shell.write("c.ndjson", lines(*SAME))
    assert shell.gate("suite", "replay", "--against", "c.ndjson", "--gbrain", command).code == 64


def test_a_baseline_that_was_changed_is_invalid(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME).replace(b'"row_count":2', b'"row_count":3'))
    done = shell.gate(*CALL, "b.ndjson")
    assert done.code == 65
    assert "b.ndjson: the header says `row_count` 3" in done.err


def test_nothing_to_ask_is_inconclusive(shell: Shell) -> None:
    shell.write("c.ndjson", lines(captured("  ", "people/alice")))
    done = shell.gate(*CALL, "c.ndjson")
    assert (done.code, "empty_suite" in done.err) == (2, True)


def test_a_deadline_that_has_come_is_inconclusive_and_counted(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME))
    done = shell.gate(*CALL, "b.ndjson", "--deadline", "0")
    assert (done.code, "deadline: 2 queries" in done.err) == (2, True)


def test_a_run_is_recorded_with_every_digest(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME))
    (shell.folder / ".git").mkdir()
    assert shell.gate(*CALL, "b.ndjson", "--record", "--compare-limit", "1", "--seed", "7").code == 0
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.run_id.startswith("unknown-replay-balanced-7-")
    assert (record.status, record.output) == ("completed", "gate-out/rows/replay-balanced.ndjson")
    assert record.aggregates["mean_jaccard_at_k"] == 1
    assert record.params["knobs"] == {"limit": 25, "token_budget": 12000}
    assert set(record.params) >= {"questions_sha256", "answer_key_sha256", "output_sha256", "thresholds"}
    stated = fingerprints(record)
    assert (stated["k"], len(stated["dataset_sha256"]), len(stated["corpus_sha256"])) == ("1", 64, 64)


def test_json_ends_with_one_event_that_says_everything(shell: Shell) -> None:
    shell.write("b.ndjson", published(*SAME, MOVED))
    done = shell.gate(*CALL, "b.ndjson", "--json")
    last = json.loads(done.out.splitlines()[-1])
    assert (last["event"], last["summary"]["rows_replayed"]) == ("complete", 3)
    assert [each["metric"] for each in last["missed"]] == ["mean_jaccard@k", "top1_stability_rate"]


def test_gbrain_replays_instead(shell: Shell, open_folder: Path) -> None:
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", open_folder / "gbrain.py")
    results = (result(query="a"), result(query="b", errored=True, error_message="secret"))
    (open_folder / "replay.json").write_text(json.dumps(report(*results)))
    shell.folder.chmod(0o755)
    shell.write("c.ndjson", lines(row("a"), row("b", id=8)))
    program = f"{everybodys_python()} -I {open_folder / 'gbrain.py'}"
    call = ("suite", "replay", "--against", "c.ndjson", "--gbrain", program)
    done = shell.gate(*call, "--threshold-jaccard", "0.9")
    assert done.code == 1, done.err
    assert "1 query with errors" in done.out
    assert b"secret" not in (shell.folder / "gate-out/rows/replay-balanced.ndjson").read_bytes()


def test_a_gbrain_that_leaves_no_result_is_a_failed_record(shell: Shell, open_folder: Path) -> None:
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", open_folder / "gbrain.py")
    shell.folder.chmod(0o755)
    shell.write("c.ndjson", lines(row("a")))
    program = f"{everybodys_python()} -I {open_folder / 'gbrain.py'}"
    done = shell.gate("suite", "replay", "--against", "c.ndjson", "--gbrain", program, "--record")
    assert done.code == 69
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert (record.status, str(record.raw["error"])[:13]) == ("failed", "suite_failed:")


def test_gbrain_s_own_gate_is_heard_beside_its_replay(shell: Shell, open_folder: Path) -> None:
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", open_folder / "gbrain.py")
    shell.folder.chmod(0o755)
    shell.write("b.ndjson", published(*SAME))
    shell.write("c.ndjson", lines(*SAME))
    queries = read_captures(published(*SAME)).captures
    found = [result(query=each.query, current_slugs=list(each.slugs)) for each in queries]
    (open_folder / "replay.json").write_text(json.dumps(report(*found)))
    program = f"{everybodys_python()} -I {open_folder / 'gbrain.py'}"
    call = ("suite", "replay", "--gbrain", program, "--gbrain-gate", "--record", "--against")

    (open_folder / "gate.json").write_text(json.dumps(own_gate()))
    done = shell.gate(*call, "b.ndjson")
    assert (done.code, "gbrain's own gate: pass" in done.out) == (0, True), done.err
    (open_folder / "gate.json").write_text(json.dumps(own_gate(verdict="fail")))
    done = shell.gate(*call, "b.ndjson")
    assert (done.code, "gbrain's own gate: its own verdict is fail" in done.err) == (1, True)
    found_records = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert [each.status for each in found_records] == ["completed", "failed"]

    assert shell.gate(*call, "c.ndjson").code == 64
    assert shell.gate(*CALL, "b.ndjson", "--gbrain-gate").code == 64


CONFIG = """version: 1
system: {kind: http, url: "%s", attempts: 1, start-timeout: 0.1}
suites: [{suite: rows, name: any, rows: rows.ndjson}]
rules: [{metric: mrr, rule: threshold, at-least: 0}]
"""


def test_the_configured_system_is_asked_about_its_own_documents(shell: Shell) -> None:
    reference = ReferenceSystem()
    reference.ingest((Document(id="people/bob", text="Bob repairs bicycles."),))
    shell.write("c.ndjson", lines(SAME[1]))
    with served(reference) as server:
        shell.write("eval-gate.yml", CONFIG % server.url)
        done = shell.gate("suite", "replay", "--against", "c.ndjson", "--threshold-top1", "1", "--record")
    assert (done.code, "1 query replayed" in done.out) == (0, True), done.err
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.params["system"] == "reference"
    assert len(str(record.params["retrieval_config_hash"])) == 64


def test_a_configured_system_that_is_down_fails_every_query_and_is_recorded(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME))
    shell.write("here.yml", CONFIG % "http://127.0.0.1:9")
    done = shell.gate("suite", "replay", "--against", "c.ndjson", "--config", "here.yml", "--record")
    assert (done.code, "suite_failed: 2 queries" in done.err) == (1, True), done.err
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert (record.status, "system" in record.params) == ("failed", False)


def test_the_built_in_system_needs_documents(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME))
    done = shell.gate("suite", "replay", "--against", "c.ndjson")
    assert (done.code, "has no documents of its own" in done.err) == (64, True)


def test_a_record_says_which_commit_the_captures_come_from(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME))
    repository(shell.folder, {"README.md": b"hello\n"})
    assert shell.gate(*CALL, "c.ndjson", "--record").code == 0
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.params["dataset_commit"] == git(shell.folder, "rev-parse", "HEAD")
