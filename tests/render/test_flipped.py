from gate.core.report import Flip, Report
from gate.render.dialect import MARKDOWN, PLAIN
from gate.render.flipped import flipped_table, flips_summary, ranks, rest_of_flips
from tests.factories import comparison, flip, report, suite_report


def flipped(*flips: Flip, total: int | None = None, **comparison_overrides: object) -> Report:
    suite = suite_report(
        comparisons=(comparison(**comparison_overrides),),
        by_type=(),
        flips=flips,
        flips_total=len(flips) if total is None else total,
        questions_changed=len({one.question_id for one in flips}) if total is None else total,
    )
    return report(suites=(suite,))


def cells(made: Report) -> list[tuple[str, ...]]:
    return [row.cells for row in flipped_table(made, PLAIN).rows]


def test_losses_come_before_gains_whatever_suite_they_are_from() -> None:
    gain, loss = flip("a", baseline=0.0, candidate=1.0), flip("b")
    other = suite_report(
        name="docs", comparisons=(comparison(suite="docs"),), flips=(flip("c", suite="docs"),)
    )
    made = report(suites=(suite_report(flips=(loss, gain)), other))
    assert [row[0] for row in cells(made)] == ["b", "c", "a"]


def test_a_yes_or_no_metric_is_broken_or_fixed() -> None:
    made = flipped(flip("b"), flip("a", baseline=0.0, candidate=1.0, rank_before=0, rank_after=1))
    assert cells(made) == [
        ("b", "temporal-reasoning", "broken", "2 → 14"),
        ("a", "temporal-reasoning", "fixed", "not found → 1"),
    ]


def test_a_graded_metric_shows_both_values() -> None:
    made = flipped(flip("b", baseline=1.0, candidate=0.6), flip("a", baseline=0.4, candidate=0.6))
    assert [row[2] for row in cells(made)] == ["worse, 100.0 % → 60.0 %", "better, 40.0 % → 60.0 %"]


def test_lower_is_better_turns_the_words_round() -> None:
    made = flipped(flip("b", baseline=120.0, candidate=90.0), better="lower", unit="ms")
    assert cells(made)[0][2] == "better, 120.0 ms → 90.0 ms"


def test_without_a_direction_values_go_up_and_down() -> None:
    made = flipped(flip("b"), flip("a", baseline=0.5, candidate=0.75), better=None)
    assert [row[2] for row in cells(made)] == ["down, 100.0 % → 0.0 %", "up, 50.0 % → 75.0 %"]


def test_a_difference_of_float_noise_is_none() -> None:
    assert cells(flipped(flip("b", baseline=0.3, candidate=0.1 + 0.2)))[0][2] == "same, 30.0 % → 30.0 %"


def test_a_metric_nobody_compared_has_no_direction() -> None:
    assert cells(flipped(flip("b", metric="other")))[0][2] == "down, 1.000 → 0.000"


def test_columns_that_say_nothing_are_left_out() -> None:
    bare = flipped(flip("b", question_type=None, rank_before=None, rank_after=None))
    assert [column.title for column in flipped_table(bare, PLAIN).columns] == ["question", "change"]
    several = flipped(flip("b"), flip("b", metric="ndcg@10"))
    titles = [column.title for column in flipped_table(several, PLAIN).columns]
    assert titles == ["question", "type", "metric", "change", "gold rank"]


def test_ranks_that_only_one_side_states_are_unknown_on_the_other() -> None:
    assert ranks(flip(rank_before=None, rank_after=3)) == "unknown → 3"
    assert ranks(flip(rank_before=1, rank_after=0)) == "1 → not found"


def test_what_is_not_shown_is_counted_and_found_elsewhere() -> None:
    some = tuple(flip(f"q{n}") for n in range(12))
    assert rest_of_flips(flipped(*some[:3]), 10) == ""
    assert rest_of_flips(flipped(*some), 10) == "2 more in the receipt."
    assert rest_of_flips(flipped(*some, total=60), 10) == (
        "50 more changed; the receipt lists 2 of them, the row files hold all."
    )
    assert rest_of_flips(flipped(*some, total=60), 12) == "48 more changed: the row files hold them all."


def test_the_summary_counts_questions_and_where_they_are_more_their_values() -> None:
    assert flips_summary(flipped(flip("a"))) == "1 question changed"
    assert flips_summary(flipped(flip("a"), flip("b"))) == "2 questions changed, the worst first"
    twice = flipped(flip("a"), flip("a", metric="ndcg@10"))
    assert flips_summary(twice) == "1 question changed in 2 values, the worst first"


def test_a_receipt_that_keeps_the_flips_of_one_metric_only_still_names_it_where_several_changed() -> None:
    found = suite_report(flips=(flip("a"),), flips_total=292, questions_changed=150)

    assert flips_summary(report(suites=(found,))) == "150 questions changed in 292 values, the worst first"
    assert "metric" in [column.title for column in flipped_table(report(suites=(found,)), PLAIN).columns]


def test_the_words_of_a_question_stand_below_its_id_and_are_nobody_s_markup() -> None:
    made = flipped(flip("q-1", text="who is @octocat | **really**?"))

    assert cells(made)[0][0] == "q-1\nwho is @octocat | **really**?"
    (row,) = flipped_table(made, MARKDOWN).rows
    assert "<br>" not in row.cells[0]
    assert "**really**" not in row.cells[0]
    assert cells(flipped(flip("q-1")))[0][0] == "q-1"
