import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gate.core.plan import BaselineProblem, LeftOut, Limits, MetricSpec, PolicySource, Rule
from gate.core.records.objections import Objection
from gate.core.report import Report
from gate.errors import EvidenceError
from tests.scenarios import (
    HIT,
    PER_TYPE,
    SIGNIFICANT,
    ceiling,
    evidence,
    flipped,
    floor,
    judged,
    only,
    plan,
)
from tests.tables import table


def run(n: int, losses: int = 0, wins: int = 0, *rules: Rule) -> Report:
    before, after = flipped(n, losses=losses, wins=wins)
    return judged(plan(*(rules or (SIGNIFICANT,))), evidence(table(n, hit=after), table(n, hit=before)))


# -- what was asked for ---------------------------------------------------------------------------------------


def test_a_suite_that_was_left_out_is_never_a_pass() -> None:
    left = LeftOut(suite="replay", why="only `main` was asked for")
    report = judged(
        replace(plan(floor(0.5)), left_out=(left,)),
        evidence(table(4, hit=[1.0] * 4), table(4, hit=[1.0] * 4)),
    )

    assert (report.verdict, report.reason, report.exit_code) == ("inconclusive", "not_measured", 2)
    assert report.left_out == ("replay is left out: only `main` was asked for",)


def test_a_suite_that_was_left_out_does_not_hide_a_failure() -> None:
    left = LeftOut(suite="replay", why="only `main` was asked for")
    report = judged(replace(plan(floor(0.5)), left_out=(left,)), evidence(table(4, hit=[0.0] * 4)))

    assert (report.verdict, report.reason) == ("fail", "threshold_missed")


@pytest.mark.parametrize(
    ("limited_to", "verdict"), [(3, "inconclusive"), (4, "inconclusive"), (5, "pass"), (None, "pass")]
)
def test_a_limit_counts_where_it_was_reached(limited_to: int | None, verdict: str) -> None:
    """5 of 4 questions: nothing was left out, whatever the limit."""
    made = evidence(table(4, hit=[1.0] * 4))
    limited = dataclasses.replace(made, planned=replace(made.planned, limited_to=limited_to))

    assert judged(plan(floor(0.5)), limited).verdict == verdict


def test_the_comparison_with_the_anchor_does_not_say_it_twice() -> None:
    made = evidence(table(4, hit=[1.0] * 4))
    planned = replace(made.planned, limited_to=4)
    again = dataclasses.replace(made, planned=replace(planned, name="again", anchored=planned.name))
    report = judged(plan(floor(0.5)), dataclasses.replace(made, planned=planned), again)

    assert len(report.left_out) == 1


# -- significant ----------------------------------------------------------------------------------------------


def test_a_significant_drop_is_a_regression() -> None:
    report = run(40, 12)

    assert (report.verdict, report.reason, report.exit_code) == ("fail", "regression", 1)
    assert report.regressed == ("hit",)


def test_a_significant_gain_is_no_regression() -> None:
    report = run(40, 0, 12)

    assert (report.verdict, report.reason, report.exit_code) == ("pass", None, 0)
    (comparison,) = report.suites[0].comparisons
    assert comparison.significant


def test_a_drop_that_is_not_significant_passes_as_no_drop_detected() -> None:
    report = run(40, 3, 2)

    assert report.verdict == "pass"
    assert only(report).message == "no drop detected in hit"
    (comparison,) = report.suites[0].comparisons
    assert comparison.significant is False


def test_lower_latency_is_never_printed_as_a_regression() -> None:
    slow, fast = [200.0 + i for i in range(40)], [150.0 + i for i in range(40)]
    latency = MetricSpec(name="latency_ms", better="lower", unit="ms")
    given_plan = plan(Rule(metric="latency_ms", rule="significant"), metrics=[latency])

    faster = judged(given_plan, evidence(table(40, latency_ms=fast), table(40, latency_ms=slow)))
    slower = judged(given_plan, evidence(table(40, latency_ms=slow), table(40, latency_ms=fast)))

    assert (faster.verdict, faster.reason) == ("pass", None)
    assert (slower.verdict, slower.reason) == ("fail", "regression")


def test_a_drop_in_one_type_is_found_per_type_and_named() -> None:
    types = ["temporal"] * 20 + ["other"] * 60
    before = [1] * 80
    after = [0] * 11 + [1] * 69
    report = judged(
        plan(PER_TYPE),
        evidence(table(80, hit=after, types=types), table(80, hit=before, types=types)),
    )

    assert (report.verdict, report.reason) == ("fail", "regression")
    assert only(report).types == ("temporal",)
    assert report.regressed == ("hit (temporal)",)


