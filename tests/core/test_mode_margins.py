"""Which questions a mode wins and loses against the best of the others."""

from gate.core.mode_margins import against, margins, next_best, ranked
from tests.tables import table


def test_the_best_mode_comes_first_whichever_direction_is_better_and_equals_keep_their_order() -> None:
    means = {"conservative": 0.5, "balanced": 0.75, "tokenmax": 0.75}
    assert ranked(means, "higher") == ("balanced", "tokenmax", "conservative")
    assert ranked(means, "lower") == ("conservative", "balanced", "tokenmax")


def test_the_next_best_of_the_best_is_the_second_and_of_all_others_the_best() -> None:
    ranking = ("tokenmax", "balanced", "conservative")
    assert [next_best(mode, ranking) for mode in ranking] == ["balanced", "tokenmax", "tokenmax"]
    assert next_best("tokenmax", ("tokenmax",)) is None


def test_a_margin_is_positive_where_the_mode_is_better() -> None:
    ours, theirs = table(3, ms=[10.0, 30.0, 20.0]), table(3, ms=[15.0, 10.0, 20.0])
    lower = margins(ours, theirs, "ms", "lower")
    assert [(each.question_id, each.margin) for each in lower] == [("q000", 5), ("q002", 0), ("q001", -20)]
    assert [each.margin for each in margins(ours, theirs, "ms", "higher")] == [20, 0, -5]
    assert (lower[0].ours, lower[0].theirs) == (10, 15)


def test_only_questions_that_both_measured_have_a_margin() -> None:
    ours, theirs = table(("a", "b", "c"), hit=[1, None, 1]), table(("b", "c", "d"), hit=[0, 0, 0])
    assert [each.question_id for each in margins(ours, theirs, "hit", "higher")] == ["c"]


def test_three_questions_are_named_on_each_side_the_greatest_first_and_all_are_counted() -> None:
    ours = table(10, score=[9.0, 8.0, 8.0, 7.0, 5.0, 5.0, 1.0, 4.0, 3.0, 2.0])
    found = against("tokenmax", "balanced", margins(ours, table(10, score=[5.0] * 10), "score", "higher"))
    assert [each.question_id for each in found.wins] == ["q000", "q001", "q002"]
    assert [each.question_id for each in found.losses] == ["q006", "q009", "q008"]
    assert (found.won, found.lost, found.tied) == (4, 4, 2)


def test_without_questions_there_are_no_margins() -> None:
    assert margins(table(0, hit=[]), table(0, hit=[]), "hit", "higher") == ()
    assert against("a", "b", ()).wins == against("a", "b", ()).losses == ()
