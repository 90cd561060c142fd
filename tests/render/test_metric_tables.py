from gate.core.plan import MetricSpec, Rule
from gate.core.report import Report
from gate.render.dialect import PLAIN
from gate.render.gated import gated_metrics
from gate.render.metric_tables import all_metrics_table, gated_table, type_table, unmarked
from tests.factories import (
    METRIC,
    Counts,
    comparison,
    counted_comparison,
    mean,
    outcome,
    plan,
    report,
    side,
    suite_report,
    typed,
)
from tests.render.scenarios import SCENARIOS


def titles(made: Report) -> list[str]:
    return [column.title for column in gated_table(made, PLAIN).columns]


def test_the_worst_verdict_comes_first() -> None:
    rows = gated_table(SCENARIOS["threshold_missed"](), PLAIN).rows
    assert [row.cells[0].split("\n")[0] for row in rows] == ["ndcg@10 ↑", "recall_all@5 ↑"]
    assert [row.tone for row in rows] == ["bad", "good"]


def test_a_metric_without_a_direction_goes_up_and_down_and_has_no_arrow() -> None:
    made = report(
        plan=plan(metrics=()),
        suites=(suite_report(comparisons=(comparison(better=None),), candidate=side(means=())),),
    )
    cells = gated_table(made, PLAIN).rows[0].cells
    assert cells[0] == "recall_all@5\n✓ not significant"
    assert cells[-1] == "4 up\n2 down\n464 same"


def test_a_metric_nobody_measured_is_dashes() -> None:
    made = report(suites=(), outcomes=(outcome(suite=None, verdict="inconclusive", reason="not_measured"),))
    assert gated_table(made, PLAIN).rows[0].cells == ("recall_all@5 ↑\n? not measured", "–", "–", "–")


def test_an_outcome_without_a_suite_belongs_to_the_only_suite_there_is() -> None:
    made = report(outcomes=(outcome(suite=None),))
    assert gated_table(made, PLAIN).rows[0].cells[1] == "470"
    assert (
        gated_metrics(
            report(suites=(suite_report(), suite_report(name="b")), outcomes=(outcome(suite=None),))
        )[0].suite
        is None
    )


def test_what_the_candidate_alone_measured_is_shown_without_a_baseline() -> None:
    made = SCENARIOS["no_baseline"]()
    assert gated_table(made, PLAIN).rows[0].cells == ("recall_all@5 ↑\n? no baseline", "470", "–", "93.6 %")
    assert titles(made) == ["gated metric", "n", "baseline", "candidate"]


def test_direction_and_unit_come_from_whoever_states_them() -> None:
    declared = plan(metrics=(MetricSpec(name=METRIC, better="lower", unit="ms"),))
    bare = suite_report(comparisons=(), candidate=side(means=(mean(better=None, unit=None, mean=2.5),)))
    made = report(plan=declared, suites=(bare,))
    assert gated_table(made, PLAIN).rows[0].cells[0].startswith("recall_all@5 ↓\n")
    assert gated_table(made, PLAIN).rows[0].cells[3] == "2.500 ms"


def test_metrics_of_several_units_carry_them_in_their_differences() -> None:
    rows = gated_table(SCENARIOS["faster"](), PLAIN).rows
    assert [row.cells[4].split("\n")[0] for row in rows] == ["+0.4 points", "−38.3 ms"]


def test_every_rule_of_a_metric_is_answered_below_its_name() -> None:
    rules = (Rule(metric=METRIC, rule="significant"), Rule(metric=METRIC, rule="threshold", at_least=0.9))
    made = report(
        plan=plan(rules=rules),
        outcomes=(outcome(), outcome(rule=rules[1].id, value=440 / 470, limit=0.9), outcome(rule="unknown")),
    )
    assert gated_table(made, PLAIN).rows[0].cells[0] == (
        "recall_all@5 ↑\n✓ not significant\n✓ 93.6 % ≥ 90 %\n✓ holds"
    )


def test_a_reason_from_a_newer_version_is_shown_as_it_is() -> None:
    made = report(verdict="fail", outcomes=(outcome(verdict="fail", reason="from_the_future"),))
    assert gated_table(made, PLAIN).rows[0].cells[0].endswith("✗ from_the_future")


