"""What a release is told by: suites in all their modes, from the report, the records and the comparison of modes."""

import pytest
from msgspec.structs import replace as with_fields

from gate.core.plan import FileRef, PlannedSuite, Rule
from gate.core.release import Recorded, released, worded
from gate.core.report import SideReport
from tests.factories import mean, suite_report
from tests.panel_factories import panel
from tests.sweep_factories import FILE, compared, hits, measured, only, recall, recorded, swept, three_modes
from tests.tables import table


def test_the_modes_of_a_suite_stand_side_by_side_in_their_own_order() -> None:
    found, runs = three_modes()
    suite = only(found, *runs)
    assert suite.name == "m"
    assert [run.mode for run in suite.runs] == ["conservative", "balanced", "tokenmax"]
    assert [run.failed for run in suite.runs] == [None, None, None]


def test_the_best_is_held_against_the_next_best_as_the_comparator_found_it() -> None:
    found, runs = three_modes()
    (metric,) = only(found, *runs).metrics
    assert (metric.metric, metric.gated) == ("recall_all@5", True)
    lead = metric.lead
    assert lead is not None
    assert (lead.best, lead.next_best, lead.n) == ("tokenmax", "balanced", 20)
    assert lead.delta == pytest.approx(0.1)
    assert not lead.significant  # two of twenty questions


def test_a_lead_is_turned_round_where_the_best_mode_is_the_earlier_one() -> None:
    found = swept(measured("m", "conservative", recall(1.0)), measured("m-tokenmax", "tokenmax", recall(0.6)))
    runs = recorded("m", "conservative", hits(20, 0)), recorded("m-tokenmax", "tokenmax", hits(20, 8))
    lead = only(found, *runs).metrics[0].lead
    assert lead is not None
    assert lead.lower95 is not None
    assert lead.upper95 is not None
    assert (lead.best, lead.delta, lead.significant) == ("conservative", pytest.approx(0.4), True)
    assert 0 < lead.lower95 < 0.4 < lead.upper95


def test_each_mode_has_its_questions_against_the_best_of_the_others() -> None:
    found, runs = three_modes()
    suite = only(found, *runs)
    assert suite.judged_by == "recall_all@5"
    told = {each.mode: (each.against, each.won, each.lost, each.tied) for each in suite.margins}
    assert told == {
        "conservative": ("tokenmax", 0, 8, 12),
        "balanced": ("tokenmax", 0, 2, 18),
        "tokenmax": ("balanced", 2, 0, 18),
    }
    (conservative, *_) = suite.margins
    assert [each.question_id for each in conservative.losses] == ["q000", "q001", "q002"]


def test_a_mode_that_was_not_compared_has_no_questions() -> None:
    found, (balanced, tokenmax, _) = three_modes()
    broken = recorded("m-conservative", "conservative", hits(20, 8), status="failed")
    suite = only(found, balanced, tokenmax, broken)
    assert [each.mode for each in suite.margins] == ["balanced", "tokenmax"]


def test_words_are_added_where_they_are_known() -> None:
    found, runs = three_modes()
    asked: list[tuple[str, frozenset[str]]] = []

    def texts(rows: FileRef, ids: frozenset[str]) -> dict[str, str]:
        asked.append((rows.path, ids))
        return {"q000": "who?"}

    (conservative, *_) = worded(only(found, *runs), texts).margins
    assert [each.text for each in conservative.losses] == ["who?", None, None]
    assert asked[0] == ("m-conservative.ndjson", frozenset({"q000", "q001", "q002"}))


def test_words_of_rows_that_lie_nowhere_are_not_looked_for() -> None:
    found, runs = three_modes()
    suite = found.suites[2]
    lost = with_fields(suite, candidate=with_fields(suite.candidate, rows=None))
    altered = with_fields(found, suites=(*found.suites[:2], lost))
    (conservative, *_) = worded(only(altered, *runs), lambda _rows, _ids: {"q000": "who?"}).margins
    assert conservative.losses[0].text is None


def test_a_suite_in_one_mode_has_no_lead() -> None:
    found = swept(measured("m", "balanced", recall(0.9)))
    suite = only(found, recorded("m", "balanced", hits(20, 2)))
    assert (suite.metrics[0].lead, suite.judged_by, suite.margins) == (None, None, ())


def test_a_metric_without_a_direction_has_no_lead() -> None:
    plain = {"metric": "mystery", "better": None, "unit": None}
    found = swept(measured("m", "balanced", mean(**plain)), measured("m-tokenmax", "tokenmax", mean(**plain)))
    runs = (
        recorded("m", "balanced", table(2, mystery=[1, 2])),
        recorded("m-tokenmax", "tokenmax", table(2, mystery=[1, 3])),
    )
    assert only(found, *runs).metrics[0].lead is None


