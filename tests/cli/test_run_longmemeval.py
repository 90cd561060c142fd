"""`gate run` with LongMemEval suites that it asks itself."""

import hashlib
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from gate.core.longmemeval.splits import sample
from gate.core.records.ledger import read_ledger
from gate.core.records.suite_inputs import LongMemEvalInputs
from gate.core.records.system import Capabilities, Query
from gate.core.report import Report
from gate.store.receipts import read_receipt
from gate.systems.reference import ReferenceSystem
from tests.cli.calls import Shell
from tests.gbrain_runs import answers, stand_in, told
from tests.longmemeval_files import array, document
from tests.program import spawn
from tests.programs import everybodys_python, open_folder, searching
from tests.scripted_system import Reply, ScriptedSystem, reply
from tests.systems.servers import served

__all__ = ["open_folder"]

DATA = Path(__file__).parents[3] / "shared" / "data" / "gbrain"
FLOOR = "{metric: recall_all@5, rule: threshold, at-least: 0.9}"


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    array(tmp_path / "lme.json", [document(number) for number in range(12)])
    return Shell(tmp_path, capsys)


def config(system: str = "{kind: reference}", *more: str, suite: str = "", rules: str = FLOOR) -> str:
    asked = f"{{suite: longmemeval, dataset: lme.json{suite}}}"
    return "\n".join(["version: 1", f"system: {system}", f"suites: [{asked}]", f"rules: [{rules}]", *more])


def report(shell: Shell, folder: str = "gate-out") -> Report:
    return read_receipt(shell.folder / folder / "receipt.json", "receipt")


def rows(shell: Shell, name: str = "longmemeval", folder: str = "gate-out") -> list[dict[str, Any]]:
    lines = (shell.folder / folder / "rows" / f"{name}.ndjson").read_text().splitlines()
    return [row for line in lines if "question_id" in (row := json.loads(line))]


def test_the_questions_are_asked_and_judged_and_the_receipt_derives_again(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())

    done = shell.gate("run")

    assert (done.code, "recall_all@5" in done.out) == (0, True), done.err
    (suite,) = report(shell).suites
    assert suite.candidate.rows is not None
    assert (suite.candidate.rows.path, suite.candidate.questions) == ("gate-out/rows/longmemeval.ndjson", 12)
    assert (suite.candidate.fingerprints["k"], suite.candidate.fingerprints["mode"]) == ("5", "balanced")
    assert shell.gate("verify", "gate-out/receipt.json").code == 0
    assert shell.gate("validate", "gate-out/receipt.json", "gate-out/rows/longmemeval.ndjson").code == 0


def test_the_plan_pins_the_dataset_and_everything_that_selects(shell: Shell) -> None:
    shell.write("ids.txt", "q001\nq002\nq003\n")
    shell.write(
        "eval-gate.yml",
        config(suite=", k: 3, limit: 2, question-ids: ids.txt", rules=FLOOR.replace("@5", "@3")),
    )
    inputs = shell.gate("plan").document["plan"]["suites"][0]["inputs"]
    digest = hashlib.sha256((shell.folder / "lme.json").read_bytes()).hexdigest()
    assert inputs["dataset"]["sha256"] == digest
    assert (inputs["suite"], inputs["k"], inputs["limit"], inputs["seed"]) == ("longmemeval", 3, 2, 42)
    assert len(inputs["question_ids"]["sha256"]) == 64
    assert not (shell.folder / "gate-out").exists()


def test_a_sample_is_drawn_with_the_configurations_seed(shell: Shell) -> None:
    shell.write("eval-gate.yml", config("{kind: reference}", "stats: {seed: 7}", suite=", limit: 5"))
    assert shell.gate("run").code == 0
    drawn = sample([f"q{number:03}" for number in range(12)], 5, 7)
    assert [row["question_id"] for row in rows(shell)] == sorted(drawn)
    shell.write("eval-gate.yml", config(suite=", limit: 5, seed: 9"))
    shell.gate("run")
    inputs = report(shell).plan.suites[0].inputs
    assert isinstance(inputs, LongMemEvalInputs)
    assert inputs.seed == 9