def test_a_metric_that_is_gated_by_its_types_says_so() -> None:
    types = ["a"] * 20 + ["b"] * 20
    rows = table(40, hit=[1] * 40, mrr=[1] * 40, types=types)

    suite = judged(plan(PER_TYPE), evidence(rows, rows)).suites[0]

    assert [(made.gated, made.gated_by_type) for made in suite.comparisons] == [(False, True), (False, False)]


def test_several_broken_types_are_named_worst_first() -> None:
    types = ["a"] * 30 + ["b"] * 30 + ["c"] * 30
    after = [0] * 12 + [1] * 18 + [0] * 20 + [1] * 10 + [1] * 30
    report = judged(
        plan(PER_TYPE), evidence(table(90, hit=after, types=types), table(90, hit=[1] * 90, types=types))
    )

    assert only(report).types == ("b", "a")


def test_types_too_small_to_tell_are_said_and_do_not_block() -> None:
    types = ["big"] * 40 + ["tiny"] * 3
    report = judged(
        plan(PER_TYPE),
        evidence(table(43, hit=[0] + [1] * 42, types=types), table(43, hit=[1] * 43, types=types)),
    )

    assert report.verdict == "pass"
    assert only(report).message == (
        "no question type is significantly worse in hit; 1 of 2 types are too small to tell"
    )


def test_a_rule_per_type_over_rows_without_types_is_not_measured() -> None:
    report = judged(plan(PER_TYPE), evidence(table(40, hit=[1] * 40), table(40, hit=[1] * 40)))

    assert (report.verdict, report.reason) == ("inconclusive", "not_measured")


def test_too_few_questions_to_ever_be_significant_cannot_pass() -> None:
    report = run(5, 5)

    assert (report.verdict, report.reason, report.exit_code) == ("inconclusive", "too_few_pairs", 2)


def test_six_questions_are_just_enough() -> None:
    assert run(6, 6).reason == "regression"
    assert run(6, 0).reason == "identical"


def test_one_cluster_can_show_nothing() -> None:
    same = ["talk"] * 30
    report = judged(
        plan(SIGNIFICANT),
        evidence(table(30, hit=[0] * 30, clusters=same), table(30, hit=[1] * 30, clusters=same)),
    )

    assert report.reason == "too_few_pairs"


def test_no_common_question_is_never_a_pass() -> None:
    report = judged(plan(SIGNIFICANT), evidence(table(["x", "y"], hit=[1, 1]), table(["a", "b"], hit=[1, 1])))

    assert (report.verdict, report.reason) == ("inconclusive", "not_measured")


def test_sides_without_a_common_value_have_no_pairs_whatever_the_limits() -> None:
    report = judged(
        plan(SIGNIFICANT, limits=Limits(unpaired=1.0)),
        evidence(table(["x", "y"], hit=[1, 1]), table(["a", "b"], hit=[1, 1])),
    )

    assert (report.verdict, report.reason) == ("inconclusive", "too_few_pairs")


def test_a_candidate_without_a_single_value_is_not_measured_whatever_the_limits() -> None:
    report = judged(
        plan(SIGNIFICANT, limits=Limits(unpaired=1.0)),
        evidence(table(8, hit=[None] * 8), table(8, hit=[1] * 8)),
    )

    assert (report.verdict, report.reason) == ("inconclusive", "not_measured")


def test_questions_without_a_type_are_judged_together_and_never_lost() -> None:
    types = ["a"] * 20 + [None] * 20
    report = judged(
        plan(PER_TYPE),
        evidence(table(40, hit=[1] * 20 + [0] * 20, types=types), table(40, hit=[1] * 40, types=types)),
    )

    assert report.reason == "regression"
    assert only(report).types == ("(no type)",)


def test_types_that_are_all_unknown_are_not_measured() -> None:
    rows = table(40, hit=[1] * 40, types=[None] * 40)

    assert judged(plan(PER_TYPE), evidence(rows, rows)).reason == "not_measured"


def test_all_ties_pass_and_say_so() -> None:
    assert (run(40).verdict, run(40).reason) == ("pass", "identical")


# -- threshold ------------------------------------------------------------------------------------------------


def test_a_value_equal_to_the_floor_holds() -> None:
    report = judged(plan(floor(0.7)), evidence(table(10, hit=[1] * 7 + [0] * 3)))

    assert (report.verdict, report.reason) == ("pass", None)


def test_a_mean_that_misses_its_floor_by_the_last_bits_of_its_sum_holds() -> None:
    score = MetricSpec(name="score", better="higher")
    report = judged(plan(floor(0.1, "score"), metrics=[score]), evidence(table(10, score=[0.1] * 10)))

    assert report.verdict == "pass"


