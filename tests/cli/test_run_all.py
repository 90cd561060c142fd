"""`gate run-all`: every suite and mode, estimated first, each recorded, a failure kept and never exit 0."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gate.core.records.ledger import RunRecord, read_ledger
from gate.core.records.system import Document
from gate.systems.reference import ReferenceSystem
from tests.cli.calls import Shell
from tests.cli.test_suite_brainbench import committed, written
from tests.cli.test_suite_replay import CONFIG, MOVED, SAME, published
from tests.core.replay.captures import lines
from tests.core.replay.test_reported import report, result
from tests.longmemeval_files import array, document
from tests.programs import ROOT, everybodys_python, open_folder
from tests.systems.servers import served

__all__ = ["open_folder"]


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    (tmp_path / ".git").mkdir()
    shell = Shell(tmp_path, capsys)
    shell.write("docs/people/alice.md", "Alice founded the widget company in spring.")
    shell.write("docs/people/bob.md", "Bob sells gadgets and repairs bicycles.")
    shell.write("held.ndjson", published(*SAME))
    shell.write("moved.ndjson", published(*SAME, MOVED))
    shell.write("main.json", committed(written()))
    array(tmp_path / "lme.json", [document(number) for number in range(3)])
    return shell


def runner(folder: Path, data: bytes | None) -> str:
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", folder / "gbrain.py")
    if data is not None:
        (folder / "brainbench.json").write_bytes(data)
    return f"{everybodys_python()} -I {folder / 'gbrain.py'}"


def records(shell: Shell) -> list[RunRecord]:
    path = shell.folder / ".gbrain-evals/eval-results.jsonl"
    return list(read_ledger(path.read_bytes()).records) if path.exists() else []


def ran(shell: Shell) -> list[tuple[str, str, str]]:
    return [(record.suite, record.mode, record.status) for record in records(shell)]


REPLAY = ("run-all", "--corpus", "docs", "--against")


def test_every_wired_suite_runs_in_every_mode_and_is_recorded(shell: Shell, open_folder: Path) -> None:
    shell.write("here.yml", CONFIG.replace('http, url: "%s", attempts: 1, start-timeout: 0.1', "reference"))
    done = shell.gate(
        *REPLAY, "held.ndjson", "--dataset", "lme.json", "--gbrain", runner(open_folder, written()),
        "--config", "here.yml", "--baseline", "main.json", "--modes", "conservative,tokenmax", "--seed", "7",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert ran(shell) == [
        ("longmemeval", "conservative", "completed"),
        ("longmemeval", "tokenmax", "completed"),
        ("replay", "conservative", "completed"),
        ("replay", "tokenmax", "completed"),
        ("brainbench", "n/a", "completed"),
    ]
    assert {record.raw["seed"] for record in records(shell)} == {7}
    assert len({record.run_id for record in records(shell)}) == 5
    assert "brainbench:n/a: at most about 0.005 $" in done.out
    assert done.out.splitlines()[-1] == "5 runs"


def test_the_estimate_comes_before_anything_runs_and_is_refused_over_a_cap(shell: Shell) -> None:
    call = ("run-all", "--dataset", "lme.json", "--answers")
    done = shell.gate(*call)
    assert (done.code, records(shell)) == (2, [])
    assert "over budget: answers may cost 22.500 $, the cap is 20 $" in done.err
    assert shell.gate(*call, "--limit", "2", "--modes", "balanced", "--budget-usd-answer", "0").code == 2


def test_yes_runs_all_the_same(shell: Shell) -> None:
    call = (*REPLAY, "held.ndjson", "--modes", "balanced", "--budget-usd-retrieval", "0")
    assert shell.gate(*call).code == 2
    assert shell.gate(*call, "--yes").code == 0


@pytest.mark.parametrize("suites", ["longmemeval", "retrieval,replay", "brainbench"])
def test_a_suite_without_its_inputs_stops_everything_and_names_the_command(shell: Shell, suites: str) -> None:
    done = shell.gate(*REPLAY, "held.ndjson", "--suites", f"replay,{suites}")
    assert (done.code, records(shell)) == (78, [])
    assert "eval_suite_unwired" in done.err
    assert f"gate run-all --suites {suites.split(',', maxsplit=1)[0]}" in done.err


def test_without_any_input_every_suite_is_unwired(shell: Shell) -> None:
    done = shell.gate("run-all", "--json")
    assert done.code == 78
    event: dict[str, Any] = json.loads(done.out)
    assert (event["code"], len(event["suites"]), len(event["fix"])) == ("eval_suite_unwired", 4, 4)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--suites", "canary"),
        ("--suites", ","),
        ("--modes", "fast"),
        ("--budget-usd-retrieval", "nan"),
        ("--budget-usd-answer", "-1"),
        ("--limit", "0"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(shell: Shell, wrong: tuple[str, str]) -> None:
    assert shell.gate(*REPLAY, "held.ndjson", *wrong).code == 64
    assert records(shell) == []


def test_a_brainbench_that_got_worse_is_a_failed_record_and_exit_1(shell: Shell, open_folder: Path) -> None:
    done = shell.gate(
        "run-all", "--gbrain", runner(open_folder, written(failed=3)), "--baseline", "main.json", "--json"
    )
    assert (done.code, ran(shell)) == (1, [("brainbench", "n/a", "failed")])
    assert json.loads(done.out.splitlines()[-1])["failed_runs"] == ["brainbench:n/a"]


def test_a_runner_that_broke_is_recorded_once(shell: Shell, open_folder: Path) -> None:
    done = shell.gate("run-all", "--gbrain", runner(open_folder, None), "--baseline", "main.json")
    assert (done.code, ran(shell)) == (1, [("brainbench", "n/a", "failed")])


def test_a_suite_that_cannot_be_read_is_recorded_as_failed_and_the_others_go_on(shell: Shell) -> None:
    shell.write("broken.ndjson", "{\n")
    done = shell.gate(*REPLAY, "broken.ndjson", "--dataset", "lme.json", "--modes", "balanced")
    assert done.code == 1
    assert ran(shell) == [("longmemeval", "balanced", "completed"), ("replay", "balanced", "failed")]
    assert "line 1" in str(records(shell)[1].raw["error"])
    assert "failed, records kept: replay:balanced" in done.out


def test_answers_that_moved_too_far_are_a_failed_record_and_exit_1(shell: Shell) -> None:
    assert shell.gate(*REPLAY, "moved.ndjson", "--modes", "balanced").code == 1
    assert ran(shell) == [("replay", "balanced", "failed")]


def test_what_is_required_is_required_of_every_suite_that_searches(shell: Shell) -> None:
    sweep = (*REPLAY, "held.ndjson", "--dataset", "lme.json", "--modes", "balanced")
    assert shell.gate(*sweep, "--require", "vector").code == 1
    built_in = CONFIG.replace('http, url: "%s", attempts: 1, start-timeout: 0.1', "reference")
    shell.write("here.yml", built_in + "require: [vector]\n")
    assert shell.gate(*sweep, "--config", "here.yml").code == 1
    failed = [("longmemeval", "balanced", "failed"), ("replay", "balanced", "failed")]
    assert ran(shell) == [*failed, *failed]
    assert {str(record.raw["error"]).split(":")[0] for record in records(shell)} == {"vector_degraded"}


def test_json_is_one_event_a_line_from_the_estimate_to_the_end(shell: Shell) -> None:
    done = shell.gate(*REPLAY, "held.ndjson", "--modes", "balanced", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert (events[0]["phase"], events[-1]["phase"]) == ("estimate", "complete")
    assert events[0]["estimate"]["per_suite"] == {"replay:balanced": pytest.approx(0.005)}
    assert events[-1]["failed_runs"] == []
    runs = [(each["event"], each["suite"], each["mode"]) for each in events if each.get("phase") == "run"]
    assert runs == [("run", "replay", "balanced"), ("run_ended", "replay", "balanced")]


def test_retrieval_runs_too(shell: Shell) -> None:
    qrels = {"version": 1, "queries": [{"query": "bicycles", "relevant": ["people/bob"]}]}
    shell.write("qrels.json", json.dumps(qrels))
    done = shell.gate("run-all", "--corpus", "docs", "--qrels", "qrels.json", "--modes", "balanced")
    assert done.code == 0, done.err
    assert ran(shell) == [("retrieval", "balanced", "completed")]


def test_two_sweeps_put_every_answer_in_the_same_order(shell: Shell) -> None:
    def orders() -> list[object]:
        shell.gate(*REPLAY, "moved.ndjson", "--dataset", "lme.json")
        return [
            (path.name, row.get("question_id"), row.get("retrieved"), row.get("retrieved_session_ids"))
            for path in sorted((shell.folder / "gate-out/rows").iterdir())
            for row in map(json.loads, path.read_text().splitlines())
        ]

    first = orders()
    assert first == orders()
    assert len(first) > 15


def test_the_configured_system_is_asked_where_one_is_named(shell: Shell) -> None:
    reference = ReferenceSystem()
    reference.ingest((Document(id="people/bob", text="Bob repairs bicycles."),))
    shell.write("captures.ndjson", lines(SAME[1]))
    with served(reference) as server:
        shell.write("here.yml", CONFIG % server.url)
        call = ("run-all", "--against", "captures.ndjson", "--config", "here.yml", "--modes", "balanced")
        assert shell.gate(*call).code == 0
    assert ran(shell) == [("replay", "balanced", "completed")]


def test_gbrain_asks_longmemeval_too_where_no_configuration_names_a_system(
    shell: Shell, open_folder: Path
) -> None:
    array(open_folder / "lme.json", [document(number) for number in range(3)])
    program = runner(open_folder, written())
    rows = [{"question_id": f"q{number:03}", "retrieved_session_ids": []} for number in range(3)]
    (open_folder / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = shell.gate("run-all", "--dataset", str(open_folder / "lme.json"), "--gbrain", program)
    assert done.code == 0, done.err
    assert [mode for _, mode, _ in ran(shell)] == ["conservative", "balanced", "tokenmax"]
    assert {record.params["system"] for record in records(shell)} == {"gbrain"}


def test_a_system_that_is_down_is_a_failed_record_of_every_mode(shell: Shell) -> None:
    shell.write("here.yml", CONFIG % "http://127.0.0.1:9")
    done = shell.gate("run-all", "--dataset", "lme.json", "--config", "here.yml")
    assert done.code == 1
    assert [status for _, _, status in ran(shell)] == ["failed"] * 3


def test_a_configuration_whose_system_is_gbrain_wires_what_gbrain_runs(
    shell: Shell, open_folder: Path
) -> None:
    program = runner(open_folder, written())
    results = [result(query=each["query"], current_slugs=each["retrieved_slugs"]) for each in SAME]
    (open_folder / "replay.json").write_text(json.dumps(report(*results)))
    array(open_folder / "lme.json", [document(0)])
    answer = {"question_id": "q000", "retrieved_session_ids": []}
    (open_folder / "answers.jsonl").write_text(json.dumps(answer) + "\n")
    shell.write("here.yml", CONFIG.replace('http, url: "%s", attempts: 1, start-timeout: 0.1',
        f"gbrain, run: [{', '.join(program.split())}]"))  # fmt: skip
    shell.write("captures.ndjson", lines(*SAME))
    done = shell.gate(
        "run-all", "--config", "here.yml", "--modes", "balanced", "--baseline", "main.json",
        "--against", "captures.ndjson", "--corpus", "docs", "--dataset", str(open_folder / "lme.json"),
    )  # fmt: skip
    assert done.code == 0, done.err
    assert ran(shell) == [
        ("longmemeval", "balanced", "completed"),
        ("replay", "balanced", "completed"),
        ("brainbench", "n/a", "completed"),
    ]
    assert {record.params["system"] for record in records(shell)} == {"gbrain"}
