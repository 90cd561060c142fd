"""Clusters, their order, and sums that are added from left to right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.stats.clusters import evidence, layout
from tests.core.stats.reference import left_to_right

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


def test_clusters_come_in_the_order_of_their_code_units():
    keys = ["\ue000", "b", "\U00010000", "a", "b"]

    clusters = layout(keys, len(keys))

    assert clusters.of_pair.tolist() == [3, 1, 2, 0, 1]
    assert clusters.sizes.tolist() == [1, 2, 1, 1]
    assert not clusters.even


def test_without_keys_every_pair_is_a_cluster():
    clusters = layout(None, 3)

    assert clusters.of_pair.tolist() == [0, 1, 2]
    assert clusters.even


@given(VALUES)
def test_means_are_left_to_right_sums_divided(values):
    found = evidence(layout(None, len(values)), np.array(values), np.array(values[::-1]))

    assert found.baseline_mean == left_to_right(values) / len(values)
    assert found.candidate_mean == left_to_right(values[::-1]) / len(values)


def test_a_mean_of_negative_zeros_is_zero():
    found = evidence(layout(None, 2), np.array([-0.0, -0.0]), np.zeros(2))

    assert str(found.baseline_mean) == "0.0"


@given(VALUES)
def test_cluster_sums_add_the_differences_in_input_order(values):
    keys = [str(i % 3) for i in range(len(values))]

    found = evidence(layout(keys, len(keys)), np.zeros(len(values)), np.array(values))

    assert found.sums.tolist() == [left_to_right(values[i::3]) for i in range(min(3, len(values)))]


def test_the_difference_of_means_is_not_the_mean_of_differences():
    baseline, candidate = np.repeat([1.0, 0.0], [924, 76]), np.repeat([1.0, 0.0], [936, 64])

    found = evidence(layout(None, 1_000), baseline, candidate)

    assert found.delta == 0.936 - 0.924 != 0.012
    assert (found.n, found.clusters, found.wins, found.losses) == (1_000, 1_000, 12, 0)


def test_sums_beyond_a_double_are_refused():
    huge = np.full(4, 1.7e308)

    with pytest.raises(ValueError, match="leave the range of a double"):
        evidence(layout(None, 4), huge, huge)