def test_a_value_below_the_floor_fails() -> None:
    report = judged(plan(floor(0.8)), evidence(table(10, hit=[1] * 7 + [0] * 3)))

    assert (report.verdict, report.reason) == ("fail", "threshold_missed")
    assert (only(report).value, only(report).limit) == (0.7, 0.8)


def test_a_ceiling_is_a_limit_from_above() -> None:
    latency = MetricSpec(name="latency_ms", better="lower", unit="ms")
    rows = evidence(table(2, latency_ms=[100, 200]))

    assert judged(plan(ceiling(150, "latency_ms"), metrics=[latency]), rows).verdict == "pass"
    assert judged(plan(ceiling(149, "latency_ms"), metrics=[latency]), rows).reason == "threshold_missed"


def test_a_floor_that_the_baseline_already_missed_is_preexisting() -> None:
    report = judged(
        plan(floor(0.9)), evidence(table(10, hit=[1] * 7 + [0] * 3), table(10, hit=[1] * 8 + [0] * 2))
    )

    assert (report.verdict, report.reason) == ("inconclusive", "preexisting")


def test_a_floor_needs_no_baseline() -> None:
    assert judged(plan(floor(0.5)), evidence(table(10, hit=[1] * 10))).verdict == "pass"


def test_an_unusable_baseline_that_was_asked_for_is_no_pass_even_for_a_floor() -> None:
    broken = BaselineProblem(reason="invalid_receipt", message="its digest does not agree")
    report = judged(plan(floor(0.5)), evidence(table(10, hit=[1] * 10), problem=broken))

    assert (report.verdict, report.reason) == ("fail", "invalid_receipt")


# -- what no rule can be applied to ---------------------------------------------------------------------------


def test_an_empty_suite_is_inconclusive() -> None:
    report = judged(plan(SIGNIFICANT), evidence(table(0), table(10, hit=[1] * 10)))

    assert (report.verdict, report.reason) == ("inconclusive", "empty_suite")


@pytest.mark.parametrize(
    ("reason", "verdict", "said"),
    [
        ("reranker_fell_open", "fail", "3 of 40 answers came without the reranker"),
        ("vector_degraded", "fail", "3 of 40 answers came without vector search"),
        ("expansion_failed", "fail", "3 of 40 answers came without query expansion"),
        ("suite_failed", "fail", "the system failed: none of 3 questions counts"),
        ("deadline", "inconclusive", "the deadline came before 3 questions"),
        ("budget_exhausted", "inconclusive", "the budget was used up before 3 questions"),
        ("cancelled", "inconclusive", "the run did not go to its end: 3 questions without a row"),
    ],
)
def test_a_run_that_fell_short_is_no_pass_however_good_its_rows_are(
    reason: str, verdict: str, said: str
) -> None:
    report = judged(plan(floor(0.5)), evidence(table(40, hit=[1] * 40, shortfalls={reason: 3})))

    assert (report.verdict, report.reason) == (verdict, reason)
    assert report.outcomes[0].message == f"rows: {said}"
    assert report.outcomes[0].value == 3


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("suite_failed", "the system failed, and nothing was measured"),
        ("deadline", "the deadline came before anything was measured"),
        ("cancelled", "the run did not go to its end: 1 question without a row"),
    ],
)
def test_a_run_without_rows_that_cannot_know_how_many_there_should_be_says_so(reason: str, said: str) -> None:
    report = judged(plan(floor(0.5)), evidence(table(0, shortfalls={reason: 1})))

    assert [each.message for each in report.outcomes if each.reason == reason] == [f"rows: {said}"]


@pytest.mark.parametrize(("reason", "verdict"), [("panel_fail", "fail"), ("no_baseline", "inconclusive")])
def test_what_a_suite_holds_against_its_run_is_no_pass_however_good_its_rows_are(
    reason: str, verdict: str
) -> None:
    said = Objection("the panel", reason, "accuracy is 4.1")
    held = evidence(table(40, hit=[1] * 40, objections=(said,)), table(40, hit=[1] * 40))
    anchored = dataclasses.replace(held, planned=replace(held.planned, name="rows (anchor)", anchored="rows"))

    report = judged(plan(floor(0.5)), held, anchored)

    assert (report.verdict, report.reason) == (verdict, reason)
    assert [(each.rule, each.message) for each in report.outcomes if each.reason == reason] == [
        ("the panel", "rows: accuracy is 4.1")
    ]


