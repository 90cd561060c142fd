from gate.core.compare import per_question
from gate.core.pooling import pooled
from gate.core.records.objections import Objection
from tests.tables import table


def test_one_attempt_is_left_as_it_is() -> None:
    only = table(3, hit=[1, 0, 1])

    assert pooled([only]) is only


def test_attempts_are_repeats_and_no_single_one_decides() -> None:
    failed, lucky = table(2, hit=[0, 0]), table(2, hit=[1, 1])

    both = pooled([failed, lucky])

    assert both.ids == ("q000", "q001", "q000", "q001")
    assert both.repeats == ("attempt 1", "attempt 1", "attempt 2", "attempt 2")
    assert per_question(both).metrics["hit"].values.tolist() == [0.5, 0.5]


def test_attempts_are_meant_to_measure_what_a_whole_one_is() -> None:
    cut_off = table(1, hit=[1], applies_to={"hit": 1})
    whole = table(3, hit=[1, 0, None], applies_to={"hit": 2, "mrr": 3})

    assert pooled([cut_off, whole]).applies_to == {"hit": 2, "mrr": 3}


def test_repeats_inside_an_attempt_stay_apart() -> None:
    twice = table(["a", "a"], hit=[0, 1], repeats=["1", "2"])

    assert pooled([twice, table(["a"], hit=[1])]).repeats == ("attempt 1, 1", "attempt 1, 2", "attempt 2")


def test_what_an_attempt_does_not_state_is_unknown_for_its_rows() -> None:
    full = table(
        1,
        hit=[1],
        mrr=[0.5],
        types=["t"],
        clusters=["c"],
        gold_ranks=[2],
        rankings=["r"],
        content_hashes=["h"],
        errored=[0],
        judge_errors=[0],
        abstentions=[0],
    )

    both = pooled([full, table(1, hit=[0])])

    assert both.types == ("t", None)
    assert both.clusters == ("c", "q000")
    assert both.gold_ranks is not None
    assert both.gold_ranks.tolist() == [2, -1]
    assert (both.rankings, both.content_hashes) == (("r", None), ("h", None))
    assert both.metrics["mrr"].present.tolist() == [True, False]
    assert both.errored.tolist() == both.judge_errors.tolist() == both.abstentions.tolist() == [True, False]


def test_attempts_that_state_nothing_state_nothing_together() -> None:
    both = pooled([table(1, hit=[1]), table(1, hit=[1])])

    assert (both.types, both.clusters, both.gold_ranks, both.rankings) == (None, None, None, None)


def test_attempts_that_disagree_about_themselves_are_mixed() -> None:
    one = table(1, hit=[1], fingerprints={"k": "5", "embedder": "a"}, units={"ms": "ms"})
    two = table(1, hit=[1], fingerprints={"k": "8"}, units={"ms": "s"})

    both = pooled([one, two])

    assert both.fingerprints == {"k": "mixed: 5, 8", "embedder": "a"}
    assert both.units == {"ms": "mixed: ms, s"}


def test_what_any_attempt_went_without_counts_and_a_later_one_makes_good_what_was_not_asked() -> None:
    one = table(1, hit=[1], shortfalls={"reranker_fell_open": 2, "cancelled": 5})
    two = table(1, hit=[1], shortfalls={"reranker_fell_open": 1})
    three = table(1, hit=[1], shortfalls={"deadline": 4})

    assert pooled([one, two]).shortfalls == {"reranker_fell_open": 3}
    assert pooled([two, three]).shortfalls == {"reranker_fell_open": 1, "deadline": 4}


def test_what_a_suite_held_against_any_attempt_is_held_against_all_of_them() -> None:
    low = Objection("top-1 stability", "threshold_missed", "0.5 is below 0.8")
    one, two = table(1, hit=[1], objections=(low,)), table(1, hit=[1])

    assert (
        pooled([one, two]).objections
        == pooled([two, one]).objections
        == pooled([one, one]).objections
        == (low,)
    )


def test_a_shard_that_an_earlier_attempt_lacked_is_made_good_by_a_later_one() -> None:
    gap = Objection("every question is there", "cancelled", "shard 2/3 is missing")
    lacking, whole = table(1, hit=[1], objections=(gap,)), table(1, hit=[1])
    assert pooled([lacking, whole]).objections == ()
    assert pooled([whole, lacking]).objections == (gap,)
