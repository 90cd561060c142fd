from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from gate.core.judging.panel import aggregate, distinct, quorum
from gate.core.judging.slots import Slot
from gate.core.records.ecmascript import json_text
from tests.core.judging.factories import NAMES, answered, failed, rubric
from tests.takes_factories import golden, shared

OUT_OF_RANGE = "out_of_range_scores"
"""The one case in which the issue is stricter: such scores never reach the panel, they are missing."""

RUNNERS_OWN = ("real-pass", "real-fail-mean", "real-inconclusive")


def slot_of(case: dict[str, Any]) -> Slot:
    if not case["ok"]:
        return Slot(model=case["modelId"], error=case["error"])
    parsed = case["parsed"]
    given_scores = {name: float(each["score"]) for name, each in parsed["scores"].items()}
    missing = ", ".join(name for name in NAMES if name not in given_scores)
    return Slot(
        model=case["modelId"],
        scores=given_scores,
        improvements=tuple(parsed["improvements"]),
        error=f"incomplete_scores: missing dim(s) [{missing}]" if missing else None,
    )


def written(value: object) -> str:
    """As the receipt's writer writes it: key order and numbers included."""
    return json_text(to_builtins(value))


def test_every_case_of_the_contract_comes_out_to_the_letter() -> None:
    cases = [case for case in golden("aggregate") if case["name"] != OUT_OF_RANGE]
    assert len(cases) == 8
    for case in cases:
        result, expected = aggregate([slot_of(each) for each in case["slots"]], rubric()), case["result"]

        assert result.verdict == expected["verdict"], case["name"]
        assert result.message == expected["verdictMessage"]
        assert result.contributors == expected["successes"]
        assert written(result.scores) == json_text(expected["dimensions"])
        assert result.overall == expected.get("overall")
        assert list(result.improvements) == expected["topImprovements"]
        assert written(result.errors) == json_text(expected["errors"])


@pytest.mark.parametrize("name", RUNNERS_OWN)
def test_receipts_that_gbrains_own_runner_wrote_come_out_again(name: str) -> None:
    receipt = shared(f"outputs/receipts/{name}.json")
    given_scores = shared(f"outputs/receipts/{name}.judge-input.json")
    slots = [
        slot_of({"ok": False, "modelId": model, "error": errors[model]})
        if model in (errors := {each["modelId"]: each["error"] for each in receipt["errors"]})
        else answered(model, *given_scores[model.partition(":")[0]])
        for model in receipt["models"]
    ]

    result = aggregate(slots, rubric())

    assert result.message == receipt["verdictMessage"]
    assert written(result.scores) == json_text(receipt["scores"])
    assert result.overall == receipt["overall_score"]
    assert result.contributors == receipt["successes_per_cycle"][-1]


@pytest.mark.parametrize(("panel", "needed"), [(1, 2), (2, 2), (3, 2), (4, 3), (5, 4), (6, 4), (10, 7)])
def test_two_judges_and_two_thirds_of_the_panel_are_needed(panel: int, needed: int) -> None:
    assert quorum(panel, rubric()) == needed


def test_a_panel_of_four_with_two_replies_is_inconclusive() -> None:
    result = aggregate([answered("a", 9), answered("b", 9), failed("c"), failed("d")], rubric())

    assert result.verdict == "inconclusive"
    assert "only 2 of 4 models returned complete scores (need >=3)" in result.message
    assert result.scores == {}


def test_an_empty_panel_never_passes() -> None:
    assert aggregate([], rubric()).verdict == "inconclusive"


def test_means_are_rounded_before_they_are_held_against_the_threshold() -> None:
    assert aggregate([answered("a", 6.9), answered("b", 7)], rubric()).verdict == "pass"
    assert aggregate([answered("a", 6.8), answered("b", 7)], rubric()).verdict == "fail"


def test_a_low_mean_is_named_before_a_low_score() -> None:
    result = aggregate([answered("a", 4), answered("b", 9)], rubric())

    assert result.scores["accuracy"].fail_reason == "mean_below_7"
    assert "accuracy mean=6.5 (<7), attribution mean=6.5 (<7)" in result.message


def test_thresholds_of_ones_own_rubric_stand_in_the_sentences() -> None:
    own = rubric(pass_mean=8.5, pass_floor=6)

    assert "every dim mean >=8.5 and min >=6" in aggregate([answered("a", 9), answered("b", 9)], own).message
    assert (
        aggregate([answered("a", 8), answered("b", 8)], own).scores["accuracy"].fail_reason
        == "mean_below_8.5"
    )


def test_improvements_that_begin_alike_are_one() -> None:
    long = "x" * 40

    assert distinct(["Cite  the page", "cite the PAGE", f"{long}1", f"{long}2"]) == (
        "Cite  the page",
        f"{long}1",
    )
    assert len(distinct(str(i) for i in range(20))) == 10


VALUES = st.lists(st.floats(1, 10), min_size=5, max_size=5)


@given(st.lists(VALUES, min_size=2, max_size=6), st.integers(0, 3))
def test_a_failed_judge_never_improves_a_verdict(panel: list[list[float]], more: int) -> None:
    slots = [answered(f"m{i}", *values) for i, values in enumerate(panel)]
    rank = {"pass": 2, "inconclusive": 1, "fail": 0}

    with_failures = aggregate([*slots, *(failed(f"f{i}") for i in range(more))], rubric())

    assert with_failures.verdict in (aggregate(slots, rubric()).verdict, "inconclusive")
    assert rank[with_failures.verdict] <= max(rank[aggregate(slots, rubric()).verdict], 1)


@given(st.lists(VALUES, min_size=2, max_size=5))
def test_every_dimension_lies_between_its_least_and_greatest_score(panel: list[list[float]]) -> None:
    result = aggregate([answered(f"m{i}", *values) for i, values in enumerate(panel)], rubric())

    for each in result.scores.values():
        assert each.min - 0.05001 <= each.mean <= each.max + 0.05001
