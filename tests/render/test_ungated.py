"""A drop that is spread over question types passes a rule on types, and no reader is told that nothing dropped."""

from collections.abc import Callable
from typing import Any

import pytest

from gate.core.plan import Rule
from gate.core.report import Report
from gate.render.comment import comment
from gate.render.dialect import MARKDOWN
from gate.render.headline import headline
from gate.render.summary import summary
from gate.render.terminal import terminal
from tests.factories import METRIC, Counts, counted_comparison, outcome, plan, report, suite_report, typed
from tests.render.scenarios import PER_TYPE, WHOLE

HELD = f"no question type is significantly worse in {METRIC}"
FELL = f"Overall {METRIC} fell by 16.3 points (p 0.00024, unadjusted), which no rule gates."
SPREAD = Counts(80, 59, 0, 13)


def spread(counts: Counts = SPREAD, **overrides: Any) -> Report:
    """A rule on types that passed; the whole is what these counts say, and no rule tests it."""
    stated = {"gated": False, "gated_by_type": True, **overrides}
    whole = counted_comparison(counts, **stated)
    suite = suite_report(comparisons=(whole,), by_type=typed(gated=True, family=6))
    return report(
        plan=plan(rules=(PER_TYPE,)),
        suites=(suite,),
        outcomes=(outcome(rule=PER_TYPE.id, message=HELD),),
    )


def test_a_passed_rule_on_types_says_that_the_whole_fell_and_which_rule_is_missing() -> None:
    told = headline(spread())
    assert told.title == f"Passed: {HELD}. {FELL}"
    assert told.level == "warning"
    assert told.action == (
        "Look at what broke first. For the whole to decide, too, add the same rule without `per`."
    )


@pytest.mark.parametrize("shown", [comment, summary, terminal])
def test_no_output_says_that_no_drop_was_detected_where_the_whole_fell(
    shown: Callable[[Report], str],
) -> None:
    text = shown(spread())
    assert "p 0.00024, unadjusted" in " ".join(text.split())
    assert "no drop" not in text
    assert "Nothing to do" not in text


def test_a_latency_that_rose_is_worse_too() -> None:
    means = {"baseline_mean": 812.0, "candidate_mean": 828.3, "delta": 16.3, "lower95": 8.8, "upper95": 25.0}
    title = headline(spread(better="lower", unit="ms", **means)).title
    assert f"Overall {METRIC} rose by 16.3 ms (p 0.00024" in title


@pytest.mark.parametrize(
    "harmless",
    [
        spread(Counts(80, 59, 0, 5)),
        spread(Counts(80, 50, 13, 0)),
        spread(lower95=None),
        spread(upper95=None),
        spread(upper95=0.01),
        spread(gated=True),
        spread(smallest_attainable_p=0.0625),
    ],
    ids=["chance", "better", "open below", "open above", "interval holds 0", "gated", "out of reach"],
)
def test_a_whole_that_did_not_fall_beyond_chance_or_is_gated_changes_nothing(harmless: Report) -> None:
    told = headline(harmless)
    assert "which no rule gates" not in told.title
    assert told.level == "note"


def test_beside_a_rule_on_the_whole_the_headline_speaks_of_drops() -> None:
    both = spread(Counts(80, 59, 0, 3), gated=True)
    assert headline(both).title == f"Passed: no drop detected in {METRIC}."


def test_several_wholes_that_fell_name_the_first_with_its_suite_and_count_the_others() -> None:
    names = ("one", "two", "@three")
    suites = tuple(
        suite_report(
            name=name,
            comparisons=(counted_comparison(SPREAD, suite=name, gated=False, gated_by_type=True),),
        )
        for name in names
    )
    made = report(
        plan=plan(rules=(PER_TYPE,)),
        suites=suites,
        outcomes=tuple(outcome(rule=PER_TYPE.id, suite=name) for name in reversed(names)),
    )
    title = headline(made, MARKDOWN).title
    assert "in <code>" in title
    assert "unadjusted), and 2 more got worse, which no rule gates." in title


def test_another_rule_on_the_same_metric_does_not_bring_the_words_back() -> None:
    floor = Rule(metric=METRIC, rule="threshold", at_least=0.5)
    made = spread()
    made = report(
        plan=plan(rules=(PER_TYPE, floor)),
        suites=made.suites,
        outcomes=(*made.outcomes, outcome(rule=floor.id, value=0.575, limit=0.5)),
    )
    assert headline(made).title == f"Passed: {HELD}; {METRIC} holds its limit (57.5 % ≥ 50 %). {FELL}"


def test_a_failure_is_told_as_before() -> None:
    failed = report(
        verdict="fail",
        reason="regression",
        plan=plan(rules=(WHOLE,)),
        suites=spread().suites,
        outcomes=(outcome(verdict="fail", reason="regression"),),
    )
    assert headline(failed).level == "caution"