def test_a_suite_that_says_why_it_has_no_rows_is_not_called_empty_as_well() -> None:
    said = Objection("the panel", "not_measured", "there is no key")

    stopped = judged(plan(floor(0.5)), evidence(table(0, shortfalls={"deadline": 1})))
    unasked = judged(plan(floor(0.5)), evidence(table(0, objections=(said,))))
    silent = judged(plan(floor(0.5)), evidence(table(0)))

    assert [report.reason for report in (stopped, unasked, silent)] == [
        "deadline",
        "not_measured",
        "empty_suite",
    ]
    assert {report.verdict for report in (stopped, unasked, silent)} == {"inconclusive"}


def test_what_fell_short_is_told_once_and_not_again_beside_the_anchor() -> None:
    short = evidence(table(40, hit=[1] * 40, shortfalls={"deadline": 3}), table(40, hit=[1] * 40))
    anchored = dataclasses.replace(
        short, planned=replace(short.planned, name="rows (anchor)", anchored="rows")
    )

    report = judged(plan(SIGNIFICANT), short, anchored)

    assert [outcome.reason for outcome in report.outcomes].count("deadline") == 1


def test_no_suite_at_all_is_inconclusive() -> None:
    assert (judged(plan()).verdict, judged(plan()).reason) == ("inconclusive", "empty_suite")


def test_a_metric_that_no_row_has_is_not_measured() -> None:
    report = judged(plan(floor(0.5, "mrr")), evidence(table(10, hit=[1] * 10)))

    assert (report.verdict, report.reason) == ("inconclusive", "not_measured")
    assert only(report).message == "no row has a value for mrr"


def test_a_metric_whose_every_value_is_absent_is_not_measured() -> None:
    report = judged(plan(floor(0.5)), evidence(table(10, hit=[None] * 10)))

    assert report.reason == "not_measured"


def test_more_errors_than_the_limit_fail() -> None:
    rows = table(10, hit=[1] * 9 + [None], errored=[9])

    report = judged(plan(floor(0.5), limits=Limits(errors=0.05)), evidence(rows))

    assert (report.verdict, report.reason) == ("fail", "errors_over_limit")
    assert only(report).message == "1 of 10 questions ended in an error"


def test_errors_at_the_limit_hold() -> None:
    rows = table(10, hit=[1] * 9 + [None], errored=[9])

    assert judged(plan(floor(0.5), limits=Limits(errors=0.1)), evidence(rows)).verdict == "pass"


def test_judge_errors_are_errors_of_the_judged_metric_only() -> None:
    rows = table(10, hit=[1] * 10, qa_accuracy=[1] * 9 + [None], judge_errors=[9])
    qa = MetricSpec(name="qa_accuracy", better="higher", unit="share")

    report = judged(plan(floor(0.5), floor(0.5, "qa_accuracy"), metrics=[HIT, qa]), evidence(rows))

    assert [outcome.reason for outcome in report.outcomes] == [None, "errors_over_limit"]


def test_fewer_questions_than_the_baseline_measured_is_not_measured() -> None:
    report = judged(
        plan(SIGNIFICANT), evidence(table(40, hit=[1] * 36 + [None] * 4), table(40, hit=[1] * 40))
    )

    assert (report.verdict, report.reason) == ("inconclusive", "not_measured")
    assert only(report).message == "4 of the 40 questions the baseline measured have no value for hit now"


def test_a_limit_over_almost_no_data_is_not_measured() -> None:
    report = judged(plan(floor(0.8)), evidence(table(150, hit=[1] + [None] * 149)))

    assert (report.verdict, report.reason) == ("inconclusive", "not_measured")
    assert only(report).message == "149 of 150 questions have no value for hit"


@pytest.mark.parametrize(
    ("meant", "reason"), [(30, None), (10, None), (60, "not_measured"), (1000, "not_measured")]
)
def test_rows_may_say_on_how_many_questions_a_metric_is_meant_to_be_measured(
    meant: int, reason: str | None
) -> None:
    values = [1.0] * 30 + [None] * 70
    report = judged(plan(floor(0.5)), evidence(table(100, hit=values, applies_to={"hit": meant})))

    assert report.reason == reason


def test_an_error_is_no_second_missing_value() -> None:
    values = [1.0] * 39 + [None] * 61
    rows = table(100, hit=values, errored=[50], applies_to={"hit": 40})
    report = judged(plan(floor(0.5)), evidence(rows))

    assert (report.reason, report.suites[0].candidate.errored) == (None, 1)


def test_a_limit_over_no_data_at_all_is_not_measured_whatever_the_limits() -> None:
    report = judged(plan(floor(0.8), limits=Limits(unpaired=1.0)), evidence(table(8, hit=[None] * 8)))

    assert only(report).message == "no question has a value for hit"


def test_a_few_missing_values_leave_a_limit_to_the_rest() -> None:
    report = judged(plan(floor(0.8)), evidence(table(100, hit=[1] * 95 + [None] * 5)))

    assert report.verdict == "pass"


