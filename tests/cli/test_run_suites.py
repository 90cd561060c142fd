"""`gate run` with suites that it asks itself."""

import json
from pathlib import Path

import pytest

from gate.core.records.suite_inputs import RetrievalInputs
from gate.core.records.system import Capabilities, Flags, Query
from gate.store.receipts import read_receipt
from tests.cli.calls import Shell
from tests.programs import FINDS_ALL, everybodys_python, open_folder, searching
from tests.scripted_system import Reply, ScriptedSystem, failed, reply
from tests.systems.servers import served

__all__ = ["open_folder"]

NAMES = ("alice", "bob", "carol", "dora", "emil", "fay")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return with_collection(Shell(tmp_path, capsys))


def with_collection(shell: Shell, folder: str = "") -> Shell:
    for name in NAMES:
        shell.write(f"{folder}docs/{name}.md", f"{name} walks by the river")
    queries = [
        {"id": f"q-{name}", "query": name, "relevant": [name], "question_type": "who"} for name in NAMES
    ]
    shell.write(f"{folder}q.json", json.dumps({"version": 1, "queries": queries}))
    return shell


def config(
    system: str = "{kind: reference}",
    *more: str,
    suite: str = "{suite: retrieval, corpus: docs, qrels: q.json, k: 3}",
    rule: str = "{metric: recall@3, rule: threshold, at-least: 0.9}",
) -> str:
    lines = ["version: 1", f"system: {system}", f"suites: [{suite}]", f"rules: [{rule}]", *more]
    return "\n".join(lines)


def asked(system: ScriptedSystem, shell: Shell, *more: str) -> tuple[int, str, str | None]:
    """A run against a service, its verdict and reason."""
    with served(system) as server:
        shell.write(
            "eval-gate.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1, timeout: 5}}', *more)
        )
        code = shell.gate("run").code
    report = read_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    return code, report.verdict, report.reason


def all_found(flags: Flags | None = None) -> dict[str, Reply]:
    return {f"q-{name}": reply((name, 1.0), flags=flags) for name in NAMES}


def test_the_suite_is_asked_and_judged_and_its_receipt_derives_again(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())

    assert shell.gate("run").code == 0

    report = read_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    (suite,) = report.suites
    assert suite.candidate.rows is not None
    assert (suite.candidate.rows.path, suite.candidate.questions) == ("gate-out/rows/retrieval.ndjson", 6)
    assert isinstance(report.plan.suites[0].inputs, RetrievalInputs)
    assert report.plan.suites[0].inputs.corpus.path == "docs"
    assert shell.gate("verify", "gate-out/receipt.json").code == 0
    assert shell.gate("validate", "gate-out/receipt.json", "gate-out/rows/retrieval.ndjson").code == 0


def test_a_missed_floor_fails(shell: Shell) -> None:
    shell.write("eval-gate.yml", config(rule="{metric: precision@3, rule: threshold, at-least: 0.9}"))
    assert shell.gate("run").code == 1


def test_each_mode_is_a_suite_of_its_own(shell: Shell) -> None:
    suite = "{suite: retrieval, corpus: docs, qrels: q.json, k: [1, 3], modes: [conservative, tokenmax], limit: 4}"
    shell.write("eval-gate.yml", config(suite=suite))
    assert shell.gate("run").code == 0
    report = read_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    assert [suite.name for suite in report.suites] == ["retrieval-conservative", "retrieval-tokenmax"]
    assert [suite.candidate.fingerprints["mode"] for suite in report.suites] == ["conservative", "tokenmax"]
    assert [suite.candidate.questions for suite in report.suites] == [4, 4]


