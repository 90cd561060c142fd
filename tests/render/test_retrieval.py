from gate.core.metrics import Metrics
from gate.render.retrieval import ending, retrieval_table

MEASURED: dict[str, Metrics | None] = {
    "a": {"mrr": 1.0, "hit@1": 1.0, "hit@5": 1.0},
    "b": {"mrr": 0.25, "hit@1": 0.0, "hit@5": 1.0},
    "c": None,
    "d": {"mrr": 0.0, "hit@1": 0.0, "hit@5": 0.0, "expected_top1_hit": 0.0},
}


def test_means_come_first_and_then_success_by_class() -> None:
    assert retrieval_table(MEASURED, {"a": "who", "b": "what", "c": "what"}).splitlines() == [
        "metric               mean  queries",
        "mrr                0.4167        3",
        "hit@1              33.3 %        3",
        "hit@5              66.7 %        3",
        "expected_top1_hit   0.0 %        1",
        "",
        "class    hit@1    hit@5  queries",
        "what     0.0 %  100.0 %        1",
        "who    100.0 %  100.0 %        1",
    ]


def test_without_classes_there_is_one_table() -> None:
    assert "class" not in retrieval_table(MEASURED, {})


def test_a_class_that_would_move_the_terminal_is_shown_harmless() -> None:
    assert "\x1b" not in retrieval_table(MEASURED, {"a": "who\x1b[2J"})


def test_nothing_measured_is_said() -> None:
    assert retrieval_table({}, {}) == "nothing was measured"
    assert retrieval_table({"a": None}, {"a": "who"}) == "nothing was measured"


def test_the_ending_counts_what_was_not_answered_only_where_there_is_any() -> None:
    assert ending(1, 0, 0) == "1 query answered"
    assert ending(3, 2, 4) == "3 queries answered, 2 with errors, 4 not asked"