def test_abstentions_and_errors_are_no_missing_values() -> None:
    rows = table(10, recall_at_5=[1] * 6 + [None] * 4, abstentions=[6, 7, 8], errored=[9])

    report = judged(plan(floor(0.8, "recall@5"), limits=Limits(errors=0.5)), evidence(rows))

    assert report.verdict == "pass"


def test_missing_values_cannot_hide_the_regression_of_one_type() -> None:
    types = ["temporal"] * 30 + ["other"] * 120
    before = table(150, hit=[1] * 150, types=types)
    after = table(150, hit=[None] * 6 + [0] * 5 + [1] * 139, types=types)

    report = judged(plan(PER_TYPE), evidence(after, before))

    assert (report.verdict, report.reason) == ("inconclusive", "not_measured")
    assert only(report).types == ("temporal",)
    assert only(report).message == (
        "6 of the 30 questions of temporal that the baseline measured have no value for hit now"
    )


def test_a_regression_that_is_shown_all_the_same_is_a_regression() -> None:
    types = ["temporal"] * 30 + ["other"] * 120
    before = table(150, hit=[1] * 150, types=types)
    after = table(150, hit=[None] * 6 + [0] * 12 + [1] * 132, types=types)

    assert judged(plan(PER_TYPE), evidence(after, before)).reason == "regression"


def test_types_that_only_the_candidate_names_are_watched_too() -> None:
    types = ["temporal"] * 30 + ["other"] * 120
    after = table(150, hit=[None] * 6 + [1] * 144, types=types)

    assert judged(plan(PER_TYPE), evidence(after, table(150, hit=[1] * 150))).reason == "not_measured"


def test_types_that_nobody_names_are_none() -> None:
    sides = table(150, hit=[None] * 6 + [1] * 144), table(150, hit=[1] * 150)

    assert judged(plan(PER_TYPE), evidence(*sides)).reason == "not_measured"


def test_one_missing_question_of_a_small_type_is_left_out_and_no_more() -> None:
    types = ["tiny"] * 8 + ["other"] * 92
    sides = table(100, hit=[None] + [1] * 99, types=types), table(100, hit=[1] * 100, types=types)

    assert judged(plan(PER_TYPE), evidence(*sides)).verdict == "pass"


def test_questions_that_only_the_candidate_has_are_incomparable_beyond_the_limit() -> None:
    report = judged(plan(SIGNIFICANT), evidence(table(44, hit=[1] * 44), table(40, hit=[1] * 40)))

    assert (report.verdict, report.reason) == ("inconclusive", "incomparable")


def test_a_few_unpaired_questions_within_the_limit_are_left_out_and_counted() -> None:
    report = judged(plan(SIGNIFICANT), evidence(table(41, hit=[1] * 41), table(40, hit=[1] * 40)))

    assert report.verdict == "pass"
    assert report.suites[0].candidate_only == 1


def test_no_baseline_is_inconclusive_and_says_that_the_config_names_none() -> None:
    report = judged(plan(SIGNIFICANT), evidence(table(40, hit=[1] * 40)))

    assert (report.verdict, report.reason) == ("inconclusive", "no_baseline")
    assert only(report).message == "the config names no baseline"


def test_the_reason_of_an_unusable_baseline_is_passed_on() -> None:
    problem = BaselineProblem(reason="self_baseline", message="its own file", suite="rows")

    report = judged(plan(SIGNIFICANT), evidence(table(40, hit=[1] * 40), problem=problem))

    assert (report.verdict, report.reason) == ("inconclusive", "self_baseline")


def test_a_metric_that_the_baseline_lacks_has_no_baseline() -> None:
    report = judged(plan(SIGNIFICANT), evidence(table(40, hit=[1] * 40), table(40, mrr=[1] * 40)))

    assert report.reason == "no_baseline"
    assert only(report).message == "the baseline has no value for hit"


@pytest.mark.parametrize("side", ["fingerprints", "baseline_fingerprints"])
def test_another_dataset_is_incomparable_whoever_states_it(side: str) -> None:
    stated = {"dataset_sha256": "aaa"}
    other = table(40, hit=[1] * 40, fingerprints={"dataset_sha256": "bbb"})
    silent = table(40, hit=[1] * 40)
    rows = (other, silent) if side == "baseline_fingerprints" else (silent, other)

    report = judged(plan(SIGNIFICANT), evidence(*rows, **{side: stated}))  # type: ignore[arg-type]

    assert (report.verdict, report.reason) == ("inconclusive", "incomparable")
    assert "dataset_sha256" in only(report).message


