"""`gate sweep`: every suite in every search mode, by the rules of the configuration."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gate.core.records.ledger import read_ledger
from gate.core.records.system import Capabilities, Query
from gate.store.receipts import read_any_receipt, read_receipt
from tests.cli.calls import Shell
from tests.cli.test_run_suites import NAMES, config, with_collection
from tests.repositories import repository
from tests.run_factories import ledger_bytes, run_object
from tests.scripted_system import Reply, ScriptedSystem, reply
from tests.systems.servers import served

MODES = ("conservative", "balanced", "tokenmax")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return with_collection(Shell(tmp_path, capsys))


def records(shell: Shell, path: str = "gate-out/eval-results.jsonl") -> list[Any]:
    return [record.raw for record in read_ledger((shell.folder / path).read_bytes()).records]


def page(shell: Shell, out: str = "gate-out") -> str:
    return (shell.folder / out / "release.md").read_text()


def worse_when_conservative(query: Query) -> Reply:
    """Finds everybody but, in the conservative mode, bob and carol."""
    name = query.text
    lost = query.mode == "conservative" and name in {"bob", "carol"}
    return reply(("alice", 1.0)) if lost else reply((name, 1.0))


def swept(
    shell: Shell, system: ScriptedSystem, *arguments: str, more: tuple[str, ...] = (), **options: str
) -> int:
    """The exit code of a sweep over a service."""
    with served(system) as server:
        url = f'{{kind: http, url: "{server.url}", attempts: 1, timeout: 5}}'
        shell.write("eval-gate.yml", config(url, *more, **options))
        return shell.gate("sweep", *arguments).code


def modal(search: Any = worse_when_conservative, modes: tuple[str, ...] = MODES) -> ScriptedSystem:
    return ScriptedSystem(search, Capabilities(name="modal", modes=modes))


def test_every_search_mode_is_a_suite_of_the_verdict_and_the_configured_one_keeps_its_name(
    shell: Shell,
) -> None:
    shell.write("eval-gate.yml", config())

    assert shell.gate("sweep").code == 0

    report = read_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    assert report.plan.purpose == "sweep"
    assert {suite.name: suite.candidate.fingerprints["mode"] for suite in report.suites} == {
        "retrieval": "balanced",
        "retrieval-conservative": "conservative",
        "retrieval-tokenmax": "tokenmax",
    }
    assert [outcome.verdict for outcome in report.outcomes] == ["pass"] * 3
    assert shell.gate("verify", "gate-out/receipt.json").code == 0
    assert shell.gate("render", "gate-out/receipt.json").code == 0


def test_every_mode_leaves_a_valid_record_whose_rows_are_compared_again_from_the_ledger(shell: Shell) -> None:
    assert swept(shell, modal()) == 1

    found = records(shell)
    assert sorted((each["suite"], each["mode"], each["status"]) for each in found) == [
        ("retrieval", mode, "completed") for mode in sorted(MODES)
    ]
    assert len({each["run_id"] for each in found}) == 3
    written = ("gate-out/eval-results.jsonl", "gate-out/modes.json", "gate-out/receipt.json")
    assert shell.gate("validate", *written).code == 0
    again = shell.gate("compare", "--input", "gate-out/eval-results.jsonl", "--json").out
    assert again == (shell.folder / "gate-out/modes.json").read_text()
    paired = {
        (each["baseline_mode"], each["candidate_mode"]): (each["delta"], each["wins"], each["losses"])
        for each in json.loads(again)["paired"]
        if each["metric"] == "recall@3"
    }
    assert paired == {
        ("conservative", "balanced"): (pytest.approx(2 / 6), 2, 0),
        ("conservative", "tokenmax"): (pytest.approx(2 / 6), 2, 0),
        ("balanced", "tokenmax"): (0, 0, 0),
    }


def test_the_release_page_says_which_questions_a_mode_loses_and_how_to_do_it_again(shell: Shell) -> None:
    swept(shell, modal(), more=("gate: memory",))

    said = page(shell)
    assert "Failed: <code>recall@3</code> of <code>retrieval-conservative</code> misses its limit" in said
    assert "| recall@3&nbsp;↑&nbsp;(gated) | 66.7&nbsp;% | 100.0&nbsp;% | 100.0&nbsp;% |" in said
    losses = "<code>q-bob</code> by 100.0 points<br><code>q-carol</code> by 100.0 points"
    assert f"| conservative | balanced | 0&nbsp;/&nbsp;2&nbsp;/&nbsp;4 | none | {losses} |" in said
    assert "judges: not stated by any row or receipt" in said
    assert "gate sweep --config eval-gate.yml --out gate-out\n" in said
    (dataset,) = {each["params"]["dataset_sha256"] for each in records(shell)}
    assert dataset in said


def test_words_of_questions_are_on_the_page_only_where_text_is_shown(shell: Shell) -> None:
    swept(shell, modal())
    assert "(bob)" not in page(shell)
    swept(shell, modal(), more=("show-text: true",))
    assert "<code>q-bob</code> (bob) by 100.0 points" in page(shell)


def test_a_former_sweep_is_compared_mode_by_mode(shell: Shell) -> None:
    rule = "{metric: recall@3, rule: significant}"
    swept(shell, modal(lambda query: reply((query.text, 1.0))), "--out", "before", rule=rule)

    code = swept(shell, modal(), "--baseline", "before/receipt.json", rule=rule)

    report = read_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    changed = {suite.name: suite.questions_changed for suite in report.suites}
    assert changed == {"retrieval": 0, "retrieval-conservative": 2, "retrieval-tokenmax": 0}
    assert (code, report.reason) == (2, "too_few_pairs")  # two of six questions could have been chance
    assert shell.gate("verify", "gate-out/receipt.json").code == 0


def test_a_sweep_that_leaves_a_configured_mode_out_can_fail_and_never_pass(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())

    assert shell.gate("sweep", "--modes", "balanced,tokenmax").code == 0
    assert shell.gate("sweep", "--modes", "tokenmax").code == 2
    assert "<code>retrieval</code> was left out: only the modes tokenmax were asked for" in page(shell)
    assert shell.gate("sweep", "--limit", "2").code == 2


def test_a_system_without_a_mode_is_refused_before_it_is_asked_anything(shell: Shell) -> None:
    system = modal(modes=("balanced",))

    assert swept(shell, system) == 78
    assert system.asked == []
    assert not (shell.folder / "gate-out/eval-results.jsonl").exists()
    assert swept(shell, system, "--modes", "balanced") == 0


def test_more_than_the_budget_is_refused_and_the_receipt_says_that_nothing_was_run(shell: Shell) -> None:
    system = modal()
    budget = ("budget-usd: 0.0060",)

    code = swept(shell, system, "--limit", "6", more=budget)

    report = read_any_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    assert (code, report.reason, report.complete, report.suites) == (2, "budget_exhausted", False, ())
    assert "may cost 0.00618 USD" in report.outcomes[0].message  # 3 × 6 × 0.00001, and 6 × 0.001 for tokenmax
    assert system.asked == []
    assert shell.gate("verify", "gate-out/receipt.json").code == 65
    assert swept(shell, modal(), "--limit", "6", "--yes", more=budget) == 1
    assert "gate sweep --config eval-gate.yml --out gate-out --limit 6 --yes\n" in page(shell)
    assert swept(shell, modal(), "--limit", "6", more=("budget-usd: 0.0062",)) == 1


def test_no_page_of_an_earlier_sweep_stays_beside_the_receipt_of_another_run(shell: Shell) -> None:
    swept(shell, modal())
    assert swept(shell, modal(), more=("budget-usd: 0",)) == 2
    assert not (shell.folder / "gate-out/release.md").exists()
    assert (shell.folder / "gate-out/stale/release.md").exists()
    swept(shell, modal())
    assert page(shell)
    shell.gate("run")
    assert not (shell.folder / "gate-out/release.md").exists()


def test_a_refusal_to_begin_is_let_through_by_no_policy(shell: Shell) -> None:
    lenient = ("budget-usd: 0", "on-inconclusive: {default: pass}", "mode: advisory")
    assert swept(shell, modal(), more=lenient) == 2


def test_the_estimate_comes_first_and_the_built_in_system_costs_nothing(shell: Shell) -> None:
    shell.write("eval-gate.yml", config("{kind: reference}", "budget-usd: 0"))
    done = shell.gate("sweep")
    assert done.code == 0
    assert done.out.startswith("together, as far as it is known: 0.000 USD; the budget is 0 USD\n")


def test_an_estimate_without_a_limit_is_called_no_bound(shell: Shell) -> None:
    with served(modal()) as server:
        shell.write("eval-gate.yml", config(f'{{kind: http, url: "{server.url}"}}', "budget-usd: 0"))
        assert "retrieval-tokenmax: about 0.505 USD for every 500 questions; it has no limit\n" in (
            shell.gate("sweep").out
        )
        assert "retrieval-tokenmax: at most about 0.00606 USD\n" in shell.gate("sweep", "--limit", "6").out


def test_a_ledger_of_its_own_is_begun_anew_and_a_named_one_is_added_to(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    for _ in range(2):
        shell.gate("sweep")
        shell.gate("sweep", "--out", "other", "--ledger", ".gbrain-evals/eval-results.jsonl")

    assert len(records(shell)) == 3
    assert len(records(shell, ".gbrain-evals/eval-results.jsonl")) == 6
    assert not (shell.folder / "other/eval-results.jsonl").exists()
    assert "--ledger .gbrain-evals/eval-results.jsonl" in page(shell, "other")
    assert shell.gate("compare").code == 0


def test_a_ledger_that_cannot_be_written_is_told_before_anything_is_asked(shell: Shell) -> None:
    system = modal()
    shell.write("file", "")
    assert swept(shell, system, "--ledger", "file/runs.jsonl") == 69
    assert system.asked == []


@pytest.mark.parametrize(
    "path",
    ["q.json", "eval-gate.yml", "docs/bob.md", "gate-out/receipt.json", "gate-out/rows/retrieval.ndjson"],
)
def test_records_are_added_to_no_file_of_something_else(shell: Shell, path: str) -> None:
    shell.write("eval-gate.yml", config())
    before = {each: each.read_bytes() for each in shell.folder.rglob("*") if each.is_file()}

    done = shell.gate("sweep", "--ledger", path)

    assert (done.code, done.out) == (64, "")
    assert f"--ledger {path}: " in done.err
    assert {each: each.read_bytes() for each in shell.folder.rglob("*") if each.is_file()} == before


@pytest.mark.parametrize("flag", ["--suites", "--modes", "--baseline"])
def test_a_flag_that_says_nothing_is_no_flag_that_is_not_there(shell: Shell, flag: str) -> None:
    shell.write("eval-gate.yml", config())
    for command in ("sweep", "run", "plan"):
        done = shell.gate(command, flag, " ")
        assert (done.code, done.out) == (64, "")
        assert f"{flag} is empty" in done.err


def test_the_ledger_that_would_be_replaced_is_no_baseline(shell: Shell) -> None:
    shell.write("gate-out/eval-results.jsonl", ledger_bytes(run_object(suite="another")))
    shell.write(
        "eval-gate.yml", config("{kind: reference}", "baseline: {ledger: gate-out/eval-results.jsonl}")
    )

    done = shell.gate("sweep")

    assert done.code == 64
    assert "gate-out/eval-results.jsonl is read by this run, and would be overwritten" in done.err
    assert len(records(shell)) == 1
    assert shell.gate("sweep", "--ledger", "runs.jsonl").code == 2  # nothing there is a baseline of it


def test_the_ledger_of_a_former_sweep_is_a_baseline_mode_by_mode_whatever_a_suite_is_called(
    shell: Shell,
) -> None:
    suite = "{suite: retrieval, name: people, corpus: docs, qrels: q.json, k: 3}"
    shell.write("eval-gate.yml", config(suite=suite))
    shell.gate("sweep", "--out", "before")
    baseline = "baseline: {ledger: before/eval-results.jsonl}"
    shell.write("eval-gate.yml", config("{kind: reference}", baseline, suite=suite))

    assert shell.gate("sweep").code == 0

    report = read_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    modes = [
        None if suite.baseline is None else suite.baseline.fingerprints["mode"] for suite in report.suites
    ]
    assert [suite.name for suite in report.suites] == ["people", "people-conservative", "people-tokenmax"]
    assert modes == ["balanced", "conservative", "tokenmax"]


def test_suites_of_one_kind_are_not_mixed_and_rows_that_were_brought_are_recorded_too(shell: Shell) -> None:
    shell.rows("old.ndjson", *({"question_id": f"q-{name}", "recall@3": 1} for name in NAMES))
    suites = (
        "{suite: retrieval, name: one, corpus: docs, qrels: q.json, k: 3}, "
        "{suite: retrieval, name: two, corpus: docs, qrels: q.json, k: 3, modes: [balanced, tokenmax]}, "
        "{suite: rows, name: brought, rows: old.ndjson}"
    )
    shell.write("eval-gate.yml", config(suite=suites))

    assert shell.gate("sweep").code == 0

    found = sorted((each["suite"], each["mode"]) for each in records(shell))
    assert found == [
        ("brought", "n/a"),
        *(("one", mode) for mode in sorted(MODES)),
        *(("two", mode) for mode in sorted(MODES)),
    ]
    (brought,) = (each for each in records(shell) if each["suite"] == "brought")
    assert (brought["params"]["output"], brought["metrics"]) == ("old.ndjson", {"recall@3": 1})
    assert "### brought" in page(shell)


def test_broken_rows_are_told_before_anybody_is_asked(shell: Shell) -> None:
    shell.write("old.ndjson", '{"question_id": "q-bob", "recall@3": 1}\nno row\n')
    suites = (
        "{suite: retrieval, corpus: docs, qrels: q.json, k: 3}, {suite: rows, name: old, rows: old.ndjson}"
    )
    system = modal()

    assert swept(shell, system, suite=suites) == 65
    assert system.asked == []


def test_rows_of_several_modes_that_were_brought_stand_side_by_side(shell: Shell) -> None:
    for mode, lost in (("balanced", {"bob"}), ("tokenmax", set())):
        found = ({"question_id": f"q-{name}", "recall@3": float(name not in lost)} for name in NAMES)
        shell.rows(f"{mode}.ndjson", {"kind": "run_info", "fingerprints": {"mode": mode}}, *found)
    suites = ", ".join(
        f"{{suite: rows, name: qa-{mode}, rows: {mode}.ndjson}}" for mode in ("balanced", "tokenmax")
    )
    shell.write(
        "eval-gate.yml",
        config("{kind: rows}", suite=suites, rule="{metric: recall@3, rule: threshold, at-least: 0.5}"),
    )

    assert shell.gate("sweep").code == 0

    assert [(each["suite"], each["mode"]) for each in records(shell)] == [
        ("qa", "balanced"),
        ("qa", "tokenmax"),
    ]
    assert "### qa\n\n| metric | balanced<br>6&nbsp;questions | tokenmax<br>6&nbsp;questions |" in page(shell)
    assert (
        "| tokenmax | balanced | 1&nbsp;/&nbsp;0&nbsp;/&nbsp;5 | <code>q-bob</code> by 100.0 points |"
        in page(shell)
    )
    again = shell.gate("compare", "--input", "gate-out/eval-results.jsonl", "--json").out
    assert again == (shell.folder / "gate-out/modes.json").read_text()


def test_a_service_that_does_not_answer_fails_every_mode_and_each_failure_is_recorded(shell: Shell) -> None:
    shell.write(
        "eval-gate.yml", config('{kind: http, url: "http://127.0.0.1:9", attempts: 1, start-timeout: 0.1}')
    )
    assert shell.gate("sweep").code == 1
    assert [each["status"] for each in records(shell)] == ["failed"] * 3
    assert "<code>retrieval-tokenmax</code> is recorded as failed: suite_failed" in page(shell)


def test_json_is_the_report_and_nothing_else(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    assert shell.gate("sweep", "--json").document["verdict"] == "pass"


def test_an_output_folder_outside_of_the_workspace_works_too(shell: Shell, tmp_path: Path) -> None:
    (shell.folder / "repository/.git").mkdir(parents=True)
    with_collection(shell, "repository/")
    shell.write("repository/eval-gate.yml", config())
    outside = tmp_path / "elsewhere"

    assert shell.gate("sweep", "--config", "repository/eval-gate.yml", "--out", str(outside)).code == 0

    (*_, record) = records(shell, "elsewhere/eval-results.jsonl")
    assert Path(record["params"]["output"]).exists()
    assert "balanced" in page(shell, "elsewhere")


def test_a_sweep_that_is_stopped_keeps_what_has_ended(shell: Shell) -> None:
    def slow_when_conservative(query: Query) -> Reply:
        time.sleep(30 if query.mode == "conservative" else 0)
        return reply((query.text, 1.0))

    with served(modal(slow_when_conservative)) as server:
        shell.write("eval-gate.yml", config(f'{{kind: http, url: "{server.url}", attempts: 1}}'))
        program = subprocess.Popen(
            [sys.executable, "-m", "gate", "sweep"], cwd=shell.folder, stderr=subprocess.PIPE, text=True
        )
        assert program.stderr is not None
        for line in program.stderr:
            if "conservative" in line:
                break
        program.send_signal(signal.SIGTERM)
        program.communicate(timeout=60)

    assert program.returncode == 143
    report = read_any_receipt(shell.folder / "gate-out/receipt.json", "receipt")
    assert (report.reason, report.complete) == ("cancelled", False)
    balanced, conservative = records(shell)
    assert (balanced["mode"], balanced["status"]) == ("balanced", "completed")
    assert (conservative["mode"], conservative["status"]) == ("conservative", "failed")
    assert conservative["error"].startswith("cancelled: ")
    assert not (shell.folder / "gate-out/release.md").exists()
    assert (shell.folder / balanced["params"]["output"]).stat().st_size > 0


def test_what_no_commit_holds_is_on_the_page_and_the_sweep_s_own_files_do_not_count(shell: Shell) -> None:
    shell.write("eval-gate.yml", config())
    assert shell.gate("sweep").code == 0
    assert "- commit: unknown, with or without uncommitted files: there is no git repository" in page(shell)

    repository(shell.folder)
    shell.gate("sweep", "--ledger", "runs.jsonl")
    shell.gate("sweep", "--ledger", "runs.jsonl")
    assert "uncommitted" not in page(shell)
    shell.write("docs/alice.md", "alice walks by the river, quickly")
    shell.write("docs/new.md", "nobody")
    assert shell.gate("sweep", "--ledger", "runs.jsonl").code == 0
    assert ", with 2 uncommitted files: <code>docs/alice.md</code>, <code>docs/new.md</code>\n" in page(shell)
