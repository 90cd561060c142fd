from hypothesis import given
from hypothesis import strategies as st

from gate.core.longmemeval.recall import recall_at

SESSIONS = st.lists(st.sampled_from("abcdef"), max_size=12)


def test_recall_looks_at_the_sessions_of_the_first_k_chunks() -> None:
    found = recall_at(3, ["a", "a", "b", "c"], ["a", "c"])
    assert (found.all_hit, found.any_hit, found.gold_found, found.gold_total) == (False, True, 1, 2)
    assert found.distinct_sessions == 2
    assert recall_at(4, ["a", "a", "b", "c"], ["a", "c"]).all_hit


def test_without_gold_there_is_no_recall_rather_than_a_zero() -> None:
    found = recall_at(5, ["a"], [])
    assert (found.all_hit, found.any_hit, found.gold_total) == (None, None, 0)


def test_nothing_found_is_a_miss() -> None:
    found = recall_at(5, [], ["a"])
    assert (found.all_hit, found.any_hit, found.distinct_sessions) == (False, False, 0)


@given(sessions=SESSIONS, gold=st.sets(st.sampled_from("abcdef"), min_size=1), k=st.integers(1, 12))
def test_the_strict_recall_is_never_above_the_lenient_one_and_neither_falls_with_k(
    sessions: list[str], gold: set[str], k: int
) -> None:
    less, more = recall_at(k, sessions, sorted(gold)), recall_at(k + 1, sessions, sorted(gold))
    assert bool(less.all_hit) <= bool(less.any_hit)
    assert bool(less.all_hit) <= bool(more.all_hit)
    assert bool(less.any_hit) <= bool(more.any_hit)
    assert less.all_hit == all(each in sessions[:k] for each in gold)
    assert less.any_hit == any(each in sessions[:k] for each in gold)