def test_another_dataset_is_incomparable_and_not_a_loss_of_questions() -> None:
    before = table(["a", "b"], hit=[1, 1], fingerprints={"dataset_sha256": "a"})
    after = table(["x", "y"], hit=[1, 1], fingerprints={"dataset_sha256": "b"})

    report = judged(plan(SIGNIFICANT, floor(0.5)), evidence(after, before))

    assert [outcome.reason for outcome in report.outcomes] == ["incomparable", None]


def test_units_that_differ_are_incomparable_not_a_huge_difference() -> None:
    latency = MetricSpec(name="latency", better="lower", unit="ms")
    seconds = MetricSpec(name="latency", better="lower", unit="s")
    rows = table(40, latency=[200] * 40), table(40, latency=[0.2] * 40)
    rule = Rule(metric="latency", rule="significant")

    by_receipt = judged(plan(rule, metrics=[latency]), evidence(*rows, metrics=[seconds]))
    by_record = judged(plan(rule, metrics=[latency]), evidence(*rows, units={"latency": "s"}))

    assert (by_receipt.reason, by_record.reason) == ("incomparable", "incomparable")


def test_units_that_the_rows_state_are_compared_too() -> None:
    latency = MetricSpec(name="latency", better="lower")
    rows = (
        table(40, latency=[200] * 40, units={"latency": "ms"}),
        table(40, latency=[0.2] * 40, units={"latency": "s"}),
    )
    report = judged(plan(Rule(metric="latency", rule="significant"), metrics=[latency]), evidence(*rows))

    assert report.reason == "incomparable"


def test_a_share_against_a_percentage_is_incomparable() -> None:
    score = MetricSpec(name="score", better="higher")
    rows = table(40, score=[93] * 40), table(40, score=[0.93] * 40)

    report = judged(plan(Rule(metric="score", rule="significant"), metrics=[score]), evidence(*rows))

    assert report.reason == "incomparable"


def test_a_rule_for_another_k_is_incomparable() -> None:
    run_at_8 = table(40, recall_all_at_k=[1] * 40, fingerprints={"k": "8"})
    rule = Rule(metric="recall_all@5", rule="significant")

    report = judged(plan(rule, metrics=[]), evidence(run_at_8, run_at_8))

    assert (report.verdict, report.reason) == ("inconclusive", "incomparable")
    assert only(report).message == "the rule asks for recall_all@5, but the run measured recall_all@8"


def test_a_rule_for_a_k_that_the_run_does_not_state_is_incomparable() -> None:
    silent = table(40, recall_all_at_k=[1] * 40)

    report = judged(
        plan(Rule(metric="recall_all@5", rule="significant"), metrics=[]), evidence(silent, silent)
    )

    assert only(report).message == "the rule asks for recall_all@5, but the run does not state its k"


def test_a_rule_for_k_itself_applies_to_any_k() -> None:
    run_at_8 = table(40, recall_all_at_k=[1] * 40, fingerprints={"k": "8"})

    report = judged(
        plan(Rule(metric="recall_all@k", rule="significant"), metrics=[]), evidence(run_at_8, run_at_8)
    )

    assert report.reason == "identical"
    assert report.suites[0].comparisons[0].metric == "recall_all@8"


def test_runs_with_another_k_are_incomparable() -> None:
    at_5 = table(40, recall_all_at_k=[1] * 40, fingerprints={"k": "5"})
    at_8 = table(40, recall_all_at_k=[1] * 40, fingerprints={"k": "8"})

    report = judged(plan(Rule(metric="recall_all@5", rule="significant"), metrics=[]), evidence(at_5, at_8))

    assert report.reason == "incomparable"
    assert "k (8 → 5)" in only(report).message


def test_what_is_held_fixed_must_be_stated() -> None:
    rows = table(40, hit=[1] * 40)

    report = judged(plan(SIGNIFICANT, hold_fixed=["embedder"]), evidence(rows, rows))

    assert report.reason == "incomparable"
    assert only(report).message == "neither side states what must be equal: embedder"


def test_an_edited_dataset_compares_the_unchanged_questions() -> None:
    hashes = [f"h{i}" for i in range(40)]
    before = table(40, hit=[1] * 40, content_hashes=hashes, fingerprints={"dataset_sha256": "a"})
    after = table(
        40, hit=[0] + [1] * 39, content_hashes=["new", *hashes[1:]], fingerprints={"dataset_sha256": "b"}
    )

    report = judged(plan(SIGNIFICANT), evidence(after, before))

    assert (report.verdict, report.reason) == ("pass", "identical")
    assert (report.suites[0].paired, report.suites[0].content_changed) == (39, 1)
    assert report.suites[0].unpaired_ids == ("q000",)


