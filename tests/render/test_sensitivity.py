from msgspec.structs import replace

from gate.core.report import Report
from gate.render.dialect import PLAIN
from gate.render.sensitivity import needed_alike, sensitivity, unseen
from tests.factories import Counts, comparison, counted_comparison, outcome, plan, report, suite_report, typed
from tests.render.scenarios import PER_TYPE, SCENARIOS


def per_type(changes: dict[str, tuple[int, int]], *, family: int = 6) -> Report:
    types = typed(changes, gated=True, family=family)
    return report(
        plan=plan(rules=(PER_TYPE,)),
        suites=(suite_report(comparisons=(comparison(gated=False),), by_type=types),),
        outcomes=(outcome(rule=PER_TYPE.id),),
    )


def test_a_pass_says_how_large_a_drop_goes_unseen_and_how_often() -> None:
    """z(0.975) + z(0.8) = 2.8016; the differences' standard deviation is 0.11291; over √470: 1.46 points."""
    assert sensitivity(report(), PLAIN) == (
        "recall_all@5: 4 fixed, 2 broken, 464 the same (n = 470). p = 0.69: no improvement is claimed either."
        " A true drop of 1.5 points would pass here unseen about 1 time in 5, a smaller one more often.",
    )


def test_no_improvement_is_disclaimed_when_there_is_none() -> None:
    worse = report(suites=(suite_report(comparisons=(counted_comparison(Counts(470, 438, 2, 4)),)),))
    assert "claimed" not in sensitivity(worse, PLAIN)[0]


def test_what_matters_but_cannot_be_seen_is_said() -> None:
    assert unseen(comparison(matters=0.01), 1).endswith(
        "That is more than the 1.0 points declared to matter."
    )
    assert "declared" not in unseen(comparison(matters=0.02), 1)


def test_below_a_hundred_questions_the_reckoning_is_only_a_bound() -> None:
    assert "at least 1 time in 5" in unseen(counted_comparison(Counts(99, 90, 2, 1)), 1)
    assert "about 1 time in 5" in unseen(counted_comparison(Counts(100, 90, 2, 1)), 1)


def test_without_any_change_the_count_that_chance_cannot_explain_is_named() -> None:
    tied = counted_comparison(Counts(470, 438, 0, 0))
    assert (
        unseen(tied, 1) == "Fewer than 6 broken with none fixed (1.3 points) could not have been significant."
    )
    assert unseen(replace(tied, unit="ms", better="lower"), 12) == (
        "Fewer than 9 worse with none better could not have been significant."
    )


def test_with_too_few_questions_nothing_could_have_been_seen() -> None:
    tied = counted_comparison(Counts(4, 4, 0, 0))
    assert unseen(tied, 1) == "With n = 4 no change of any size could have been significant."


def test_types_are_summed_up_by_the_best_and_the_worst_seen() -> None:
    said = sensitivity(per_type({"temporal-reasoning": (3, 1), "single-session-preference": (1, 2)}), PLAIN)
    assert said == (
        "recall_all@5 by type: a true drop would pass unseen at least 1 time in 5 when it is 5.5 points in"
        " temporal-reasoning (n = 127), and when it is 20.3 points in single-session-preference (n = 30);"
        " 4 without any change cannot be reckoned.",
    )


def test_types_too_small_for_anything_are_counted() -> None:
    """A family of 6 needs 8 changes all the same way: 5 questions can never show that."""
    types = typed({"temporal-reasoning": (3, 1)}, gated=True, family=6)[:4]
    tiny = tuple(
        counted_comparison(Counts(5, 5, 0, 2), family=6, question_type=kind) for kind in ("tiny", "small")
    )
    made = report(
        plan=plan(rules=(PER_TYPE,)),
        suites=(suite_report(comparisons=(comparison(gated=False),), by_type=types + tiny),),
        outcomes=(outcome(rule=PER_TYPE.id),),
    )
    said = sensitivity(made, PLAIN)[0]
    assert "tiny" not in said
    assert said.endswith(
        "; 3 without any change cannot be reckoned. 2 types too small for anything to be significant."
    )
    only = replace(made, suites=(replace(made.suites[0], by_type=tiny),))
    assert sensitivity(only, PLAIN)[0].endswith(
        "With n = 5 no change of any size could have been significant."
    )


def test_one_type_that_changed_stands_alone() -> None:
    said = sensitivity(per_type({"temporal-reasoning": (3, 1)}), PLAIN)[0]
    assert "5.5 points in temporal-reasoning (n = 127); 5 without any change" in said


def test_types_without_any_change_are_answered_for_the_largest() -> None:
    assert sensitivity(per_type({}), PLAIN) == (
        "recall_all@5 by type: Fewer than 8 broken with none fixed (6.3 points) could not have been significant.",
    )


def test_a_rule_without_its_comparison_claims_nothing() -> None:
    assert sensitivity(report(suites=(suite_report(comparisons=()),)), PLAIN) == ()


def test_only_passes_of_significant_rules_are_spoken_of() -> None:
    assert sensitivity(SCENARIOS["regression_in_one_type"](), PLAIN) == ()
    assert len(sensitivity(SCENARIOS["threshold_missed"](), PLAIN)) == 1
    assert sensitivity(report(outcomes=(outcome(rule="unknown"),)), PLAIN) == ()


def test_a_significant_improvement_needs_no_disclaimer() -> None:
    assert "claimed" not in sensitivity(SCENARIOS["faster"](), PLAIN)[1]


def test_the_fewest_changes_follow_the_size_of_the_family() -> None:
    assert (needed_alike(1), needed_alike(12)) == (6, 9)
