import dataclasses

from msgspec.structs import replace

from gate.core.assemble import Circumstances, cancelled, not_applicable, not_begun, timed
from gate.core.findings import KeptPanel
from gate.core.plan import PlannedBaseline
from gate.core.records.rows import RowNotes
from gate.core.report import Mean
from gate.core.watch import watched
from tests.factories import file_ref
from tests.scenarios import SIGNIFICANT, evidence, judged, plan
from tests.tables import table
from tests.takes_factories import receipt

FACTS = Circumstances("1.2.3", "2026-01-01T00:00:00.000Z", {"rows": 3}, {})


def test_a_cancelled_run_is_inconclusive_and_says_so() -> None:
    report = cancelled(
        plan(SIGNIFICANT, mode="advisory", on_inconclusive={"default": "pass"}), FACTS, code=143
    )

    assert (report.verdict, report.reason, report.exit_code) == ("inconclusive", "cancelled", 143)
    assert report.durations_ms == {"rows": 3}
    assert report.complete is False


def test_a_run_that_was_not_begun_is_no_pass_whatever_the_policy_lets_through() -> None:
    lenient = plan(mode="advisory", on_inconclusive={"default": "pass"})
    report = not_begun(lenient, FACTS, "it may cost 2 USD")
    assert (report.verdict, report.reason, report.exit_code) == ("inconclusive", "budget_exhausted", 2)
    assert (report.complete, report.suites) == (False, ())
    assert [said.message for said in report.outcomes] == ["it may cost 2 USD"]


def test_durations_are_added_when_they_are_known() -> None:
    assert timed(cancelled(plan(), FACTS, code=130), {"rows": 5}).durations_ms == {"rows": 5}


def test_both_sides_say_what_was_read() -> None:
    candidate = table(
        ["a", "a", "b"],
        hit=[1, 0, None],
        repeats=["1", "2", "1"],
        errored=[2],
        fingerprints={"k": "5", "embedder": "e"},
        notes=RowNotes(torn_lines=2, duplicate_ids=1, legacy_rows=3, not_metrics=("answer",)),
    )
    suite = judged(plan(SIGNIFICANT), evidence(candidate, table(["a", "b"], hit=[1, 1]))).suites[0]

    side = suite.candidate
    assert (side.questions, side.repeats, side.errored) == (2, 1, 1)
    assert list(side.fingerprints.items()) == [("embedder", "e"), ("k", "5")]
    assert side.means == (Mean(metric="hit", n=1, mean=0.5, better="higher", unit="share"),)
    assert side.notes == (
        "2 torn lines skipped",
        "1 duplicate question id, the last one taken",
        "3 legacy rows that only say whether any gold session was found",
        "answer holds numbers and text: not compared",
    )
    assert suite.baseline is not None
    assert (suite.baseline.run_id, suite.baseline.commit) == ("base-run", "abc1234")
    assert suite.baseline.means == (Mean(metric="hit", n=2, mean=1.0, better="higher", unit="share"),)


def test_without_a_baseline_there_is_nothing_paired() -> None:
    suite = judged(plan(SIGNIFICANT), evidence(table(3, hit=[1, 1, 1]))).suites[0]

    assert suite.baseline is None
    assert (suite.paired, suite.baseline_only, suite.candidate_only, suite.rankings_changed) == (
        0,
        0,
        0,
        None,
    )


def test_rankings_that_changed_are_counted_although_every_metric_ties() -> None:
    before = table(8, hit=[1] * 8, rankings=list("aaaaaaaa"))
    after = table(8, hit=[1] * 8, rankings=list("aaabbbbb"))

    report = judged(plan(SIGNIFICANT), evidence(after, before))

    assert report.reason == "identical"
    assert report.suites[0].rankings_changed == 5


def test_notes_of_the_baseline_reach_the_report() -> None:
    noted = PlannedBaseline(kind="ledger", source="l.jsonl", notes=("2 torn lines skipped",))

    assert judged(plan(SIGNIFICANT, baseline=noted)).notes == ("2 torn lines skipped",)


def test_the_report_carries_its_plan_and_the_plan_digest() -> None:
    given = plan(SIGNIFICANT)

    report = judged(given, evidence(table(8, hit=[1] * 8)))

    assert report.plan == given
    assert len(report.plan_sha256) == 64


def test_a_change_that_touches_nothing_watched_is_not_applicable_and_still_reports() -> None:
    given = replace(plan(SIGNIFICANT), watch=watched(["src/"], ["README.md", "docs/a.md"]))

    report = not_applicable(given, FACTS)

    assert (report.verdict, report.reason, report.exit_code) == ("pass", "not_applicable", 0)
    assert report.outcomes[0].message == "none of the 2 changed files is watched"
    assert not_applicable(plan(SIGNIFICANT), FACTS).reason == "not_applicable"


def test_a_panel_is_shown_with_its_receipt_and_its_cost_is_the_reports() -> None:
    measured = evidence(table(3, accuracy=[8, 8, 9]), table(3, accuracy=[7, 7, 8]))
    kept = KeptPanel(file_ref("gate-out/takes/one.json"), receipt())

    report = judged(plan(SIGNIFICANT), dataclasses.replace(measured, panel=kept))
    alone = judged(plan(SIGNIFICANT), dataclasses.replace(measured, panel=kept, baseline_rows=None))

    for found in (report, alone):
        panel = found.suites[0].panel
        assert panel is not None
        assert (panel.receipt, panel.overall, panel.overall_before) == (kept.file, 7.5, None)
        assert found.cost_usd == 0.0134
    assert judged(plan(SIGNIFICANT), measured).suites[0].panel is None


def test_one_changed_file_is_called_one() -> None:
    alone = not_applicable(replace(plan(), watch=watched(("src/",), ("README.md",))), FACTS)
    assert alone.outcomes[0].message == "the one changed file is not watched"
