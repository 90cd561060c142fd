"""Totals over picks and flips: published results that rest on them, and the slow way."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.core.stats.generator import BLOCK_SIZE
from gate.core.stats.resampling import bootstrap_totals, every_flip, flipped_totals
from tests.core.stats.factories import joined, shared
from tests.core.stats.reference import generator, left_to_right

COLUMN = st.lists(st.floats(-10, 10) | st.integers(-3, 3).map(float), min_size=1, max_size=12)


def slowly_picked(column, uniform):
    return left_to_right(column[int(uniform() * len(column))] for _ in column)


def slowly_flipped(column, uniform):
    return left_to_right(-value if uniform() < 0.5 else value for value in column)


@settings(deadline=None)
@given(COLUMN, st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_totals_are_those_of_one_generator_that_picks_and_then_flips(column, draws, seed):
    uniform = generator(seed)
    values = np.array(column)

    picked = [slowly_picked(column, uniform) for _ in range(draws)]
    flipped = [slowly_flipped(column, uniform) for _ in range(draws)]

    assert bootstrap_totals([values], draws=draws, seed=seed).tolist() == [picked]
    assert flipped_totals([values], draws=draws, seed=seed).tolist() == [flipped]


@pytest.mark.parametrize(
    ("totals_of", "slowly"), [(bootstrap_totals, slowly_picked), (flipped_totals, slowly_flipped)]
)
@pytest.mark.parametrize("draws", [1, BLOCK_SIZE // 60 + 1])
def test_a_draw_that_is_alone_in_its_block_is_added_from_left_to_right(totals_of, slowly, draws):
    column = np.random.default_rng(8).random(60)
    uniform = generator(5)
    if totals_of is flipped_totals:
        for _ in range(60 * draws):
            uniform()

    expected = [slowly(column.tolist(), uniform) for _ in range(draws)]

    assert totals_of([column], draws=draws, seed=5).tolist() == [expected]


@settings(deadline=None)
@given(COLUMN)
def test_every_pattern_negates_the_clusters_of_its_bits(column):
    patterns = range(2 ** len(column))
    expected = [
        left_to_right(-value if i >> j & 1 else value for j, value in enumerate(column)) for i in patterns
    ]

    assert every_flip(np.array(column)).tolist() == expected


def published_comparisons():
    families = json.loads(shared("published-w10-golden.json").read_text())["families"]
    return [(family, comparison) for family in families for comparison in family["comparisons"]]


def test_published_one_sided_p_values_follow_from_the_resampled_means():
    checked = 0

    for family, comparison in published_comparisons():
        pairs = sorted(joined(family["a"], family["b"], comparison["metric"]))
        differences = np.array([candidate - baseline for _, baseline, candidate in pairs])
        totals = bootstrap_totals([differences], draws=family["draws"], seed=family["seed"])[0]
        means = np.sort(totals / len(pairs))
        margins = {
            "p_noninferiority": -comparison.get("tolerance", 0),
            "p_superiority": comparison.get("min_effect", 0),
        }
        assert [means[250], means[9749]] == comparison["ci95"]
        for name, margin in margins.items():
            if name in comparison:
                at_most = np.count_nonzero(means <= margin + 1e-12)
                assert (at_most + 1) / (family["draws"] + 1) == comparison[name]
                checked += 1

    assert checked == 5


@pytest.mark.parametrize("totals_of", [bootstrap_totals, flipped_totals])
def test_columns_added_together_get_the_totals_they_get_alone(totals_of):
    random = np.random.default_rng(3)
    columns = [random.integers(-1, 2, 600).astype(float) for _ in range(7)] + [random.random(600)]

    together = totals_of(columns, draws=100, seed=9)

    alone = [totals_of([column], draws=100, seed=9)[0].tolist() for column in columns]
    assert together.tolist() == alone