def why(one: Recorded, other: Recorded, *modes: str, metric: str = "recall_all@5") -> str:
    """Why two runs were not compared in a metric."""
    first, second = modes or ("balanced", "tokenmax")
    both = (mean(metric=metric, mean=value, n=20, better="higher", unit="share") for value in (1.0, 0.5))
    found = swept(measured("m", first, next(both)), measured(f"m-{second}", second, next(both)))
    suite = only(found, one, other)
    lead = suite.metrics[0].lead
    assert lead is not None
    assert (lead.delta, suite.margins) == (None, ())
    return lead.why


def test_what_was_not_compared_says_why() -> None:
    fine = recorded("m", "balanced", hits(20, 0))
    assert why(fine, recorded("m-tokenmax", "tokenmax", None)) == "not compared: a run has no rows"
    failed = recorded("m-tokenmax", "tokenmax", hits(20, 2), status="failed", error="it broke")
    assert why(fine, failed) == "not compared: tokenmax failed"
    own = recorded("m-deep", "n/a", hits(20, 2), params={"system_mode": "deep"})
    said = "not compared: only conservative, balanced, tokenmax are"
    assert why(fine, own, "balanced", "deep") == said
    edited = table(20, recall_all_at_k=[0.0] * 20, fingerprints={"k": "5", "dataset_sha256": "b"})
    told = why(
        recorded("m", "balanced", hits(20, 0, units={})),
        recorded("m-tokenmax", "tokenmax", edited, params={"dataset_sha256": "b"}),
        metric="recall_any@5",
    )
    assert told == "no question was measured in both"


def test_two_data_sets_are_not_held_against_each_other() -> None:
    tables = [
        table(20, recall_all_at_k=[1.0] * 20, fingerprints={"k": "5", "dataset_sha256": name})
        for name in ("a", "b")
    ]
    said = why(recorded("m", "balanced", tables[0]), recorded("m-tokenmax", "tokenmax", tables[1]))
    assert said == "not comparable: dataset_sha256"


def test_a_run_without_a_record_is_shown_all_the_same() -> None:
    found = swept(measured("m", "balanced", recall(0.9)), measured("m-tokenmax", "tokenmax", recall(0.8)))
    suite = only(found)
    assert [run.record for run in suite.runs] == [None, None]
    assert suite.metrics[0].lead is not None
    assert suite.margins == ()


def test_a_failed_run_says_why() -> None:
    found = swept(measured("m", "balanced"))
    failed = only(found, recorded("m", "balanced", None, status="failed", error="it broke"))
    over = only(found, recorded("m", "balanced", None, status="over_budget"))
    assert [suite.runs[0].failed for suite in (failed, over)] == ["it broke", "over_budget"]


def test_the_cost_is_what_rows_and_panels_say_and_else_unknown() -> None:
    paid = mean(metric="cost_usd", mean=0.25, n=4, better="lower", unit="usd")
    nothing = mean(metric="cost_usd", mean=0.0, n=0, better="lower", unit="usd")
    found = swept(
        measured("m", "balanced", paid, questions=5),
        measured("other", "balanced", nothing),
        measured("silent", "balanced"),
    )
    judged = with_fields(found.suites[2], panel=panel(cost_usd=0.5))
    suites = released(with_fields(found, suites=(*found.suites, judged)), compared(), ())
    costs = [(run.cost_usd, run.costed) for suite in suites for run in suite.runs]
    assert costs[:3] == [(1.0, 4), (None, 0), (None, 0)]
    assert costs[3][0] == 0.5


def test_what_is_held_against_the_anchor_is_no_run_of_its_own() -> None:
    found = swept(measured("m", "balanced", recall(0.9)))
    anchored = PlannedSuite(suite="replay", name="m against the anchor", anchored="m")
    again = with_fields(found.suites[0], name=anchored.name)
    plan = with_fields(found.plan, suites=(*found.plan.suites, anchored))
    both = with_fields(found, plan=plan, suites=(*found.suites, again))
    assert [len(suite.runs) for suite in released(both, compared(), ())] == [1]


def test_rules_of_another_suite_gate_nothing_here_and_gated_metrics_come_first() -> None:
    other = mean(metric="hit", mean=0.5, n=20, better="higher", unit="share")
    found = swept(
        measured("m", "balanced", recall(0.9), other),
        rules=(
            Rule(metric="recall_all@k", rule="threshold", at_least=0.5, suite="elsewhere"),
            Rule(metric="hit", rule="threshold", at_least=0.5, suite="m"),
        ),
    )
    suite = only(found, recorded("m", "balanced", hits(20, 2)))
    assert [(each.metric, each.gated) for each in suite.metrics] == [("hit", True), ("recall_all@5", False)]


def test_rows_that_say_no_mode_are_in_none() -> None:
    planned = PlannedSuite(suite="rows", name="brought", rows=FILE)
    found = suite_report(suite="rows", name="brought", candidate=SideReport(rows=FILE), baseline=None)
    (suite,) = released(swept((planned, found)), compared(), ())
    assert [run.mode for run in suite.runs] == ["n/a"]