def edited(count: int) -> Report:
    """A dataset of 40 questions, so many of them edited since the baseline; nothing got worse."""
    hashes = [f"h{i}" for i in range(40)]
    before = table(40, hit=[1] * 40, content_hashes=hashes)
    after = table(40, hit=[1] * 40, content_hashes=[*(f"new{i}" for i in range(count)), *hashes[count:]])
    return judged(plan(SIGNIFICANT), evidence(after, before))


def test_however_many_questions_were_edited_the_others_are_compared() -> None:
    report = edited(30)

    assert (report.verdict, report.reason) == ("pass", "identical")
    assert (report.suites[0].paired, report.suites[0].content_changed) == (10, 30)


def test_where_every_question_was_edited_nothing_can_be_compared_and_that_is_said() -> None:
    report = edited(40)

    assert (report.verdict, report.reason) == ("inconclusive", "incomparable")
    assert only(report).message == "not one question is unchanged: 40 questions with another content"


def test_a_p_of_exactly_zero_never_decides() -> None:
    before = [20_000.3 + 0.1 * i for i in range(5)]
    rows = table(5, tokens=[value - 0.7 for value in before]), table(5, tokens=before)
    tokens = MetricSpec(name="tokens", better="higher")

    report = judged(plan(Rule(metric="tokens", rule="significant"), metrics=[tokens]), evidence(*rows))

    assert report.reason == "too_few_pairs"
    (comparison,) = report.suites[0].comparisons
    assert comparison.holm_p_value is not None
    assert comparison.holm_p_value >= 1 / 16


def test_values_too_large_to_add_up_are_an_error_and_no_verdict() -> None:
    huge = table(8, tokens=[1e308] * 8)
    tokens = MetricSpec(name="tokens", better="higher")

    with pytest.raises(EvidenceError, match="too large to be added up"):
        judged(plan(Rule(metric="tokens", rule="significant"), metrics=[tokens]), evidence(huge, huge))


# -- introducing the gate, anchors ----------------------------------------------------------------------------


def test_the_pull_request_that_introduces_the_gate_is_not_red_for_lacking_a_baseline() -> None:
    introducing = replace(plan(SIGNIFICANT, floor(0.5)), policy=PolicySource(origin="introducing"))
    missing = BaselineProblem(reason="no_baseline", message="the ledger does not exist")

    report = judged(introducing, evidence(table(40, hit=[1] * 40), problem=missing))

    assert (report.verdict, report.exit_code) == ("pass", 0)
    assert [outcome.reason for outcome in report.outcomes] == ["introducing", None]


@pytest.mark.parametrize(("reason", "verdict"), [("no_baseline", "pass"), ("invalid_receipt", "fail")])
def test_introducing_forgives_a_missing_baseline_and_no_broken_one(reason: str, verdict: str) -> None:
    introducing = replace(plan(floor(0.5)), policy=PolicySource(origin="introducing"))
    problem = BaselineProblem(reason=reason, message="")

    assert judged(introducing, evidence(table(40, hit=[1] * 40), problem=problem)).verdict == verdict


def test_an_introduced_gate_still_holds_its_floors() -> None:
    introducing = replace(plan(SIGNIFICANT, floor(0.9)), policy=PolicySource(origin="introducing"))

    assert judged(introducing, evidence(table(40, hit=[0] * 40))).reason == "threshold_missed"


def test_many_small_steps_down_are_caught_by_the_anchor() -> None:
    before_release, before, after = [1] * 60, [0] * 10 + [1] * 50, [0] * 12 + [1] * 48
    moving = evidence(table(60, hit=after), table(60, hit=before), suite="rows")
    anchored = evidence(table(60, hit=after), table(60, hit=before_release), suite="rows against the anchor")
    anchored = dataclasses.replace(anchored, planned=replace(anchored.planned, anchored="rows"))

    report = judged(plan(Rule(metric="hit", rule="significant", suite="rows"), floor(0.5)), moving, anchored)

    assert [(outcome.suite, outcome.reason) for outcome in report.outcomes] == [
        ("rows", None),
        ("rows against the anchor", "regression"),
        ("rows", None),
    ]


# -- families and policy --------------------------------------------------------------------------------------


def test_extra_metrics_in_the_rows_can_neither_hide_nor_create_a_regression() -> None:
    before, after = flipped(40, losses=8)
    extra = {f"noise_{i}": [float(i)] * 40 for i in range(30)}
    alone = judged(plan(SIGNIFICANT), evidence(table(40, hit=after), table(40, hit=before)))
    crowded = judged(
        plan(SIGNIFICANT), evidence(table(40, hit=after, **extra), table(40, hit=before, **extra))
    )

    assert alone.suites[0].comparisons[0].holm_p_value == crowded.suites[0].comparisons[0].holm_p_value
    assert (alone.reason, crowded.reason) == ("regression", "regression")
    assert [made.gated for made in crowded.suites[0].comparisons] == [True] + [False] * 30