def test_the_same_configuration_gives_the_same_rows_but_for_the_clock(shell: Shell) -> None:
    shell.write("eval-gate.yml", config(suite=", modes: [conservative, tokenmax]"))
    assert shell.gate("run").code == 0
    assert shell.gate("run", "--out", "again").code == 0
    for mode in ("conservative", "tokenmax"):
        first, again = (
            [{**row, "latency_ms": 0} for row in rows(shell, f"longmemeval-{mode}", folder)]
            for folder in ("gate-out", "again")
        )
        assert (first, len(first)) == (again, 12)


def test_a_dataset_that_is_another_one_is_refused_before_anything_runs(shell: Shell) -> None:
    shell.write("eval-gate.yml", config(suite=f", sha256: {'0' * 64}"))
    done = shell.gate("run")
    assert (done.code, "lme.json: its sha256 is " in done.err) == (65, True)


def test_a_dataset_that_is_not_there_says_how_it_is_fetched(shell: Shell) -> None:
    (shell.folder / "lme.json").unlink()
    shell.write("eval-gate.yml", config())
    done = shell.gate("plan")
    assert (done.code, "gate dataset fetch" in done.err) == (65, True)


def test_accuracy_that_nobody_measures_is_never_a_pass(shell: Shell) -> None:
    shell.write("eval-gate.yml", config(rules="{metric: qa_accuracy, rule: threshold, at-least: 0.1}"))
    done = shell.gate("run")
    assert (done.code, report(shell).reason) == (2, "not_measured")


def test_every_mode_is_compared_with_the_runs_of_its_own_mode(shell: Shell) -> None:
    for mode in ("conservative", "balanced"):
        asked = ("lme.json", "--mode", mode, "--record", "--output", f"base/{mode}.ndjson")
        assert shell.gate("suite", "longmemeval", *asked).code == 0
    shell.write(
        "eval-gate.yml",
        config(
            "{kind: reference}",
            "baseline: {ledger: .gbrain-evals/eval-results.jsonl, run: latest, mode: balanced}",
            suite=", modes: [conservative, balanced]",
        ),
    )
    assert shell.gate("run").code == 0
    planned = report(shell).plan.baseline
    assert planned is not None
    assert [(each.suite, each.mode) for each in planned.rows] == [
        ("longmemeval-conservative", "conservative"),
        ("longmemeval-balanced", "balanced"),
    ]
    assert any("longmemeval-conservative runs in mode conservative" in note for note in planned.notes)
    assert [suite.paired for suite in report(shell).suites] == [12, 12]


def test_a_mode_that_the_ledger_does_not_know_has_no_baseline(shell: Shell) -> None:
    shell.gate("suite", "longmemeval", "lme.json", "--record")
    shell.write(
        "eval-gate.yml",
        config(
            "{kind: reference}",
            "baseline: {ledger: .gbrain-evals/eval-results.jsonl}",
            suite=", modes: [tokenmax]",
            rules="{metric: recall_all@5, rule: significant}",
        ),
    )
    assert (shell.gate("run").code, report(shell).reason) == (2, "no_baseline")
    (record,) = read_ledger((shell.folder / ".gbrain-evals/eval-results.jsonl").read_bytes()).records
    assert record.mode == "balanced"


def test_changed_questions_are_shown_in_words_where_the_configuration_says_so(shell: Shell) -> None:
    with served(ScriptedSystem(lambda query: reply())) as server:  # noqa: ARG005 - it finds nothing
        system = f'{{kind: http, url: "{server.url}", attempts: 1}}'
        shell.write("eval-gate.yml", config(system))
        shell.gate("run", "--out", "before")
    baseline = "baseline: {receipt: before/receipt.json}"
    shell.write("eval-gate.yml", config("{kind: reference}", baseline, "show-text: true"))
    assert shell.gate("run").code == 0
    (suite,) = report(shell).suites
    assert {flip.text for flip in suite.flips} <= {row["question"] for row in rows(shell)}
    assert suite.flips[0].text is not None
    shell.write("eval-gate.yml", config("{kind: reference}", baseline))
    shell.gate("run")
    assert b"what about" not in (shell.folder / "gate-out/rows/longmemeval.ndjson").read_bytes()
    assert b"what about" not in (shell.folder / "gate-out/receipt.json").read_bytes()