def test_a_limit_missed_before_says_so() -> None:
    rule = Rule(metric=METRIC, rule="threshold", at_least=0.95)
    said = outcome(rule=rule.id, verdict="inconclusive", reason="preexisting", value=440 / 470, limit=0.95)
    made = report(verdict="inconclusive", plan=plan(rules=(rule,)), outcomes=(said,))
    assert gated_table(made, PLAIN).rows[0].cells[0].endswith("? 93.6 % < 95 %, as on the baseline")


def test_a_rule_without_its_comparison_claims_no_more_than_not_significant() -> None:
    made = report(suites=(suite_report(comparisons=()),))
    assert gated_table(made, PLAIN).rows[0].cells[0].endswith("✓ not significant")


def test_the_types_of_a_pass_are_answered_together() -> None:
    made = SCENARIOS["every_type_holds"]()
    assert gated_table(made, PLAIN).rows[0].cells[0].endswith("✓ no type significantly worse")
    gated = gated_metrics(made)[0]
    assert unmarked(gated, PLAIN) == "Every type: not significant."
    assert [column.title for column in type_table(gated, PLAIN).columns][-2:] == ["Holm p", "fixed / broken"]


def test_types_are_marked_when_significant_either_way() -> None:
    changes = {"knowledge-update": (2, 0), "multi-session": (0, 30), "temporal-reasoning": (14, 0)}
    made = report(suites=(suite_report(by_type=typed(changes, gated=True, family=6)),))
    gated = gated_metrics(made)[0]
    rows = type_table(gated, PLAIN).rows
    assert [(row.cells[0], row.tone) for row in rows[:4]] == [
        ("✗ multi-session", "bad"),
        ("✓ temporal-reasoning", "good"),
        ("knowledge-update", None),
        ("single-session-user", None),
    ]
    assert unmarked(gated, PLAIN) == "Types without a mark: not significant."


def test_small_types_that_share_a_row_are_pooled_by_their_questions() -> None:
    """56 and 30 questions: (55 + 28) / 86 = 96.5 % before, one more broken: 95.3 %."""
    types = typed({"single-session-preference": (0, 1)})
    gated = gated_metrics(report(suites=(suite_report(by_type=types),)))[0]
    assert type_table(gated, PLAIN, most=5).rows[-1].cells == (
        "other 2 types",
        "86",
        "96.5 %",
        "95.3 %",
        "−1.2",
        "–",
        "0 / 1",
    )


def test_a_metric_whose_types_are_gated_is_not_called_ungated() -> None:
    sum_only = counted_comparison(Counts(470, 438, 4, 2), gated=False, gated_by_type=True)
    cells = all_metrics_table(report(suites=(suite_report(comparisons=(sum_only,)),)), PLAIN).rows[0].cells
    assert cells[0].endswith("\ngated by type")


def test_a_unit_that_is_no_plain_word_is_named_beside_its_metric() -> None:
    odd = counted_comparison(Counts(470, 438, 4, 2), unit="@octocat", gated=False)
    cells = all_metrics_table(report(suites=(suite_report(comparisons=(odd,)),)), PLAIN).rows[0].cells
    assert cells[0] == "recall_all@5 ↑ (@octocat)\nnot gated"
    assert cells[2] == "0.9319 units"


def test_a_single_question_has_no_interval() -> None:
    one = comparison(n=1, clusters=1, question_type="rare", lower95=-1.0, upper95=-1.0)
    made = report(suites=(suite_report(by_type=(one,)),))

    (row,) = type_table(gated_metrics(made)[0], PLAIN).rows

    assert row.cells[4].endswith(" –")


def test_a_type_that_lost_its_values_is_not_called_worse_and_is_named_below_the_table() -> None:
    lost = outcome(verdict="inconclusive", reason="not_measured", types=("tiny",))
    made = report(suites=(suite_report(by_type=typed(gated=True, family=6)),), outcomes=(lost,))

    assert gated_table(made, PLAIN).rows[0].cells[0].endswith("? not measured")
    assert unmarked(gated_metrics(made)[0], PLAIN).endswith(
        "Too little measured to judge, whatever their rows say: tiny."
    )