def test_the_plan_pins_every_input_and_runs_nothing(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    planned = shell.gate("plan").document["plan"]
    inputs = planned["suites"][0]["inputs"]
    assert len(inputs["corpus"]["sha256"]) == len(inputs["qrels"]["sha256"]) == 64
    assert (inputs["cuts"], inputs["mode"]) == ([3], "balanced")
    assert planned["system"]["kind"] == "reference"
    assert not (shell.folder / "gate-out").exists()


def test_paths_start_at_the_configurations_folder(shell: Shell) -> None:
    with_collection(shell, "evals/")
    shell.write("evals/eval-gate.yml", config())
    assert shell.gate("run", "--config", "evals/eval-gate.yml").code == 0


def test_a_run_is_compared_with_the_receipt_of_an_earlier_one(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    assert shell.gate("run", "--out", "before").code == 0
    shell.write("eval-gate.yml", config("{kind: reference}", "baseline: {receipt: before/receipt.json}"))
    assert shell.gate("run").code == 0
    (suite,) = read_receipt(shell.folder / "gate-out/receipt.json", "receipt").suites
    assert (suite.paired, suite.content_changed, suite.rankings_changed) == (6, 0, 0)


def test_another_corpus_is_another_measurement(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    shell.gate("run", "--out", "before")
    shell.write("docs/extra.md", "nothing of interest")
    shell.write(
        "eval-gate.yml",
        config(
            "{kind: reference}",
            "baseline: {receipt: before/receipt.json}",
            rule="{metric: recall@3, rule: significant}",
        ),
    )
    done = shell.gate("run")
    assert done.code == 2
    assert "corpus_sha256" in done.out


def test_an_edited_question_leaves_the_others_comparable(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    shell.gate("run", "--out", "before")
    changed = (shell.folder / "q.json").read_text().replace('"query": "bob"', '"query": "bob river"')
    shell.write("q.json", changed)
    shell.write("eval-gate.yml", config("{kind: reference}", "baseline: {receipt: before/receipt.json}"))
    shell.gate("run")
    (suite,) = read_receipt(shell.folder / "gate-out/receipt.json", "receipt").suites
    assert (suite.paired, suite.content_changed) == (5, 1)


def test_an_output_folder_outside_of_the_workspace_works_too(shell: Shell, tmp_path: Path) -> None:
    (shell.folder / "repository/.git").mkdir(parents=True)
    with_collection(shell, "repository/")
    shell.write("repository/eval-gate.yml", config())
    done = shell.gate("run", "--config", "repository/eval-gate.yml", "--out", str(tmp_path / "elsewhere"))
    assert done.code == 0
    assert (tmp_path / "elsewhere/rows/retrieval.ndjson").exists()


def test_a_service_is_asked(shell: Shell) -> None:
    assert asked(ScriptedSystem(all_found()), shell) == (0, "pass", None)


def test_errors_over_the_limit_fail(shell: Shell) -> None:
    replies = {**all_found(), "q-bob": failed("refused")}
    assert asked(ScriptedSystem(replies), shell) == (1, "fail", "errors_over_limit")


def test_a_system_that_never_comes_up_fails_the_suite_and_leaves_a_receipt(shell: Shell) -> None:
    shell.write(
        "eval-gate.yml", config('{kind: http, url: "http://127.0.0.1:9", attempts: 1, start-timeout: 0.1}')
    )
    done = shell.gate("run")
    report = read_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    assert (done.code, report.verdict, report.reason) == (1, "fail", "suite_failed")
    assert report.suites[0].candidate.errored == 6


@pytest.mark.parametrize(
    ("flags", "required", "reason"),
    [
        (Flags(reranked=False), "reranker", "reranker_fell_open"),
        (Flags(), "reranker", "reranker_fell_open"),
        (Flags(vector_enabled=False), "vector", "vector_degraded"),
        (Flags(expansion_applied=False), "expansion", "expansion_failed"),
        (Flags(degraded=("vector_degraded",)), None, "vector_degraded"),
    ],
)
def test_a_run_that_silently_did_without_fails_however_good_it_is(
    shell: Shell, flags: Flags, required: str | None, reason: str
) -> None:
    more = () if required is None else (f"require: [{required}]",)
    assert asked(ScriptedSystem(all_found(flags)), shell, *more) == (1, "fail", reason)
    assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_a_run_with_everything_it_asked_for_passes(shell: Shell) -> None:
    flags = Flags(vector_enabled=True, reranked=True, expansion_applied=True)
    required = "require: [vector, reranker, expansion]"
    assert asked(ScriptedSystem(all_found(flags)), shell, required) == (0, "pass", None)


def test_a_deadline_is_inconclusive(shell: Shell) -> None:
    import time

    def slow(query: Query) -> Reply:
        time.sleep(0.5)
        return reply((query.text.removeprefix("q-"), 1.0))

    code, verdict, reason = asked(ScriptedSystem(slow), shell, "deadline: 1s")
    assert (code, verdict, reason) == (2, "inconclusive", "deadline")


def test_a_suite_that_asks_needs_a_system(shell: Shell) -> None:
    shell.write("eval-gate.yml", config("{kind: rows}"))
    done = shell.gate("run")
    assert done.code == 78
    assert "suites[0].suite: `retrieval` asks the system under test; say which under `system`" in done.err


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("{kind: http}", "url"),
        ("{kind: http, url: 'ftp://x'}", "http://"),
        ("{kind: command, run: []}", "at least one"),
        ("{kind: turbo}", "turbo"),
        ("{kind: reference, url: 'http://x'}", "url"),
        ("{kind: http, url: 'http://x', token-env: 'NOT_SET'}", "the variable NOT_SET holds no token"),
        ("{kind: http, url: 'http://me:pw@x'}", "token-env"),
        ("{kind: command, run: [x], env: [GITHUB_TOKEN]}", "GITHUB_TOKEN is never handed"),
    ],
)
def test_a_system_that_cannot_be_meant_is_told(shell: Shell, system: str, said: str) -> None:
    shell.write("eval-gate.yml", config(system))
    done = shell.gate("run")
    assert done.code == 78
    assert said in done.err


def test_a_program_is_asked_in_the_configurations_folder(
    open_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(open_folder)
    shell = with_collection(Shell(open_folder, capsys), "evals/")
    shell.write("evals/program.py", searching(FINDS_ALL))
    system = f"{{kind: command, run: [{everybodys_python()}, -I, program.py]}}"
    rule = "{metric: recall@3, rule: threshold, at-least: 0.4}"
    shell.write("evals/eval-gate.yml", config(system, rule=rule))
    assert shell.gate("run", "--config", "evals/eval-gate.yml").code == 0


# -- what is measured, said by flags ------------------------------------------------------------------------------


def test_a_limit_on_the_command_line_asks_fewer_and_never_passes(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    run = shell.gate("run", "--limit", "4")

    assert run.code == 2
    assert "retrieval: at most 4 questions were asked" in run.out
    assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_a_limit_that_leaves_no_question_out_passes(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())

    assert shell.gate("run", "--limit", str(len(NAMES) + 1)).code == 0


def test_modes_that_are_added_are_measured_beside_the_configured_one(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    run = shell.gate("run", "--modes", "balanced,tokenmax", "--json")

    assert run.code == 0
    assert [suite["name"] for suite in run.document["suites"]] == ["retrieval", "retrieval-tokenmax"]


def test_a_plan_shows_what_a_run_would_leave_out(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    plan = shell.gate("plan", "--modes", "tokenmax").document["plan"]

    assert plan["left_out"] == [{"suite": "retrieval", "why": "only the modes tokenmax were asked for"}]


def test_a_receipt_is_named_from_where_the_user_stands(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.write("eval-gate.yml", config())
    shell.gate("run", "--out", "sub/before")
    monkeypatch.chdir(shell.folder / "sub")
    plan = shell.gate("plan", "--config", "../eval-gate.yml", "--baseline", "before/receipt.json").document

    assert plan["plan"]["baseline"]["source"] == "sub/before/receipt.json"


def test_a_mode_that_one_suite_of_several_lacks_is_refused_before_any_is_asked(shell: Shell) -> None:
    system = ScriptedSystem(all_found(), Capabilities(name="one-mode", modes=("balanced",)))
    with served(system) as server:
        shell.write("eval-gate.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1, timeout: 5}}'))
        done = shell.gate("run", "--modes", "balanced,tokenmax")

    assert (done.code, system.asked) == (78, [])
    assert "has no mode 'tokenmax': nothing was run" in done.err
