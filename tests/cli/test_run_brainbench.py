"""`gate run` with the BrainBench suite, run by gbrain or read."""

from pathlib import Path

import pytest

from gate.core.report import Report
from gate.store.receipts import read_receipt
from tests.cli.calls import Shell
from tests.cli.test_suite_brainbench import committed, written
from tests.core.brainbench.results import BASELINE, RESULT, real
from tests.gbrain_runs import stand_in
from tests.programs import everybodys_python, open_folder

__all__ = ["open_folder"]

LEAKS = "{metric: source_isolation_violations, rule: threshold, at-most: 0}"


@pytest.fixture
def brain(open_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A folder that gbrain may read."""
    monkeypatch.chdir(open_folder)
    return Shell(open_folder, capsys)


def config(
    system: str = "{kind: rows}", *more: str, suite: str = ", result: r.json, baseline: main.json"
) -> str:
    lines = [f"system: {system}", f"suites: [{{suite: brainbench{suite}}}]", f"rules: [{LEAKS}]", *more]
    return "\n".join(["version: 1", *lines])


def report(shell: Shell) -> Report:
    return read_receipt(shell.folder / "gate-out/receipt.json", "receipt")


def ran(shell: Shell, text: str) -> tuple[int, str | None]:
    """A run by a configuration that derives again: its exit code and its reason."""
    shell.write("eval-gate.yml", text)
    done = shell.gate("run")
    assert (shell.folder / "gate-out/receipt.json").exists(), done.err
    assert shell.gate("verify", "gate-out/receipt.json").code == 0
    return done.code, report(shell).reason


def test_the_real_result_holds_against_the_real_baseline(brain: Shell) -> None:
    brain.write("r.json", real(RESULT))
    brain.write("main.json", real(BASELINE))
    assert ran(brain, config()) == (0, None)
    (suite,) = report(brain).suites
    assert (suite.candidate.questions, suite.candidate.fingerprints["mode"]) == (804, "n/a")
    inputs = brain.gate("plan").document["plan"]["suites"][0]["inputs"]
    assert len(inputs["result"]["sha256"]) == len(inputs["committed"]["sha256"]) == 64
    assert brain.gate("validate", "gate-out/rows/brainbench.ndjson", "gate-out/receipt.json").code == 0


def test_gbrain_runs_it(brain: Shell) -> None:
    brain.write("main.json", real(BASELINE))
    system = stand_in(brain.folder, {"brainbench.json": real(RESULT).decode()})
    assert ran(brain, config(system, suite=", baseline: main.json")) == (0, None)


def test_a_missed_page_more_fails_and_says_which(brain: Shell) -> None:
    system = stand_in(brain.folder, {"brainbench.json": written(failed=2).decode()})
    brain.write("main.json", committed(written()))
    code, _ = ran(brain, config(system, suite=", baseline: main.json"))
    assert code == 1
    worse = {each.rule: each.message for each in report(brain).outcomes if each.reason == "regression"}
    assert (
        worse["codex/push gold_failed"] == "brainbench: codex/push gold_failed: 1 more pieces of gold missed"
    )


def test_what_got_worse_may_be_allowed_with_a_reason(brain: Shell) -> None:
    brain.write("r.json", written(failed=2))
    brain.write("main.json", committed(written()))
    allowed = ", result: r.json, baseline: main.json, allow-regression: smaller index"
    brain.write("eval-gate.yml", config(suite=allowed))
    brain.gate("run")
    assert [each.reason for each in report(brain).outcomes if each.reason == "regression"] == []
    assert "allowed: smaller index" in (brain.folder / "gate-out/rows/brainbench.ndjson").read_text()


def test_a_baseline_that_is_not_there_is_inconclusive(brain: Shell) -> None:
    brain.write("r.json", real(RESULT))
    assert ran(brain, config()) == (2, "no_baseline")


def test_the_same_rows_get_the_same_verdict_when_they_are_handed_in(brain: Shell) -> None:
    brain.write("r.json", written(failed=2))
    brain.write("main.json", committed(written()))
    call = ("--result", "r.json", "--baseline", "main.json", "--output", "rows.ndjson")
    assert brain.gate("suite", "brainbench", *call).code == 1
    handed = f"version: 1\nsuites: [{{suite: rows, name: brainbench, rows: rows.ndjson}}]\nrules: [{LEAKS}]"
    code, reason = ran(brain, handed)
    assert (code, reason) == ran(brain, config())


def test_a_runner_that_leaves_no_result_fails_the_suite_and_leaves_a_receipt(brain: Shell) -> None:
    assert ran(brain, config(stand_in(brain.folder, {}), suite="")) == (1, "suite_failed")
    said = [each.message for each in report(brain).outcomes if each.reason == "suite_failed"]
    assert said == ["brainbench: the system failed, and nothing was measured"]


def test_a_result_that_contradicts_its_turns_is_invalid_and_leaves_no_verdict(brain: Shell) -> None:
    brain.write(
        "r.json",
        real(RESULT)
        .replace(b'"gold_failed":0', b'"gold_failed":1')
        .replace(b'"gold_failed": 0', b'"gold_failed": 1'),
    )
    brain.write("main.json", real(BASELINE))
    brain.write("eval-gate.yml", config())
    done = brain.gate("run")
    assert (done.code, "contradicts its own turns" in done.err) == (65, True), done.err
    assert not (brain.folder / "gate-out/receipt.json").exists()


def test_without_a_baseline_nothing_but_leaks_is_judged(brain: Shell) -> None:
    brain.write("r.json", real(RESULT))
    assert ran(brain, config(suite=", result: r.json")) == (0, None)


def test_a_rule_on_what_only_some_turns_can_get_right_is_decided(brain: Shell) -> None:
    brain.write("r.json", real(RESULT))
    text = config(suite=", result: r.json")
    assert ran(brain, text.replace(LEAKS, "{metric: push_recall, rule: threshold, at-least: 0.8}")) == (
        0,
        None,
    )
    assert ran(brain, text.replace(LEAKS, "{metric: push_recall, rule: threshold, at-least: 0.99}"))[0] == 1


@pytest.mark.parametrize(
    ("more", "code", "reason", "said"),
    [
        ("deadline: 1s", 2, "deadline", "the deadline came before anything was measured"),
        ("show-text: false", 1, "suite_failed", "the system failed, and nothing was measured"),
    ],
)
def test_a_runner_that_hangs_is_ended_by_the_deadline_or_by_its_own_timeout(
    brain: Shell, more: str, code: int, reason: str, said: str
) -> None:
    brain.write("hang.py", "import time\ntime.sleep(60)\n")
    timeout = "60" if reason == "deadline" else "0.5"
    system = f"{{kind: gbrain, run: [{everybodys_python()}, -I, hang.py], timeout: {timeout}}}"
    assert ran(brain, config(system, more, suite="")) == (code, reason)
    assert f"brainbench: {said}" in [each.message for each in report(brain).outcomes]
