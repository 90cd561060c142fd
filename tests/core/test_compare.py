import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.compare import Pairing, columns_in_both, join, pair, per_question, rankings_changed
from tests.tables import table

GATE = Pairing()
CONTRACT = Pairing(judge_errors="dropped")


def test_questions_pair_by_id_in_the_order_of_the_baseline() -> None:
    baseline = table(["b", "a", "c"], hit=[1, 0, 1])
    candidate = table(["c", "b", "d"], hit=[0, 1, 1])

    pairs = pair(join(baseline, candidate), "hit", GATE)

    assert pairs.ids == ("b", "c")
    assert pairs.baseline.tolist() == [1, 1]
    assert pairs.candidate.tolist() == [1, 0]


def test_leftovers_are_listed_on_both_sides() -> None:
    joined = join(table(["b", "a", "c"], hit=[1, 0, 1]), table(["c", "b", "d"], hit=[0, 1, 1]))

    assert joined.baseline_only == ("a",)
    assert joined.candidate_only == ("d",)


def test_equal_ids_leave_nothing_over() -> None:
    joined = join(table(3, hit=[1, 0, 1]), table(3, hit=[1, 0, 1]))

    assert (joined.baseline_only, joined.candidate_only, joined.changed) == ((), (), ())


def test_a_question_without_a_value_is_never_counted_as_zero() -> None:
    pairs = pair(join(table(3, hit=[1, None, 1]), table(3, hit=[1, 0, None])), "hit", GATE)

    assert pairs.ids == ("q000",)
    assert pairs.not_measured == 2


def test_a_metric_that_one_side_lacks_gives_no_pairs() -> None:
    joined = join(table(2, hit=[1, 1], mrr=[1, 0.5]), table(2, hit=[1, 1]))

    assert pair(joined, "mrr", GATE).ids == ()
    assert columns_in_both(joined) == ("hit",)


def test_judge_errors_count_as_wrong_in_the_gate_and_are_dropped_by_the_contract() -> None:
    baseline = table(3, qa_accuracy=[1, 1, 0])
    candidate = table(3, qa_accuracy=[1, None, 1], judge_errors=[1])
    joined = join(baseline, candidate)

    strict = pair(joined, "qa_accuracy", GATE)
    contract = pair(joined, "qa_accuracy", CONTRACT)

    assert strict.candidate.tolist() == [1, 0, 1]
    assert contract.ids == ("q000", "q002")
    assert (strict.judge_errors, contract.judge_errors) == (1, 1)


def test_judge_errors_leave_other_metrics_alone() -> None:
    joined = join(table(2, hit=[1, 1]), table(2, hit=[1, None], judge_errors=[1]))

    assert pair(joined, "hit", GATE).ids == ("q000",)
    assert pair(joined, "hit", GATE).judge_errors == 0


def test_abstentions_stay_outside_recall_unless_asked_for() -> None:
    sides = [table(3, recall_all_at_k=[1, 0, 1], qa_accuracy=[1, 1, 1], abstentions=[2]) for _ in range(2)]
    joined = join(*sides)

    outside = pair(joined, "recall_all@k", GATE)
    inside = pair(joined, "recall_all@k", Pairing(abstentions="inside"))

    assert (outside.ids, outside.abstentions) == (("q000", "q001"), 1)
    assert (len(inside.ids), inside.abstentions) == (3, 0)
    assert len(pair(joined, "qa_accuracy", GATE).ids) == 3


def test_a_question_that_is_an_abstention_on_one_side_is_outside() -> None:
    joined = join(table(2, recall_at_5=[1, 1], abstentions=[0]), table(2, recall_at_5=[1, 1]))

    assert pair(joined, "recall@5", GATE).ids == ("q001",)


def test_questions_whose_content_changed_are_left_out_and_listed() -> None:
    baseline = table(3, hit=[1, 1, 1], content_hashes=["x", "y", None])
    candidate = table(3, hit=[0, 0, 0], content_hashes=["x", "z", "w"])

    joined = join(baseline, candidate)

    assert joined.changed == ("q001",)
    assert pair(joined, "hit", GATE).ids == ("q000", "q002")