def test_every_gated_metric_must_hold() -> None:
    mrr = MetricSpec(name="mrr", better="higher")
    rows = table(40, hit=[1] * 40, mrr=[0.1] * 40)

    report = judged(plan(floor(0.9), floor(0.5, "mrr"), metrics=[HIT, mrr]), evidence(rows))

    assert [outcome.verdict for outcome in report.outcomes] == ["pass", "fail"]
    assert report.verdict == "fail"


def test_a_failure_outranks_what_could_not_be_told() -> None:
    report = judged(plan(floor(0.5, "mrr"), floor(0.9)), evidence(table(40, hit=[0] * 40)))

    assert [outcome.verdict for outcome in report.outcomes] == ["inconclusive", "fail"]
    assert (report.verdict, report.reason) == ("fail", "threshold_missed")


def test_a_rule_for_one_suite_leaves_the_others_alone() -> None:
    rule = Rule(metric="hit", rule="threshold", at_least=0.9, suite="good")
    suites = (
        evidence(table(10, hit=[1] * 10), suite="good"),
        evidence(table(10, hit=[0] * 10), suite="bad"),
    )

    report = judged(plan(rule, suites=["good", "bad"]), *suites)

    assert [(outcome.suite, outcome.verdict) for outcome in report.outcomes] == [("good", "pass")]


def test_a_rule_without_a_suite_applies_wherever_the_metric_is_measured() -> None:
    suites = (
        evidence(table(10, hit=[1] * 10), suite="one"),
        evidence(table(10, mrr=[0] * 10), suite="two"),
        evidence(table(10, hit=[0] * 10), suite="three"),
    )

    report = judged(plan(floor(0.9), suites=["one", "two", "three"]), *suites)

    assert [(outcome.suite, outcome.verdict) for outcome in report.outcomes] == [
        ("one", "pass"),
        ("three", "fail"),
    ]


def test_advisory_mode_changes_the_exit_code_and_nothing_else() -> None:
    before, after = flipped(40, losses=12)
    report = judged(plan(SIGNIFICANT, mode="advisory"), evidence(table(40, hit=after), table(40, hit=before)))

    assert (report.verdict, report.reason, report.exit_code) == ("fail", "regression", 0)


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        ({}, 2),
        ({"default": "pass"}, 0),
        ({"no_baseline": "pass"}, 0),
        ({"default": "pass", "no_baseline": "fail"}, 2),
        ({"too_few_pairs": "pass"}, 2),
    ],
)
def test_the_policy_says_which_inconclusive_reasons_are_let_through(
    policy: dict[str, str], code: int
) -> None:
    report = judged(
        plan(SIGNIFICANT, on_inconclusive=policy),  # type: ignore[arg-type]  # literals
        evidence(table(40, hit=[1] * 40)),
    )

    assert (report.verdict, report.exit_code) == ("inconclusive", code)


def test_one_reason_that_is_not_let_through_is_enough_to_stop() -> None:
    report = judged(
        plan(SIGNIFICANT, floor(0.5, "mrr"), on_inconclusive={"no_baseline": "pass"}),
        evidence(table(40, hit=[1] * 40)),
    )

    assert {outcome.reason for outcome in report.outcomes} == {"no_baseline", "not_measured"}
    assert report.exit_code == 2


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_swapping_the_sides_never_makes_both_of_them_regress(pairs: list[tuple[bool, bool]]) -> None:
    before, after = [int(old) for old, _ in pairs], [int(new) for _, new in pairs]
    sides = table(len(pairs), hit=before), table(len(pairs), hit=after)

    there = judged(plan(SIGNIFICANT), evidence(sides[1], sides[0]))
    back = judged(plan(SIGNIFICANT), evidence(sides[0], sides[1]))

    assert not (there.reason == back.reason == "regression")
    assert there.suites[0].comparisons[0].delta == -back.suites[0].comparisons[0].delta


@given(st.integers(min_value=0, max_value=40))
def test_one_more_failed_question_never_improves_the_verdict(errors: int) -> None:
    severity = {"pass": 0, "inconclusive": 1, "fail": 2}

    def verdict(failed: int) -> int:
        values = [None] * failed + [1] * (40 - failed)
        rows = table(40, hit=values, errored=range(failed))
        return severity[judged(plan(SIGNIFICANT), evidence(rows, table(40, hit=[1] * 40))).verdict]

    assert verdict(min(errors + 1, 40)) >= verdict(errors)
