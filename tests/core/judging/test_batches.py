from gate.core.judging.batches import combined
from tests.core.judging.factories import answered, failed, scores


def test_one_batch_passes_through_untouched() -> None:
    slots = (answered("a", 7, 8, 9, 7, 8), failed("b"))

    assert combined([slots]) == slots


def test_a_models_score_is_its_mean_over_the_batches() -> None:
    a, b = combined(
        [
            (answered("a", 7), answered("b", 9)),
            (answered("a", 8), answered("b", 9)),
            (answered("a", 9), failed("b")),
        ]
    )

    assert a.scores == scores(8)
    assert b.scores == scores(9)


def test_a_model_that_missed_more_than_a_third_of_the_batches_does_not_contribute() -> None:
    (slot,) = combined([(answered("a", 7),), (failed("a"),), (failed("a", "parse_failed: x"),)])

    assert slot.error == "provider_error: it was down (batch 2 of 3, and 1 more)"
    assert slot.scores == {}


def test_a_single_missed_batch_is_named_alone() -> None:
    (slot,) = combined([(answered("a", 7),), (failed("a"),)])

    assert slot.error == "provider_error: it was down (batch 2 of 2)"


def test_improvements_of_all_batches_are_kept() -> None:
    (slot,) = combined([(answered("a", 7, improvements=["x"]),), (answered("a", 7, improvements=["y"]),)])

    assert slot.improvements == ("x", "y")
