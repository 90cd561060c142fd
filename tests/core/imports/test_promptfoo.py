"""promptfoo's tests become rows that keep their names when tests move, and a broken call is an error."""

import json
from typing import Any

import pytest

from gate.core.imports.made import Imported, ImportProblem
from gate.core.imports.promptfoo import Choice, read_promptfoo


def case_of(city: str = "Rome", **overrides: Any) -> dict[str, Any]:
    return {"vars": {"city": city}, "assert": [{"type": "contains", "value": "x"}], **overrides}


def result(city: str = "Rome", **overrides: Any) -> dict[str, Any]:
    return {
        "testIdx": 0,
        "promptIdx": 0,
        "provider": {"id": "openai:gpt", "label": "mini"},
        "prompt": {"raw": "secret words", "label": "secret words"},
        "testCase": case_of(city),
        "success": True,
        "score": 0.75,
        "latencyMs": 120,
        "cost": 0.001,
        "failureReason": 0,
        "gradingResult": {"pass": True},
        **overrides,
    }


def read(*results: object, choice: Choice | None = None, wrap: bool = True) -> Imported:
    listed: object = list(results)
    document = {"results": {"version": 3, "results": listed} if wrap else listed}
    return read_promptfoo(json.dumps(document).encode(), choice or Choice())


def ids(made: Imported) -> list[str]:
    return [row.id for row in made.rows]


def test_a_test_is_a_row_with_pass_score_latency_and_cost() -> None:
    (row,) = read(result()).rows
    assert row.error is None
    assert {name: row.members[name] for name in ("pass", "score", "latency_ms", "cost_usd")} == {
        "pass": True,
        "score": 0.75,
        "latency_ms": 120,
        "cost_usd": 0.001,
    }


def test_older_outputs_list_their_results_directly() -> None:
    assert len(read(result(), wrap=False).rows) == 1


def test_names_stay_when_tests_move() -> None:
    rome, oslo = result("Rome"), result("Oslo", testIdx=1)
    assert ids(read(rome, oslo)) == ids(read({**oslo, "testIdx": 0}, {**rome, "testIdx": 1}))[::-1]
    assert ids(read(rome))[0].startswith("vars-")


def test_an_id_or_a_description_of_its_own_is_the_better_name() -> None:
    made = read(
        result(testCase=case_of("Rome", metadata={"id": "t-1"}, description="first")),
        result(testCase=case_of("Oslo", description="second")),
        result(testCase=case_of("Bern", description="both")),
        result(testCase=case_of("Kiel", description="both")),
    )
    assert ids(made)[:2] == ["t-1", "second"]
    assert all(name.startswith("vars-") for name in ids(made)[2:])
    assert len(set(ids(made))) == 4


def test_a_test_that_was_repeated_says_which_time_it_is() -> None:
    made = read(result(), result(score=0.5), result("Oslo"))
    assert [row.members["repeat"] for row in made.rows] == ["1", "2", "1"]
    assert read(result()).rows[0].members["repeat"] is None


def test_a_test_without_a_case_is_known_by_its_variables() -> None:
    bare = {**result(), "vars": {"city": "Rome"}}
    del bare["testCase"]
    assert ids(read(bare)) == ids(read(result()))
    assert read(bare).rows[0].members["content_hash"] != read(result()).rows[0].members["content_hash"]


@pytest.mark.parametrize(
    ("overrides", "broke"),
    [
        ({"failureReason": 2, "error": "secret"}, True),
        ({"failureReason": 1, "error": "expected x", "success": False}, False),
        ({"failureReason": None, "error": "secret", "gradingResult": None}, True),
        ({"failureReason": None, "error": "expected x", "success": False}, False),
        ({"failureReason": None, "gradingResult": None}, False),
    ],
)
def test_a_call_that_broke_is_an_error_and_an_assertion_that_failed_is_none(
    overrides: dict[str, Any], broke: object
) -> None:
    (row,) = read(result(**overrides)).rows
    assert (row.error is not None) is broke
    assert "secret" not in str(row)


def test_several_providers_or_prompts_have_to_be_chosen_from() -> None:
    both = (result(), result(provider="local", promptIdx=1))
    with pytest.raises(ImportProblem, match="choose one of openai:gpt with prompt 0; local with prompt 1"):
        read(*both)
    with pytest.raises(ImportProblem, match="nothing of this provider and prompt; there are openai:gpt"):
        read(*both, choice=Choice(provider="other"))
    made = read(*both, choice=Choice(provider="mini"))
    assert (len(made.rows), made.notes) == (1, ("1 results of other providers or prompts: left out",))
    assert len(read(*both, choice=Choice(prompt="1")).rows) == 1


def test_a_result_that_names_neither_is_taken_as_it_is() -> None:
    bare = result()
    for key in ("provider", "prompt", "promptIdx"):
        del bare[key]
    assert len(read(bare).rows) == 1
    with pytest.raises(ImportProblem, match=r"there are \? with prompt \?"):
        read(bare, choice=Choice(provider="x"))


def test_what_is_unknown_is_left_out_and_named_scores_are_told() -> None:
    made = read(result(cost=None, latencyMs=True, namedScores={"tone": 1}), result("Oslo", namedScores=None))
    assert (made.rows[0].members["cost_usd"], made.rows[0].members["latency_ms"]) == (None, None)
    assert made.notes == ("named scores are left out: tone",)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "no valid JSON"),
        (b"[1]", "results\\[0\\]: expected an object"),
        (b"{}", "expected promptfoo's JSON output"),
        (b'{"results": []}', "expected promptfoo's JSON output"),
        (
            json.dumps({"results": [{**result(), "success": "yes"}]}).encode(),
            "does not say whether it passed",
        ),
    ],
)
def test_anything_else_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ImportProblem, match=said):
        read_promptfoo(data, Choice())
