import pytest

from gate.core.longmemeval.selection import (
    Selection,
    SelectionError,
    ids_of_text,
    selected,
)
from gate.core.longmemeval.splits import sample

IDS = tuple(f"q{number}" for number in range(20, 0, -1))


def test_without_a_wish_everything_is_selected_in_the_order_of_the_dataset() -> None:
    assert selected(IDS, Selection()) == IDS
    assert selected(IDS, Selection(limit=20)) == IDS


def test_named_questions_keep_the_order_of_the_dataset() -> None:
    assert selected(IDS, Selection(named=("q3", "q7"))) == ("q7", "q3")


def test_a_limit_draws_a_sample_that_follows_the_seed() -> None:
    one, other = (selected(IDS, Selection(limit=5, seed=seed)) for seed in (42, 43))
    assert sorted(one) == list(sample(IDS, 5, 42))
    assert one == tuple(each for each in IDS if each in one)
    assert one != other


def test_a_limit_draws_among_the_named() -> None:
    assert set(selected(IDS, Selection(named=("q1", "q2", "q3"), limit=2))) < {"q1", "q2", "q3"}


def test_a_question_that_the_dataset_has_not_is_named() -> None:
    with pytest.raises(SelectionError, match=r"no question 'nope'$"):
        selected(IDS, Selection(named=("nope",)))
    with pytest.raises(SelectionError, match="'a' and 1 more"):
        selected(IDS, Selection(named=("b", "a", "q1")))


def test_a_file_of_ids_has_one_a_line() -> None:
    assert ids_of_text("# chosen by hand\nq1\n\n  q2\r\n") == ("q1", "q2")


def test_a_file_of_ids_that_names_one_twice_or_none_is_refused() -> None:
    with pytest.raises(SelectionError, match="'q1' is named twice"):
        ids_of_text("q1\nq1\n")
    with pytest.raises(SelectionError, match="no question is named"):
        ids_of_text("# nothing\n")
