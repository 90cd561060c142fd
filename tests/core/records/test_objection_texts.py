"""Objections are made to fit a line of rows, and nothing of them is lost unseen."""

from gate.core.records.objection_texts import fitted
from gate.core.records.objections import MAX_OBJECTIONS, MAX_TEXT, Objection, objections_of


def objection(number: int, message: str = "worse") -> Objection:
    return Objection(f"rule {number}", "regression", message)


def test_what_fits_stays_as_it_is_each_once() -> None:
    assert fitted((objection(1), objection(1), objection(2))) == (objection(1), objection(2))
    assert fitted(()) == ()


def test_a_long_one_is_cut_and_says_so() -> None:
    (found,) = fitted((objection(1, "x" * 600),))
    assert (len(found.message), found.message[-1]) == (MAX_TEXT, "…")


def test_the_last_one_counts_those_that_are_left_out() -> None:
    found = fitted(tuple(objection(number) for number in range(MAX_OBJECTIONS + 3)))
    assert len(found) == MAX_OBJECTIONS
    assert found[-1] == objection(MAX_OBJECTIONS - 1, "worse (and 3 more)")
    assert objections_of([each.line() for each in found]) == found
