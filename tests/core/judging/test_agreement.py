from itertools import permutations
from math import isclose
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.judging.agreement import alpha, pooled, score_range, within_sd

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section on missing data: four observers,
# twelve units, blanks as None; the paper gives 0.849 for interval data.
PUBLISHED = (
    (1, 1, None, 1),
    (2, 2, 3, 2),
    (3, 3, 3, 3),
    (3, 3, 3, 3),
    (2, 2, 2, 2),
    (1, 2, 3, 4),
    (4, 4, 4, 4),
    (1, 1, 2, 1),
    (2, 2, 2, 2),
    (None, 5, 5, 5),
    (None, None, 1, 1),
    (None, 3, None, None),
)

SCORES = st.integers(1, 10).map(float)
UNITS = st.lists(st.lists(SCORES, max_size=4), max_size=5)


def test_alpha_is_the_one_krippendorff_published() -> None:
    units = [[float(score) for score in unit if score is not None] for unit in PUBLISHED]

    found = alpha(units)

    assert found.value == pytest.approx(0.849, abs=0.0005)
    assert found.units == 11


@given(UNITS)
def test_alpha_agrees_with_its_definition_pair_by_pair(units: list[list[float]]) -> None:
    pairable = [unit for unit in units if len(unit) > 1]
    every = [score for unit in pairable for score in unit]
    n = len(every)
    found = alpha(units)
    if len(pairable) < 2:
        assert found.value is None
        return
    observed = sum(sum((a - b) ** 2 for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in pairable)
    expected = sum((a - b) ** 2 for a, b in permutations(every, 2)) / (n - 1)

    assert found.value is not None
    assert isclose(found.value, 1.0 if expected == 0 else 1 - observed / expected, abs_tol=1e-9)


def test_one_unit_cannot_tell() -> None:
    assert alpha([[7, 8, 9]]).value is None
    assert alpha([[7, 8, 9], [8]]).value is None
    assert alpha([]).value is None


def test_no_variation_at_all_counts_as_agreement() -> None:
    assert alpha([[7.3, 7.3, 7.3], [7.3, 7.3, 7.3]]).value == 1.0


def test_judges_who_differ_where_the_batches_do_not_agree_worse_than_chance() -> None:
    value = alpha([[6, 9], [6, 9]]).value

    assert value is not None
    assert value < 0


def test_dimensions_are_pooled_by_their_disagreements() -> None:
    agreeing, differing = [[7.0, 7.0], [7.0, 7.0]], [[5.0, 6.0], [9.0, 9.0]]

    together = pooled([alpha(agreeing), alpha(differing)])

    assert together == pytest.approx(alpha(differing).value)
    assert pooled([alpha(agreeing)]) == 1.0
    assert pooled([alpha([[1.0, 2.0]])]) is None


def test_the_range_is_the_greatest_distance_within_one_unit() -> None:
    assert score_range([[7, 9, 8], [3, 3], []]) == 2
    assert score_range([]) is None
    assert score_range([[9], []]) is None


def test_the_spread_of_one_unit_is_its_sample_standard_deviation() -> None:
    assert within_sd([[9.0, 7.0, 7.0]]) == pytest.approx(stdev([9, 7, 7]))
    assert within_sd([[9.0]]) is None


def test_spreads_of_several_units_are_pooled_by_their_degrees_of_freedom() -> None:
    units = [[9.0, 7.0, 7.0], [5.0, 6.0]]

    assert within_sd(units) ** 2 == pytest.approx((stdev(units[0]) ** 2 * 2 + stdev(units[1]) ** 2) / 3)
