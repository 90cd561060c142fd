"""What has moved is measured query by query; a query without an answer has moved all the way."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.replay.stability import (
    Breach,
    Stability,
    Summary,
    breaches,
    compared,
    jaccard,
    limit_of,
    summarise,
)
from gate.core.replay.thresholds import Thresholds
from tests.core.replay.captures import capture

STILL = compared(capture(), ("people/a", "people/b"), 20)

slugs = st.lists(st.sampled_from("abcdef"), unique=True)


def summary(*replayed: Stability, errored: int = 0, skipped: int = 0, mean: float | None = 20) -> Summary:
    return summarise(replayed, errored=errored, skipped=skipped, baseline_mean_ms=mean)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("ab", "ab", 1), ("ab", "bc", 1 / 3), ("", "", 1), ("a", "", 0), ("", "a", 0), ("ab", "ba", 1)],
)
def test_jaccard_is_what_is_shared_of_everything(left: str, right: str, expected: float) -> None:
    assert jaccard(left, right) == expected


@given(slugs, slugs)
def test_jaccard_knows_no_side_and_stays_a_share(left: Sequence[str], right: Sequence[str]) -> None:
    assert jaccard(left, right) == jaccard(right, left)
    assert 0 <= jaccard(left, right) <= 1
    assert (jaccard(left, right) == 1) == (set(left) == set(right))


def test_a_longer_list_lowers_the_contract_s_figure_and_not_the_one_cut_at_k() -> None:
    moved = compared(capture(), ("people/a", "people/b", "people/c", "people/d"), 20)
    assert (moved.jaccard, moved.jaccard_at_k, moved.k) == (0.5, 1.0, 2)


def test_k_is_the_compare_limit_where_there_is_one() -> None:
    moved = compared(capture(), ("people/a", "people/c"), 20, compare_limit=1)
    assert (moved.jaccard_at_k, moved.k) == (1.0, 1)


def test_where_nothing_was_captured_something_found_is_a_move() -> None:
    none = capture(retrieved_slugs=[])
    assert compared(none, ("people/a",), 5).jaccard_at_k == 0
    assert compared(none, (), 5).jaccard_at_k == 1
    assert not compared(none, (), 5).top1_match


@pytest.mark.parametrize(
    ("pages", "match"), [(("people/a",), True), (("people/b", "people/a"), False), ((), False)]
)
def test_only_the_same_first_page_is_a_match(pages: tuple[str, ...], match: object) -> None:
    assert compared(capture(), pages, 20).top1_match is match


@pytest.mark.parametrize(("now", "over"), [(40, False), (40.5, True)])
def test_twice_as_slow_is_not_over_twice_as_slow(now: float, over: object) -> None:
    assert compared(capture(), (), now).over_2x_latency is over


def test_a_capture_without_latency_has_no_delta() -> None:
    row = compared(capture(latency_ms=None), (), 9)
    assert (row.latency_delta_ms, row.over_2x_latency) == (None, False)


def test_as_many_are_asked_for_as_were_captured_at_least_twenty() -> None:
    assert limit_of(capture(), None) == 20
    assert limit_of(capture(retrieved_slugs=[str(n) for n in range(25)]), None) == 25
    assert limit_of(capture(), 3) == 3


def test_a_sum_counts_every_row_once() -> None:
    slow = replace(STILL, latency_ms=80, latency_delta_ms=60, over_2x_latency=True)
    seen = summary(STILL, slow, errored=2, skipped=1)
    assert (seen.rows_total, seen.rows_replayed, seen.rows_errored, seen.rows_skipped) == (5, 2, 2, 1)
    assert (seen.mean_jaccard, seen.mean_latency_delta_ms, seen.rows_over_2x_latency) == (1, 30, 1)
    assert (seen.counted_mean_jaccard_at_k, seen.counted_top1_stability_rate) == (0.5, 0.5)
    assert seen.latency_ratio == 2.5


def test_nothing_replayed_has_no_mean() -> None:
    seen = summary(skipped=3)
    assert (seen.mean_jaccard, seen.top1_stability_rate, seen.latency_ratio) == (None, None, None)
    assert [each.metric for each in breaches(seen, Thresholds())] == ["mean_jaccard@k", "top1_stability_rate"]


@pytest.mark.parametrize("mean", [None, 0.0])
def test_without_a_baseline_s_latency_there_is_no_ratio(mean: float | None) -> None:
    assert summary(STILL, mean=mean).latency_ratio is None


def test_a_value_equal_to_its_threshold_holds() -> None:
    seen = replace(
        summary(STILL), counted_mean_jaccard_at_k=0.85, counted_top1_stability_rate=0.8, latency_ratio=2.0
    )
    assert breaches(seen, Thresholds()) == ()


def test_everything_missed_is_named_with_its_figures() -> None:
    seen = replace(
        summary(STILL), counted_mean_jaccard_at_k=0.84, counted_top1_stability_rate=0.5, latency_ratio=2.1
    )
    assert breaches(seen, Thresholds()) == (
        Breach(metric="mean_jaccard@k", observed=0.84, threshold=0.85),
        Breach(metric="top1_stability_rate", observed=0.5, threshold=0.8),
        Breach(metric="latency_ratio", observed=2.1, threshold=2.0),
    )


@given(st.integers(1, 9), st.integers(0, 9))
def test_one_more_errored_row_never_improves_anything(replayed: int, errored: int) -> None:
    fewer = summary(*[STILL] * replayed, errored=errored)
    more = summary(*[STILL] * replayed, errored=errored + 1)
    assert len(breaches(more, Thresholds())) >= len(breaches(fewer, Thresholds()))
    assert (more.counted_mean_jaccard_at_k or 0) < (fewer.counted_mean_jaccard_at_k or 0)
