"""`gate run` with replay suites that it asks itself."""

import json
from pathlib import Path

import pytest

from gate.core.records.system import Document
from gate.core.report import Report
from gate.store.receipts import read_receipt
from gate.systems.reference import ReferenceSystem
from tests.cli.calls import Shell
from tests.cli.test_suite_replay import MOVED, SAME, captured, published
from tests.core.replay.captures import lines, row
from tests.core.replay.test_reported import report as told
from tests.core.replay.test_reported import result
from tests.gbrain_runs import stand_in
from tests.programs import everybodys_python, open_folder
from tests.scripted_system import ScriptedSystem, failed
from tests.systems.servers import served

__all__ = ["open_folder"]

DATA = Path(__file__).parents[3] / "shared" / "data" / "gbrain"
FLOOR = "{metric: top1_stability, rule: threshold, at-least: 0.1}"


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return with_pages(Shell(tmp_path, capsys))


def with_pages(shell: Shell) -> Shell:
    shell.write("docs/people/alice.md", "Alice founded the widget company in spring.")
    shell.write("docs/people/bob.md", "Bob sells gadgets and repairs bicycles.")
    return shell


def config(
    system: str = "{kind: reference}", *more: str, suite: str = ", corpus: docs", rules: str = FLOOR
) -> str:
    asked = f"{{suite: replay, against: c.ndjson{suite}}}"
    return "\n".join(["version: 1", f"system: {system}", f"suites: [{asked}]", f"rules: [{rules}]", *more])


def report(shell: Shell) -> Report:
    return read_receipt(shell.folder / "gate-out/receipt.json", "receipt")


def ran(shell: Shell, text: str) -> tuple[int, str | None]:
    """A run by a configuration that derives again: its exit code and its reason."""
    shell.write("eval-gate.yml", text)
    done = shell.gate("run")
    assert shell.gate("verify", "gate-out/receipt.json").code == 0, done.err
    return done.code, report(shell).reason


def test_answers_that_stayed_hold_and_everything_is_pinned(shell: Shell) -> None:
    shell.write("c.ndjson", published(*SAME))
    assert ran(shell, config()) == (0, None)
    (suite,) = report(shell).suites
    assert (suite.name, suite.candidate.questions) == ("replay", 2)
    inputs = shell.gate("plan").document["plan"]["suites"][0]["inputs"]
    assert len(inputs["against"]["sha256"]) == len(inputs["corpus"]["sha256"]) == 64
    assert shell.gate("validate", "gate-out/rows/replay.ndjson").code == 0


def test_a_threshold_of_the_file_that_is_missed_fails_whatever_the_rules_say(shell: Shell) -> None:
    shell.write("c.ndjson", published(*SAME, MOVED))
    assert ran(shell, config()) == (1, "threshold_missed")
    said = [each.message for each in report(shell).outcomes if each.reason == "threshold_missed"]
    assert said == [
        "replay: mean_jaccard@k is 0.6667, the threshold is 0.85",
        "replay: top1_stability_rate is 0.6667, the threshold is 0.8",
    ]
    assert "mean_jaccard@k is 0.6667" in (shell.folder / "gate-out/comment.md").read_text()


def test_thresholds_of_the_configuration_come_before_those_of_the_file(shell: Shell) -> None:
    shell.write("c.ndjson", published(*SAME, MOVED))
    held = ", corpus: docs, thresholds: {jaccard: 0.5, top1: 0.5}"
    assert ran(shell, config(suite=held)) == (0, None)
    shell.write("c.ndjson", lines(*SAME, MOVED))
    assert ran(shell, config()) == (0, None)
    assert ran(shell, config(suite=", corpus: docs, thresholds: {top1: 0.9}")) == (1, "threshold_missed")


def test_the_same_rows_get_the_same_verdict_when_they_are_handed_in(shell: Shell) -> None:
    shell.write("c.ndjson", published(*SAME, MOVED))
    asked = ("--against", "c.ndjson", "--corpus", "docs", "--output", "rows.ndjson")
    assert shell.gate("suite", "replay", *asked).code == 1
    handed = f"version: 1\nsuites: [{{suite: rows, name: replay, rows: rows.ndjson}}]\nrules: [{FLOOR}]"
    assert ran(shell, handed) == (1, "threshold_missed")


def test_the_same_configuration_gives_the_same_rows_but_for_the_clock(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME, MOVED))
    shell.write(
        "eval-gate.yml", config(suite=", corpus: docs, modes: [conservative, tokenmax], compare-limit: 1")
    )

    def rows(folder: str, mode: str) -> list[dict[str, object]]:
        assert shell.gate("run", "--out", folder).code == 0
        read = (shell.folder / folder / f"rows/replay-{mode}.ndjson").read_text().splitlines()
        timeless = ("latency_ms", "latency_delta_ms", "over_2x_latency")
        return [
            {key: value for key, value in json.loads(line).items() if key not in timeless} for line in read
        ]

    for mode in ("conservative", "tokenmax"):
        assert rows("one", mode) == rows("two", mode)