def test_words_are_shown_of_rows_outside_of_the_workspace_too(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "repository/.git").mkdir(parents=True)
    inside = tmp_path / "repository"
    array(inside / "lme.json", [document(number) for number in range(12)])
    with served(ScriptedSystem(lambda query: reply())) as server:  # noqa: ARG005 - it finds nothing
        shell.write("repository/g.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1}}'))
        shell.gate("run", "--config", "repository/g.yml", "--out", "repository/before")
    more = ("baseline: {receipt: before/receipt.json}", "show-text: true")
    shell.write("repository/g.yml", config("{kind: reference}", *more))
    done = shell.gate("run", "--config", "repository/g.yml", "--out", str(tmp_path / "elsewhere"))
    assert done.code == 0, done.err


def test_a_service_is_asked_one_question_at_a_time(shell: Shell) -> None:
    with served(ReferenceSystem()) as server:
        shell.write("eval-gate.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1}}'))
        done = shell.gate("run")
    assert (done.code, len(rows(shell))) == (0, 12), done.err


def test_a_program_is_asked(open_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell(open_folder, capsys)
    array(open_folder / "lme.json", [document(number) for number in range(4)])
    finds = """
def search(query, known):
    words = query["text"].strip("?").split()
    hits = [name for name, each in sorted(known.items()) if words[-1] in each["text"].split()]
    return {"hits": [{"doc_id": name, "score": 1.0, "rank": 1} for name in hits[:1]]}
"""
    shell.write("program.py", searching(finds))
    shell.write("eval-gate.yml", config(f"{{kind: command, run: [{everybodys_python()}, -I, program.py]}}"))
    done = shell.gate("run", "--config", str(open_folder / "eval-gate.yml"), "--out", str(open_folder / "o"))
    assert done.code == 0, done.err


def test_a_system_that_is_down_has_failed_every_question_and_leaves_a_receipt(shell: Shell) -> None:
    down = '{kind: http, url: "http://127.0.0.1:9", attempts: 1, start-timeout: 0.1}'
    shell.write("eval-gate.yml", config(down, suite=", limit: 5"))
    done = shell.gate("run")
    assert (done.code, report(shell).reason) == (1, "suite_failed")
    assert report(shell).suites[0].candidate.errored == 5
    assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_a_mode_that_the_system_has_not_is_a_wrong_configuration(shell: Shell) -> None:
    shell.write("eval-gate.yml", config(suite=", modes: [turbo]"))
    done = shell.gate("run")
    assert (done.code, "has no mode 'turbo'" in done.err) == (78, True)


def test_a_deadline_holds_for_all_suites_together_and_what_was_not_asked_is_told(shell: Shell) -> None:
    def slow(query: Query) -> Reply:  # noqa: ARG001 - whatever is asked
        time.sleep(0.2)
        return reply()

    said = Capabilities(name="slow", modes=("a", "b"))
    with served(ScriptedSystem(slow, said=said)) as server:
        system = f'{{kind: http, url: "{server.url}", attempts: 1}}'
        shell.write("eval-gate.yml", config(system, "deadline: 1s", suite=", modes: [a, b]"))
        began = time.monotonic()
        done = shell.gate("run")
    assert time.monotonic() - began < 30
    assert done.code in (1, 2)
    outcomes = [each for each in report(shell).outcomes if each.reason == "deadline"]
    assert [each.suite for each in outcomes] == ["longmemeval-a", "longmemeval-b"]
    assert outcomes[1].value == 12
    assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_a_run_that_is_ended_in_the_middle_keeps_its_rows_and_says_cancelled(shell: Shell) -> None:
    def slow(query: Query) -> Reply:  # noqa: ARG001 - whatever is asked
        time.sleep(0.1)
        return reply()

    with served(ScriptedSystem(slow)) as server:
        shell.write("eval-gate.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1}}'))
        process = spawn("run", cwd=shell.folder)
        path, until = shell.folder / "gate-out/rows/longmemeval.ndjson", time.monotonic() + 60
        while time.monotonic() < until and (not path.exists() or path.read_bytes().count(b"\n") < 3):
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 143
    receipt = json.loads((shell.folder / "gate-out/receipt.json").read_bytes())
    assert (receipt["reason"], receipt["verdict"]) == ("cancelled", "inconclusive")
    kept = rows(shell)
    assert 2 <= len(kept) < 12
    asked: list[str] = []

    def quick(query: Query) -> Reply:
        asked.append(query.id)
        return reply()

    for more, of_them in ((["--resume"], 12 - len(kept)), ([], 12)):
        asked.clear()
        with served(ScriptedSystem(quick)) as server:
            shell.write("eval-gate.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1}}'))
            done = shell.gate("run", *more)
        assert (len(asked), len(rows(shell))) == (of_them, 12)
        assert (f"continued after {len(kept)} of 12 rows" in done.err) == bool(more)
        earlier = f"{len(kept)} of 12 questions were asked by an earlier start, which was gone on with"
        (measured,) = report(shell).suites
        assert measured.candidate.notes == ((earlier,) if more else ())
        assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_rows_of_another_run_are_not_gone_on_with(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    shell.gate("run")
    before = rows(shell)
    shell.write("eval-gate.yml", config(suite=", k: 3", rules=FLOOR.replace("@5", "@3")))
    done = shell.gate("run", "--resume")

    assert (done.code, "was begun as another run (k: 5 and 3)" in done.err) == (65, True), done.err
    assert rows(shell) == before
    assert shell.gate("run").code == 0


def test_a_system_that_is_down_costs_none_of_the_rows_that_a_stopped_run_has_left(shell: Shell) -> None:
    with served(ScriptedSystem(lambda query: reply((query.id, 1.0)))) as server:
        system = f'{{kind: http, url: "{server.url}", attempts: 1, start-timeout: 0.1}}'
        shell.write("eval-gate.yml", config(system))
        shell.gate("run")
    path = shell.folder / "gate-out/rows/longmemeval.ndjson"
    stopped = b"".join(path.read_bytes().splitlines(keepends=True)[:5])
    path.write_bytes(stopped)

    done = shell.gate("run", "--resume")

    assert (done.code, path.read_bytes()) == (69, stopped)
    assert "gate-out/rows/longmemeval.ndjson: could not be gone on with: " in done.err
    assert "nothing of its rows is lost" in done.err


@pytest.mark.parametrize("left", ["", "no rows", '{"kind":"run_info","questions":12}\n'])
def test_where_nothing_was_begun_resuming_asks_everything(shell: Shell, left: str) -> None:
    shell.write("eval-gate.yml", config())
    shell.write("gate-out/rows/longmemeval.ndjson", left)

    done = shell.gate("run", "--resume")

    assert (done.code, len(rows(shell))) == (0, 12)
    assert "gate-out/rows/longmemeval.ndjson holds no run to go on with: everything is asked" in done.err


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_a_folder_in_the_place_of_the_rows_is_told(shell: Shell, more: list[str]) -> None:
    shell.write("eval-gate.yml", config())
    (shell.folder / "gate-out/rows/longmemeval.ndjson").mkdir(parents=True)

    done = shell.gate("run", *more)

    assert done.code in (65, 69)
    assert "longmemeval.ndjson: " in done.err
    assert "Traceback" not in done.err


@pytest.fixture
def brain(open_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A folder that gbrain may read, with four questions."""
    monkeypatch.chdir(open_folder)
    array(open_folder / "lme.json", [document(number) for number in range(4)])
    return Shell(open_folder, capsys)


def gbrain(shell: Shell, *told_rows: dict[str, object], **files: str) -> str:
    return stand_in(shell.folder, {**answers(told_rows), **files})


def four(**members: Any) -> list[dict[str, object]]:
    return [told(number, **members) for number in range(4)]


def test_gbrain_asks_its_own_questions_and_its_rows_are_judged(brain: Shell) -> None:
    brain.write("eval-gate.yml", config(gbrain(brain, *four())))
    done = brain.gate("run")
    assert done.code == 0, done.err
    assert len(rows(brain)) == 4
    assert "private words" not in (brain.folder / "gate-out/rows/longmemeval.ndjson").read_text()
    assert report(brain).suites[0].candidate.fingerprints["system"] == "gbrain"
    assert brain.gate("verify", "gate-out/receipt.json").code == 0


def test_answers_that_gbrain_has_judged_are_gated(brain: Shell) -> None:
    judged = [told(number, judge_correct=number != 2, judge_model="m") for number in range(4)]
    system = gbrain(brain, *judged)
    rule = "{metric: qa_accuracy, rule: threshold, at-least: 0.9}"
    brain.write(
        "eval-gate.yml", config(system, suite=", answers: true, gbrain-options: [--judge]", rules=rule)
    )
    assert (brain.gate("run").code, report(brain).reason) == (1, "threshold_missed")
    assert [each.value for each in report(brain).outcomes] == [0.75]


@pytest.mark.parametrize(
    ("told_rows", "files", "code", "reason"),
    [
        (four(search_meta={"degraded": ["rerank"]}), {"code": "1"}, 1, "reranker_fell_open"),
        (four(), {"code": "1"}, 1, "suite_failed"),
        ([told(0, mode="tokenmax")], {}, 1, "suite_failed"),
        (four()[:3], {}, 1, "errors_over_limit"),
    ],
)
def test_what_gbrain_leaves_undone_is_never_a_pass(
    brain: Shell,
    told_rows: list[dict[str, object]],
    files: dict[str, str],
    code: int,
    reason: str,
) -> None:
    brain.write("eval-gate.yml", config(gbrain(brain, *told_rows, **files)))
    assert (brain.gate("run").code, report(brain).reason) == (code, reason)
    assert brain.gate("verify", "gate-out/receipt.json").code == 0


def test_gbrain_that_leaves_nothing_has_failed_every_question(brain: Shell) -> None:
    system = gbrain(brain)
    (brain.folder / "answers.jsonl").unlink()
    brain.write("eval-gate.yml", config(system))
    assert (brain.gate("run").code, report(brain).reason) == (1, "suite_failed")
    assert [row["question_id"] for row in rows(brain)] == ["q000", "q001", "q002", "q003"]


def test_a_deadline_ends_gbrain_and_keeps_the_rows_so_far(brain: Shell) -> None:
    system = gbrain(brain, told(0), told(1), hang="")
    brain.write("eval-gate.yml", config(system, "deadline: 4s"))
    done = brain.gate("run")
    assert (done.code, report(brain).reason) == (2, "deadline"), done.err
    assert len(rows(brain)) == 2


def test_a_cancelled_run_by_gbrain_keeps_its_rows_and_says_so(brain: Shell) -> None:
    brain.write("eval-gate.yml", config(gbrain(brain, told(0), hang="")))
    process = spawn("run", cwd=brain.folder, TMPDIR=str(brain.folder))
    until = time.monotonic() + 60
    while not list(brain.folder.glob("gate-gbrain-*/rows.jsonl")) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 143
    assert json.loads((brain.folder / "gate-out/receipt.json").read_bytes())["reason"] == "cancelled"
    assert [row["question_id"] for row in rows(brain)] == ["q000"]


def test_the_published_questions_run_through_the_gate(shell: Shell) -> None:
    data = DATA / "longmemeval-mini.jsonl"
    if not data.exists():
        pytest.skip("the published datasets lie in ../shared, which is not here")
    shell.write("lme.json", data.read_bytes())
    shell.write("eval-gate.yml", config(rules="{metric: recall_any@5, rule: threshold, at-least: 0.5}"))
    done = shell.gate("run")
    assert done.code == 0, done.err
