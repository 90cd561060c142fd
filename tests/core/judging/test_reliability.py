import pytest

from gate.core.judging.reliability import Floor, measured, unreliable
from tests.core.judging.factories import NAMES, answered, failed

ONE = [((answered("a", 9), answered("b", 7), answered("c", 7)),)]
TWO = [((answered("a", 9, 7, 7, 7, 7), answered("b", 5, 7, 7, 7, 7)), (answered("a", 5), answered("b", 5)))]


def test_one_unit_gives_range_and_spread_but_no_alpha() -> None:
    found = measured(ONE, NAMES)

    accuracy = found.dimensions["accuracy"]
    assert (accuracy.range, accuracy.alpha, accuracy.units) == (2, None, 1)
    assert accuracy.sd == pytest.approx(1.1547, abs=1e-4)
    assert found.alpha is None


def test_batches_and_cycles_are_units_alike() -> None:
    assert measured(TWO, NAMES).dimensions["accuracy"].units == 2
    assert measured([*ONE, *ONE, *ONE], NAMES).dimensions["accuracy"].units == 3


def test_judges_without_complete_scores_do_not_take_part() -> None:
    found = measured([((answered("a", 9), failed("b")),)], NAMES)

    assert (found.dimensions["accuracy"].range, found.dimensions["accuracy"].sd) == (None, None)
    assert unreliable(found, Floor(sd_at_most=0, range_at_most=0)) is None
    assert found.dimensions["accuracy"].units == 0


def test_without_a_limit_nobody_is_doubted() -> None:
    assert unreliable(measured(TWO, NAMES), Floor()) is None


def test_alpha_below_its_floor_is_doubted_in_words() -> None:
    doubt = unreliable(measured(TWO, NAMES), Floor(alpha_at_least=0.9))

    assert doubt is not None
    assert doubt.startswith("Krippendorff's alpha ")
    assert doubt.endswith("is below 0.9")


def test_a_figure_that_cannot_be_computed_breaks_no_limit() -> None:
    assert unreliable(measured(ONE, NAMES), Floor(alpha_at_least=0.9)) is None


def test_the_worst_dimension_is_held_against_the_limits_of_spread() -> None:
    found = measured(TWO, NAMES)

    assert unreliable(found, Floor(range_at_most=4)) is None
    assert unreliable(found, Floor(range_at_most=3)) == "the range of accuracy is 4.00, above 3"
    doubt = unreliable(found, Floor(sd_at_most=1))
    assert doubt is not None
    assert doubt.startswith("the standard deviation of accuracy is 2.00")