def test_a_service_answers_from_its_own_documents(shell: Shell) -> None:
    reference = ReferenceSystem()
    reference.ingest((Document(id="people/bob", text="Bob repairs bicycles."),))
    shell.write("c.ndjson", published(SAME[1]))
    with served(reference) as server:
        assert ran(shell, config(f'{{kind: http, url: "{server.url}", attempts: 1}}', suite="")) == (0, None)


def test_errored_queries_count_against_the_thresholds(shell: Shell) -> None:
    shell.write("c.ndjson", published(*SAME))
    with served(ScriptedSystem(lambda query: failed("refused"))) as server:  # noqa: ARG005 - whatever is asked
        code, _ = ran(
            shell,
            config(f'{{kind: http, url: "{server.url}", attempts: 1}}', "limits: {errors: 1}", suite=""),
        )
    assert code == 1
    said = [each.message for each in report(shell).outcomes if each.reason == "threshold_missed"]
    assert said[0] == "replay: mean_jaccard@k is 0, the threshold is 0.85"


def test_a_system_that_is_down_fails_the_suite_and_leaves_a_receipt(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME))
    down = '{kind: http, url: "http://127.0.0.1:9", attempts: 1, start-timeout: 0.1}'
    assert ran(shell, config(down, suite="")) == (1, "suite_failed")


def test_nothing_to_ask_is_no_pass(shell: Shell) -> None:
    shell.write("c.ndjson", lines(captured("  ", "people/alice")))
    assert ran(shell, config()) == (2, "empty_suite")


def test_captures_that_were_changed_by_hand_are_invalid(shell: Shell) -> None:
    shell.write("c.ndjson", published(*SAME).replace(b'"row_count":2', b'"row_count":3'))
    shell.write("eval-gate.yml", config())
    done = shell.gate("run")
    assert (done.code, "the header says `row_count` 3" in done.err) == (65, True)


def test_queries_are_shown_in_words_where_the_configuration_says_so(shell: Shell) -> None:
    shell.write("c.ndjson", lines(*SAME))
    assert ran(shell, config()) == (0, None)
    assert b"bicycles" not in (shell.folder / "gate-out/rows/replay.ndjson").read_bytes()
    assert ran(shell, config("{kind: reference}", "show-text: true")) == (0, None)
    assert b"bicycles" in (shell.folder / "gate-out/rows/replay.ndjson").read_bytes()


@pytest.fixture
def brain(open_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(open_folder)
    shell = Shell(open_folder, capsys)
    shell.write("c.ndjson", lines(row("a"), row("b", id=8)))
    return shell


def test_gbrain_replays_on_its_own_documents(brain: Shell) -> None:
    told_rows = (result(query="a"), result(query="b"))
    system = stand_in(brain.folder, {"replay.json": json.dumps(told(*told_rows))})
    assert ran(brain, config(system, suite=", thresholds: {top1: 1}")) == (0, None)


def test_gbrain_that_reports_on_others_has_failed_every_query(brain: Shell) -> None:
    system = stand_in(brain.folder, {"replay.json": json.dumps(told(result(query="c")))})
    assert ran(brain, config(system, suite="")) == (1, "suite_failed")
    assert report(brain).suites[0].candidate.errored == 2


@pytest.mark.parametrize(
    ("more", "timeout", "code", "reason"),
    [("deadline: 1s", "60", 2, "deadline"), ("show-text: false", "0.5", 1, "suite_failed")],
)
def test_gbrain_that_hangs_is_ended_by_the_deadline_or_by_its_own_timeout(
    brain: Shell, more: str, timeout: str, code: int, reason: str
) -> None:
    brain.write("hang.py", "import time\ntime.sleep(60)\n")
    system = f"{{kind: gbrain, run: [{everybodys_python()}, -I, hang.py], timeout: {timeout}}}"
    assert ran(brain, config(system, more, suite="")) == (code, reason)
    assert [each.value for each in report(brain).outcomes if each.reason == reason] == [2]


def test_the_published_captures_are_replayed(shell: Shell) -> None:
    data = DATA / "v0.41-launch.baseline.ndjson"
    if not data.exists():
        pytest.skip("the published captures lie in ../shared, which is not here")
    shell.write("c.ndjson", data.read_bytes())
    code, reason = ran(shell, config(rules="{metric: latency_ms, rule: threshold, at-most: 10000}"))
    assert (code, reason) == (1, "threshold_missed")  # these pages are not here
    assert report(shell).suites[0].candidate.questions == 12