def test_repeats_are_averaged_per_question_over_what_was_measured() -> None:
    repeated = table(
        ["a", "b", "a", "a", "b"],
        hit=[1, 1, 0, None, None],
        repeats=["1", "1", "2", "3", "2"],
        types=["t", "u", "t", "t", "u"],
        clusters=["c", "d", "c", "c", "d"],
        errored=[3],
        judge_errors=[4],
        gold_ranks=[1, 2, 3, 4, 5],
        rankings=["r", "s", "t", "u", "v"],
        content_hashes=["h", "i", "h", "h", "i"],
    )

    single = per_question(repeated)

    assert single.ids == ("a", "b")
    assert single.metrics["hit"].values.tolist() == [0.5, 1]
    assert (single.types, single.clusters) == (("t", "u"), ("c", "d"))
    assert single.errored.tolist() == [True, False]
    assert single.judge_errors.tolist() == [False, True]
    assert single.gold_ranks is not None
    assert single.gold_ranks.tolist() == [1, 2]
    assert (single.rankings, single.content_hashes) == (("r", "s"), ("h", "i"))


def test_repeats_of_a_bare_table_are_averaged_too() -> None:
    assert per_question(table(["a", "a"], hit=[None, None], repeats=["1", "2"])).metrics[
        "hit"
    ].present.tolist() == [False]


def test_a_table_without_repeats_is_left_as_it_is() -> None:
    plain = table(2, hit=[1, 0])

    assert per_question(plain) is plain
    once = table(2, hit=[1, 0], repeats=["1", "1"])
    assert per_question(once) is once


def test_types_and_clusters_come_from_the_baseline_and_else_from_the_candidate() -> None:
    baseline, candidate = table(2, hit=[1, 1]), table(2, hit=[1, 1], types=["t", "u"], clusters=["c", "c"])

    pairs = pair(join(baseline, candidate), "hit", GATE)

    assert pairs.types == ("t", "u")
    assert pairs.clusters == ("c", "c")
    assert pair(join(candidate, baseline), "hit", GATE).types == ("t", "u")
    assert pair(join(baseline, baseline), "hit", GATE).clusters == ("q000", "q001")


def test_rankings_that_changed_are_counted_where_both_sides_say() -> None:
    before = table(3, hit=[1, 1, 1], rankings=["a", "b", None])
    after = table(3, hit=[1, 1, 1], rankings=["a", "c", "d"])

    assert rankings_changed(join(before, after)) == 1
    assert rankings_changed(join(before, table(3, hit=[1, 1, 1]))) is None
    unknown = table(3, hit=[1, 1, 1], rankings=[None, None, None])
    assert rankings_changed(join(before, unknown)) is None


@given(st.permutations(range(8)), st.permutations(range(8)))
def test_the_order_of_rows_changes_which_pairs_come_first_but_not_which_pairs_there_are(
    left: list[int], right: list[int]
) -> None:
    values = [0.5, 1, 0, 0.25, 0.75, 1, 0, 0.125]
    baseline = table([f"q{i}" for i in left], score=[values[i] for i in left])
    candidate = table([f"q{i}" for i in right], score=[1 - values[i] for i in right])

    pairs = pair(join(baseline, candidate), "score", GATE)

    assert pairs.ids == baseline.ids
    assert (pairs.baseline + pairs.candidate).tolist() == [1.0] * 8


@pytest.mark.parametrize(("meant", "other", "lacking"), [(None, None, 3), (2, 2, 1), (1, 1, 0), (2, None, 3)])
def test_a_question_that_a_metric_is_not_meant_for_lacks_no_value(
    meant: int | None, other: int | None, lacking: int
) -> None:
    sides = [
        table(4, hit=[1, None, None, None], applies_to={} if said is None else {"hit": said})
        for said in (meant, other)
    ]

    assert pair(join(*sides), "hit", GATE).not_measured == lacking
