from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.takes.sampling import Candidate, RepeatedTakeError, Sampling, Strata, batches, draw

Item = Candidate[str]

identities = st.tuples(st.sampled_from(["default", "second"]), st.text("ab/é", max_size=3), st.integers(1, 9))
seeds = st.integers(-(2**70), 2**70)
limits = st.integers(1, 40)
strata = st.sampled_from(["none", "kind"])


@st.composite
def corpora(drawing: st.DrawFn) -> list[Item]:
    places = drawing(st.lists(identities, unique=True, max_size=30))
    return [
        Candidate(
            origin, page, row, drawing(st.sampled_from(["fact", "take", "bet"])), f"{origin}:{page}:{row}"
        )
        for origin, page, row in places
    ]


def corpus(**kinds: int) -> list[Item]:
    """So many takes of each kind."""
    return [
        Candidate("default", f"{kind}/{n}", 1, kind, kind)
        for kind, count in kinds.items()
        for n in range(count)
    ]


def drawn(items: Sequence[Item], limit: int = 10, seed: int = 42, by: Strata = "none") -> tuple[str, ...]:
    return draw(items, Sampling(limit=limit, seed=seed, strata=by)).drawn


@given(corpora(), limits, seeds)
def test_the_sample_is_the_first_takes_by_the_digest_of_seed_and_identity(
    items: list[Item], limit: int, seed: int
) -> None:
    def key(one: Item) -> str:
        return sha256(f"{seed}\n{one.origin}\0{one.page}\0{one.row}".encode()).hexdigest()

    assert drawn(items, limit, seed) == tuple(one.value for one in sorted(items, key=key)[:limit])


@given(
    corpora().flatmap(lambda items: st.tuples(st.just(items), st.permutations(items))), limits, seeds, strata
)
def test_the_order_of_the_takes_does_not_matter(
    orders: tuple[list[Item], list[Item]], limit: int, seed: int, by: Strata
) -> None:
    one, other = orders

    assert drawn(one, limit, seed, by) == drawn(other, limit, seed, by)


@given(corpora(), limits, limits, seeds, strata)
def test_a_larger_sample_begins_with_the_smaller_one(
    items: list[Item], limit: int, more: int, seed: int, by: Strata
) -> None:
    assert drawn(items, limit + more, seed, by)[:limit] == drawn(items, limit, seed, by)


@given(corpora(), limits, seeds, strata)
def test_a_sample_holds_as_many_takes_as_there_are_and_none_twice(
    items: list[Item], limit: int, seed: int, by: Strata
) -> None:
    found = draw(items, Sampling(limit=limit, seed=seed, strata=by))

    assert len(set(found.drawn)) == len(found.drawn) == min(limit, len(items))
    assert found.eligible == len(items)


@given(corpora(), limits, seeds)
def test_a_take_added_elsewhere_moves_no_other_take_but_at_the_edge(
    items: list[Item], limit: int, seed: int
) -> None:
    before = drawn(items, limit, seed)

    after = drawn([*items, Candidate("third", "new", 1, "fact", "new")], limit, seed)

    assert [one for one in after if one != "new"] == list(before[: len(after) - after.count("new")])


def test_another_seed_is_another_sample() -> None:
    items = [Candidate("default", f"page-{n}", 1, "take", str(n)) for n in range(1000)]

    assert len(set(drawn(items, seed=1)) & set(drawn(items, seed=2))) < 3


def test_every_take_is_as_likely_as_every_other() -> None:
    items = [Candidate("default", f"page-{n}", 1, "take", str(n)) for n in range(20)]
    counts = Counter(one for seed in range(2000) for one in drawn(items, 5, seed))

    assert len(counts) == 20
    assert all(400 < count < 600 for count in counts.values())  # 500 expected, standard deviation 19


@given(corpora(), limits, seeds)
def test_stratified_every_stretch_has_the_kinds_in_the_corpuss_proportions(
    items: list[Item], limit: int, seed: int
) -> None:
    by_value = {one.value: one.kind for one in items}
    share = Counter(by_value.values())

    order = drawn(items, max(len(items), 1), seed, "kind")

    for start in range(len(order)):
        stretch = Counter(by_value[one] for one in order[start : start + limit])
        for kind, whole in share.items():
            expected = whole * sum(stretch.values()) / len(order)
            assert abs(stretch[kind] - expected) <= len(share)


def test_stratified_a_sample_of_a_quarter_has_a_quarter_of_each_kind() -> None:
    items = corpus(fact=40, take=20, bet=12, hunch=8)

    assert Counter(drawn(items, 20, by="kind")) == Counter(fact=10, take=5, bet=3, hunch=2)


@given(st.lists(st.integers(), unique=True, max_size=50), st.integers(1, 12))
def test_batches_are_disjoint_whole_and_even(takes: list[int], count: int) -> None:
    found = batches(takes, count)

    assert [one for batch in found for one in batch] == takes
    assert len(found) == min(count, len(takes))
    assert all(abs(len(one) - len(other)) <= 1 for one, other in pairwise(found))
    assert all(found)


def test_one_batch_is_the_sample() -> None:
    assert batches(("a", "b"), 1) == (("a", "b"),)


def test_no_takes_and_no_batches_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one take"):
        Sampling(limit=0, seed=1)
    with pytest.raises(ValueError, match="at least one batch"):
        batches((), 0)


def test_a_take_that_is_there_twice_is_refused_even_at_the_edge_of_the_sample() -> None:
    items = corpus(take=3)

    for limit in (1, 2, 3):
        with pytest.raises(RepeatedTakeError, match="two takes on row 1 of page take/"):
            drawn([*items, *items], limit)
