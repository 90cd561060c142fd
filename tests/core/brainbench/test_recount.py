"""A figure that does not follow from a result's own turns is found."""

import pytest

from gate.core.brainbench.recount import contradictions, figures, recall_parts
from gate.core.brainbench.result import Gold, read_result
from tests.core.brainbench.results import RESULT, cell_object, real, result, turn_object


def test_every_figure_of_the_real_result_follows_from_its_turns() -> None:
    found = read_result(real(RESULT))
    assert len(found.turn_rows) == 804
    assert contradictions(found) == ()


def test_every_figure_that_was_changed_is_named() -> None:
    better = cell_object(gold_total=2, gold_failed=1, metrics={"know_to_ask_failure_rate": 0.5})
    assert contradictions(result(cells=[better])) == (
        "codex/know-to-ask: `gold_total` is 2, its turns say 1",
        "codex/know-to-ask: `gold_failed` is 1, its turns say 0",
        "codex/know-to-ask: `know_to_ask_failure_rate` is 0.5, its turns say 0",
    )


def test_a_result_without_turns_contradicts_nothing() -> None:
    assert contradictions(result(turn_rows=[], cells=[cell_object(gold_total=99)])) == ()


def test_misses_and_false_fires_are_failures() -> None:
    turns = result(
        turn_rows=[
            turn_object(1, injected_slugs=[]),
            turn_object(2, injected_slugs=["ok"], gold={"should_retrieve": True, "acceptable_slugs": ["ok"]}),
            turn_object(3, gold={"should_retrieve": False}),
            turn_object(4, gold={"should_retrieve": False}, injected_slugs=[]),
        ]
    ).turn_rows
    seen = figures("know-to-ask", turns)
    assert (seen.gold_total, seen.gold_failed) == (4, 2)
    assert seen.metrics["know_to_ask_failure_rate"] == 0.5
    assert seen.metrics["false_fire_rate"] == 0.5


def test_push_is_counted_over_pages_not_over_turns() -> None:
    turns = result(
        turn_rows=[
            turn_object(
                1, injected_slugs=["a", "x"], gold={"should_retrieve": True, "gold_slugs": ["a", "b", "c"]}
            ),
            turn_object(2, injected_slugs=["d"], gold={"should_retrieve": True, "gold_slugs": ["d"]}),
        ]
    ).turn_rows
    seen = figures("push", turns)
    assert (seen.gold_total, seen.gold_failed) == (4, 2)
    assert (seen.metrics["push_recall"], seen.metrics["push_precision"]) == (0.5, 0.6667)


@pytest.mark.parametrize(
    ("suite", "metric", "empty"),
    [
        ("know-to-ask", "know_to_ask_failure_rate", 0),
        ("know-to-ask", "false_fire_rate", 0),
        ("push", "push_precision", 1),
        ("push", "push_recall", 1),
    ],
)
def test_nothing_to_count_has_the_contract_s_figure(suite: str, metric: str, empty: float) -> None:
    assert figures(suite, ()).metrics[metric] == empty


def test_unlabelled_turns_tell_only_tokens_and_leaks() -> None:
    turns = result(turn_rows=[turn_object(gold=None, cross_source_slugs=["other"])]).turn_rows
    seen = figures("push", turns)
    assert (seen.gold_total, seen.gold_failed) == (None, None)
    assert seen.metrics == {"avg_injected_tokens": 10, "source_isolation_violations": 1}


def test_no_page_is_asked_for_in_silence() -> None:
    turn = result().turn_rows[0]
    assert recall_parts(turn, Gold(should_retrieve=False, gold_slugs=("a",))) == (0, 0)
