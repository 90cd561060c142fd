"""`gate run` with a panel of judges as its suite: real pages, real servers on loopback, real cassettes."""

import json
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from gate.core.records.takes_receipt import DIMENSIONS
from gate.core.report import Report
from gate.store.receipts import read_any_receipt, read_receipt
from gate.store.takes_receipts import read_takes_receipt
from tests.cli.calls import Call, called
from tests.core.judging.factories import reply_text, scores
from tests.gbrain_tables import create_tables
from tests.program import spawn
from tests.providers.wire import Answer, Wire, openai_body, wire
from tests.takes_factories import take, write_pages

PANEL = ("first:judge-one", "second:judge-two", "third:judge-three")
TAKES = [take("people/ada", row) for row in (1, 2, 3)] + [take("companies/lumen", row) for row in (1, 2, 3)]
RULE = "{metric: accuracy, rule: threshold, at-least: 1}"


def answer(*values: float, improvements: Sequence[str] = (), **overrides: Any) -> Answer:
    return Answer(body=openai_body(reply_text(scores(*values), improvements=improvements)), **overrides)


class Desk:
    """A workspace with pages and judges, and the gate."""

    def __init__(self, folder: Path, captured: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.captured = captured
        self.environment: dict[str, str] = {}

    def judged_by(self, *servers: Wire) -> None:
        for name, server in zip(("FIRST", "SECOND", "THIRD"), servers, strict=True):
            self.environment[f"{name}_BASE_URL"] = f"{server.url}/v1"

    def config(self, *keys: str, suite: str = "", rules: str = RULE, name: str = "eval-gate.yml") -> None:
        panel = f"models: [{', '.join(map(json.dumps, PANEL))}]"
        members = ", ".join(filter(None, ["suite: takes-quality", "pages: brain/", panel, suite]))
        lines = ["version: 1", f"suites: [{{{members}}}]", f"rules: [{rules}]", *keys]
        (self.folder / name).write_text("\n".join(lines))

    def gate(self, *arguments: str) -> Call:
        return called(self.captured, *arguments, environment=self.environment)

    def report(self, out: str = "gate-out") -> Report:
        return read_receipt(self.folder / out / "receipt.json", "receipt")

    def kept(self) -> list[Path]:
        return sorted((self.folder / "gate-out" / "takes").glob("*.json"))


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    write_pages(tmp_path / "brain", TAKES)
    return Desk(tmp_path, capsys)


def run(desk: Desk, *judges: Answer, arguments: Sequence[str] = ()) -> Call:
    """`gate run` with judges who answer so; one answer stands for all three."""
    answers = judges * 3 if len(judges) == 1 else judges
    with wire(answers[0]) as one, wire(answers[1]) as two, wire(answers[2]) as three:
        desk.judged_by(one, two, three)
        return desk.gate("run", *arguments)


def test_a_panel_that_passes_is_told_with_its_means_and_its_receipt_is_pinned(desk: Desk) -> None:
    desk.config()

    done = run(desk, answer(8), answer(9, 8, 8, 8, 8), answer(8))

    assert done.code == 0, done.err
    report = desk.report()
    panel = report.suites[0].panel
    assert panel is not None
    assert (panel.verdict, panel.overall, panel.run.takes, panel.run.calls) == ("pass", 8.1, 6, 3)
    assert {one.name: one.mean for one in panel.dimensions} == {
        **dict.fromkeys(DIMENSIONS, 8),
        "accuracy": 8.3,
    }
    (path,) = desk.kept()
    assert panel.receipt.path == f"gate-out/takes/{path.name}"
    assert read_takes_receipt(path, path.name).overall_score == 8.1
    assert (report.cost_usd, panel.unpriced) == (None, PANEL)
    assert "the panel passes the takes" in done.out
    comment = (desk.folder / "gate-out/comment.md").read_text()
    assert "Cost: unknown (no price for" in comment
    assert "One batch: no uncertainty can be given" in comment
    assert desk.gate("verify", "gate-out/receipt.json").code == 0
    assert desk.gate("validate", "gate-out/receipt.json", f"gate-out/takes/{path.name}").code == 0


def test_a_panel_that_fails_says_which_dimension_and_by_how_much(desk: Desk) -> None:
    desk.config()

    done = run(desk, answer(8, 6, 8, 8, 8), answer(8, 6, 8, 8, 4), answer(8, 7, 8, 8, 9))

    assert done.code == 1
    assert desk.report().reason == "panel_fail"
    assert done.out.replace("\n", " ").startswith(
        "Failed: takes-quality: the panel fails attribution (mean 6.3 of 10, 7 is needed) and signal_density "
        "(one score of 4, 5 is needed)."
    )
    assert desk.gate("verify", "gate-out/receipt.json").code == 0


def test_too_few_judges_are_inconclusive_and_never_a_failure(desk: Desk) -> None:
    down = Answer(status=400, body=b'{"error": {"message": "no"}}')
    desk.config()

    done = run(desk, answer(8), down, down)

    assert done.code == 2
    assert desk.report().reason == "panel_inconclusive"
    assert "only 1 of 3 judges gave all scores, 2 are needed" in done.out.replace("\n", " ")
    assert {outcome.verdict for outcome in desk.report().outcomes} == {"inconclusive"}
    comment = (desk.folder / "gate-out/comment.md").read_text()
    assert "provider_error" in comment
    assert desk.gate("verify", "gate-out/receipt.json").code == 0


def test_judges_who_disagree_are_not_believed(desk: Desk) -> None:
    desk.config(suite="batches: 2, min-alpha: 0.9")

    done = run(desk, answer(8, 9, 8, 9, 8), answer(9, 8, 9, 8, 9), answer(8))

    assert done.code == 2
    assert desk.report().reason == "judge_unreliable"
    assert "disagree too much to be believed: Krippendorff's alpha" in done.out.replace("\n", " ")
    assert desk.gate("verify", "gate-out/receipt.json").code == 0


def test_a_cassette_is_played_back_and_the_comment_says_so(desk: Desk) -> None:
    with wire(answer(8)) as one, wire(answer(8)) as two, wire(answer(8)) as three:
        desk.judged_by(one, two, three)
        asked = ("--pages", "brain", "--models", ",".join(PANEL), "--ledger", "ledger", "--receipts-dir", "r")
        assert desk.gate("takes-quality", "run", *asked, "--record", "panel.jsonl").code == 0
    desk.environment = {}
    desk.config(suite="cassette: panel.jsonl", rules=RULE)

    assert desk.gate("run").code == 0

    panel = desk.report().suites[0].panel
    assert panel is not None
    assert (panel.run.replayed, desk.report().cost_usd) == (3, 0)
    assert "3 replies were played back from a cassette" in (desk.folder / "gate-out/comment.md").read_text()


def test_with_batches_every_dimension_gets_an_interval_against_the_baseline(desk: Desk) -> None:
    desk.config(suite="batches: 3")
    assert run(desk, answer(7), answer(8), answer(9), arguments=("--out", "before")).code == 0
    desk.config("baseline: {receipt: before/receipt.json}", suite="batches: 3")

    assert run(desk, answer(8), answer(8), answer(9)).code == 0

    (suite,) = desk.report().suites
    assert suite.panel is not None
    accuracy = suite.panel.dimensions[0]
    assert (accuracy.name, accuracy.before, accuracy.delta) == ("accuracy", 8, 0.3)
    (found,) = [one for one in suite.comparisons if one.metric == "accuracy"]
    assert (found.n, found.clusters, round(found.delta, 4)) == (9, 3, 0.3333)
    summary = (desk.folder / "gate-out/summary.md").read_text()
    assert "Differences are over 9 pairs of batch and judge that both runs have, in 3 batches." in summary
    assert "95&nbsp;%&nbsp;CI" in summary
    assert desk.gate("verify", "gate-out/receipt.json").code == 0


def test_with_one_batch_there_is_a_difference_but_no_interval(desk: Desk) -> None:
    desk.config()
    run(desk, answer(7), arguments=("--out", "before"))
    desk.config("baseline: {receipt: before/receipt.json}")

    assert run(desk, answer(8)).code == 0

    comment = (desk.folder / "gate-out/comment.md").read_text()
    assert "the panel passes the takes (8.0 of 10 overall, +1.0 against the baseline)" in comment
    panel_part = comment.split("**✅ The panel")[1].split("</details>")[0]
    assert "CI" not in panel_part
    assert "no uncertainty can be given" in panel_part


def test_another_rubric_is_not_compared(desk: Desk) -> None:
    from gate.store.data_files import RUBRIC, data_file

    desk.config()
    run(desk, answer(8), arguments=("--out", "before"))
    other = json.loads(data_file(RUBRIC)) | {"pass_mean": 6}
    (desk.folder / "rubric.json").write_text(json.dumps(other))
    desk.config(
        "baseline: {receipt: before/receipt.json}",
        suite="rubric: rubric.json",
        rules="{metric: accuracy, rule: significant}",
    )

    done = run(desk, answer(8))

    assert (done.code, desk.report().reason) == (2, "incomparable")
    panel = desk.report().suites[0].panel
    assert panel is not None
    assert (panel.unlike, panel.overall_delta) == (("rubric",), None)
    assert "it had another rubric" in (desk.folder / "gate-out/comment.md").read_text()


def test_takes_that_were_edited_are_not_paired_and_it_is_said(desk: Desk) -> None:
    desk.config()
    run(desk, answer(8), arguments=("--out", "before"))
    page = desk.folder / "brain/people/ada.md"
    page.write_text(page.read_text().replace("claim 1 about", "claim one about"))
    desk.config("baseline: {receipt: before/receipt.json}")

    assert run(desk, answer(8)).code == 0

    (suite,) = desk.report().suites
    assert suite.content_changed == 3
    assert "The baseline's panel had other takes" in (desk.folder / "gate-out/comment.md").read_text()


def test_what_models_wrote_stays_out_unless_words_may_be_shown(desk: Desk) -> None:
    words = answer(8, improvements=["Name the @source."])
    desk.config()
    run(desk, words)
    everything = [path.read_text() for path in (desk.folder / "gate-out").rglob("*") if path.is_file()]
    assert not [text for text in everything if "Name the" in text]
    (path,) = desk.kept()
    assert read_takes_receipt(path, "r").others["improvements_withheld"] == 1
    path.unlink()

    desk.config("show-text: true")
    run(desk, words)

    assert [read_takes_receipt(path, "r").improvements for path in desk.kept()] == [("Name the @source.",)]


def test_verify_notices_a_changed_byte_of_the_panels_receipt(desk: Desk) -> None:
    desk.config()
    run(desk, answer(8))
    (path,) = desk.kept()
    path.write_text(path.read_text().replace('"mean": 8', '"mean": 9', 1))

    done = desk.gate("verify", "gate-out/receipt.json")

    assert done.code == 65
    assert "changed since" in done.err
    path.unlink()
    assert desk.gate("verify", "gate-out/receipt.json").code == 65


def test_an_output_folder_elsewhere_is_verified_too(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("elsewhere")
    desk.config()

    assert run(desk, answer(8), arguments=("--out", str(out))).code == 0

    assert desk.gate("verify", str(out / "receipt.json")).code == 0


def test_a_budget_that_no_call_fits_asks_nobody_and_is_inconclusive(desk: Desk) -> None:
    desk.config("budget-usd: 0")

    done = run(desk, answer(8))

    assert (done.code, desk.report().reason) == (2, "budget_exhausted")
    panel = desk.report().suites[0].panel
    assert panel is not None
    assert (panel.run.calls, panel.cost_usd, desk.report().cost_usd) == (0, 0, 0)
    assert "the budget was used up before 3 questions" in done.out
    assert desk.gate("verify", "gate-out/receipt.json").code == 0


def test_a_budget_counts_what_calls_cost_over_all_panels(desk: Desk) -> None:
    models = [{"model": model, "input": 1000, "output": 1000} for model in PANEL]
    prices = {"as_of": "2026-11-30", "currency": "USD", "per_tokens": 1_000_000, "models": models}
    (desk.folder / "prices.json").write_text(json.dumps(prices))
    one = f"{{suite: takes-quality, pages: brain/, models: {json.dumps(PANEL)}, prices: prices.json"
    lines = ["version: 1", f"suites: [{one}}}, {one}, name: again}}]", f"rules: [{RULE}]", "budget-usd: 30"]
    (desk.folder / "eval-gate.yml").write_text("\n".join(lines))

    done = run(desk, answer(8))

    first, second = (suite.panel for suite in desk.report().suites)
    assert first is not None
    assert second is not None
    assert first.cost_usd
    assert second.budget_usd == pytest.approx(30 - first.cost_usd)
    assert (done.code, desk.report().reason) == (2, "budget_exhausted")
    assert desk.report().cost_usd == first.cost_usd
    assert "of a budget of 30.00 USD" in (desk.folder / "gate-out/comment.md").read_text()


@pytest.mark.parametrize(
    ("keys", "suite", "code", "said"),
    [
        ((), 'models: ["anthropic:claude-3-5-sonnet"]', 78, "choose anthropic:claude-sonnet"),
        ((), 'models: ["nobody:x"]', 78, "NOBODY_BASE_URL"),
        ((), 'models: ["openai:gpt-5.2"]', 78, "OPENAI_API_KEY"),
        (("budget-usd: 1",), "", 78, "no price is known for first:judge-one"),
        ((), "rubric: none.json", 65, "none.json"),
        ((), "cassette: none.jsonl", 65, "none.jsonl"),
        ((), 'models: ["openai:gpt-5.2"], slug-prefix: nothing/', 65, "there is no take to judge"),
    ],
)
def test_what_cannot_be_asked_says_why_and_leaves_no_verdict(
    desk: Desk, keys: tuple[str, ...], suite: str, code: int, said: str
) -> None:
    panel = "" if "models" in suite else f"models: {json.dumps(PANEL)}"
    members = ", ".join(filter(None, ["suite: takes-quality", "pages: brain/", suite, panel]))
    lines = ["version: 1", f"suites: [{{{members}}}]", f"rules: [{RULE}]", *keys]
    (desk.folder / "eval-gate.yml").write_text("\n".join(lines))

    done = desk.gate("run")

    assert done.code == code, done.err
    assert said in done.err
    assert not (desk.folder / "gate-out/receipt.json").exists()


def test_the_database_is_named_by_the_environment_alone(desk: Desk) -> None:
    models = json.dumps(["openai:gpt-5.2"])
    suite = f"{{suite: takes-quality, source: db, models: {models}}}"
    lines = ["version: 1", f"suites: [{suite}]", f"rules: [{RULE}]"]
    (desk.folder / "eval-gate.yml").write_text("\n".join(lines))

    done = desk.gate("run")

    assert done.code == 78
    assert "GATE_DATABASE_URL" in done.err


def test_the_plan_names_the_panel_and_pins_everything_it_reads(desk: Desk) -> None:
    lines = ["version: 1", "suites: [{suite: takes-quality, pages: brain/}]", f"rules: [{RULE}]"]
    (desk.folder / "eval-gate.yml").write_text("\n".join(lines))
    desk.environment["GOOGLE_BASE_URL"] = "http://127.0.0.1:9"

    inputs = desk.gate("plan").document["plan"]["suites"][0]["inputs"]

    assert inputs["panel"]["models"][0].startswith("openai:")
    assert len(inputs["pages"]["sha256"]) == 64
    assert set(inputs["shipped"]) >= {"rubric.v1.json", "panel.v1.json"}
    assert not (desk.folder / "gate-out").exists()


def test_a_deadline_that_has_come_leaves_a_truthful_receipt(desk: Desk) -> None:
    desk.config("deadline: 1s")

    done = run(desk, answer(8), answer(8), Answer(hang=True))

    assert (done.code, desk.report().reason) == (2, "deadline")
    (path,) = desk.kept()
    receipt = read_takes_receipt(path, path.name)
    assert (receipt.verdict, receipt.cycles_run, receipt.others["reason"]) == ("inconclusive", 0, "deadline")
    assert receipt.others["calls"] == 2
    assert "the deadline came before" in done.out
    assert desk.gate("verify", "gate-out/receipt.json").code == 0


def test_a_signal_leaves_the_panels_receipt_and_a_cancelled_one_that_names_it(desk: Desk) -> None:
    desk.config()
    hung = threading.Event()
    with wire(answer(8)) as one, wire(answer(8)) as two, wire(Answer(hang=True)) as three:
        desk.judged_by(one, two, three)
        process = spawn("run", cwd=desk.folder, **desk.environment)
        while not (one.asked and two.asked and three.asked):
            hung.wait(0.05)
        hung.wait(0.5)
        process.terminate()
        process.communicate(timeout=30)

    assert process.returncode == 143
    report = read_any_receipt(desk.folder / "gate-out/receipt.json", "receipt")
    assert (report.reason, report.complete, report.suites) == ("cancelled", False, ())
    (path,) = desk.kept()
    receipt = read_takes_receipt(path, path.name)
    assert (receipt.others["reason"], receipt.others["calls"]) == ("cancelled", 2)
    (note,) = report.notes
    assert f"the scores it had given are in gate-out/takes/{path.name}" in note
    assert receipt.unfinished is not UNSET
    assert [each.scores["accuracy"] for each in receipt.unfinished if each.batch == 0] == [8, 8]
    assert "its cost is unknown" in note


def test_a_signal_before_any_reply_does_not_promise_scores(desk: Desk) -> None:
    desk.config()
    hung = threading.Event()
    with wire(Answer(hang=True)) as silent:
        desk.judged_by(silent, silent, silent)
        process = spawn("run", cwd=desk.folder, **desk.environment)
        while not silent.asked:
            hung.wait(0.05)
        process.terminate()
        process.communicate(timeout=30)

    (note,) = read_any_receipt(desk.folder / "gate-out/receipt.json", "receipt").notes
    assert "it had given no scores; see gate-out/takes/takes-quality-" in note


def test_an_accepted_baseline_brings_the_panels_receipt_and_is_compared_with(desk: Desk) -> None:
    desk.config()
    assert run(desk, answer(8)).code == 0
    assert desk.gate("baseline", "accept", "gate-out/receipt.json", "--note", "the first panel").code == 0
    shutil.rmtree(desk.folder / "gate-out")

    assert desk.gate("verify", ".gate/baselines/default/receipt.json").code == 0
    desk.config("baseline: {accepted: true}")
    assert run(desk, answer(9)).code == 0

    panel = desk.report().suites[0].panel
    assert panel is not None
    assert (panel.overall_before, panel.overall_delta) == (8, 1)


def test_the_plan_says_what_a_cycle_can_cost_at_most_and_asks_nobody(desk: Desk) -> None:
    models = [{"model": model, "input": 1000, "output": 1000} for model in PANEL]
    prices = {"as_of": "2026-11-30", "currency": "USD", "per_tokens": 1_000_000, "models": models}
    (desk.folder / "prices.json").write_text(json.dumps(prices))
    desk.config(suite="prices: prices.json")
    projected = desk.gate("plan").document["projected_usd"]["takes-quality"]

    run(desk, answer(8))

    (path,) = desk.kept()
    assert projected == read_takes_receipt(path, path.name).others["projected_usd"]
    assert projected > 3 * 2.0  # three replies of at most 2,000 tokens, and three prompts


def test_what_a_plan_cannot_project_is_null_and_what_costs_nothing_is_0(desk: Desk) -> None:
    desk.config()
    assert desk.gate("plan").document["projected_usd"] == {"takes-quality": None}
    desk.config("budget-usd: 0")
    assert desk.gate("plan").document["projected_usd"] == {"takes-quality": 0}
    database = f"{{suite: takes-quality, source: db, models: {json.dumps(PANEL)}}}"
    lines = ["version: 1", f"suites: [{database}]", f"rules: [{RULE}]"]
    (desk.folder / "eval-gate.yml").write_text("\n".join(lines))
    assert desk.gate("plan").document["projected_usd"] == {"takes-quality": None}


def test_rows_of_the_command_carry_the_panels_verdict_into_a_gate_that_only_reads_them(desk: Desk) -> None:
    asked = ("--pages", "brain", "--models", ",".join(PANEL), "--ledger", "ledger", "--receipts-dir", "r")
    with wire(answer(8)) as one, wire(answer(4)) as two:
        desk.judged_by(one, two, two)
        assert desk.gate("takes-quality", "run", *asked, "--output", "rows.ndjson").code == 1
    lines = ["version: 1", "suites: [{suite: rows, name: panel, rows: rows.ndjson}]", f"rules: [{RULE}]"]
    (desk.folder / "eval-gate.yml").write_text("\n".join(lines))

    done = desk.gate("run")

    assert (done.code, desk.report().reason) == (1, "panel_fail")


def test_takes_of_a_database_are_judged_as_those_of_pages_are(desk: Desk, database_url: str) -> None:
    create_tables(database_url, TAKES)
    desk.config()
    run(desk, answer(8))
    from_pages = desk.report().suites[0].panel
    members = f"suite: takes-quality, source: db, evidence: excerpt, models: {json.dumps(PANEL)}"
    lines = ["version: 1", f"suites: [{{{members}}}]", f"rules: [{RULE}]"]
    (desk.folder / "eval-gate.yml").write_text("\n".join(lines))
    desk.environment["GATE_DATABASE_URL"] = database_url

    assert run(desk, answer(8)).code == 0

    from_database = desk.report().suites[0].panel
    assert from_pages is not None
    assert from_database is not None
    assert (from_database.run.source, from_database.corpus_sha8) == ("db", from_pages.corpus_sha8)
    written = [path.read_text() for path in (desk.folder / "gate-out").rglob("*") if path.is_file()]
    assert not [text for text in written if database_url in text]


def test_beside_a_release_anchor_the_panel_is_asked_and_shown_once(desk: Desk) -> None:
    desk.config(suite="batches: 2")
    run(desk, answer(8), arguments=("--out", "release"))
    desk.config("anchor: {receipt: release/receipt.json}", suite="batches: 2")

    assert run(desk, answer(9)).code == 0

    own, anchored = desk.report().suites
    assert own.panel is not None
    assert (own.panel.run.calls, anchored.panel, anchored.paired) == (6, None, 6)
    assert desk.gate("verify", "gate-out/receipt.json").code == 0
