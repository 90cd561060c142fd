"""Holm's correction: golden values, the definition, and its refusals."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.stats.holm import holm
from tests.core.stats.factories import golden, shared

PROBABILITIES = st.lists(st.floats(0, 1), max_size=12)


@pytest.mark.parametrize("case", golden("holm.json"), ids=lambda case: str(case["p_values"]))
def test_golden_families_agree_to_the_last_bit(case):
    assert list(holm(case["p_values"])) == case["holm"]


def test_the_published_family_agrees_to_the_last_bit():
    published = json.loads(shared("published-w10-golden.json").read_text())["holm_only_published"]

    assert list(holm(published["p_superiority"])) == published["p_holm"]


def test_an_empty_family_stays_empty():
    assert holm([]) == ()


@given(PROBABILITIES)
def test_every_adjusted_p_is_the_largest_step_up_to_its_own(p_values):
    ordered = sorted(p_values)
    steps = [min(1.0, p * (len(ordered) - rank)) for rank, p in enumerate(ordered)]

    assert sorted(holm(p_values)) == [max(steps[: rank + 1]) for rank in range(len(steps))]


@given(PROBABILITIES)
def test_correction_keeps_the_order_and_never_helps(p_values):
    adjusted = holm(p_values)

    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    assert [a for _, a in sorted(zip(p_values, adjusted, strict=True))] == sorted(adjusted)


@given(st.permutations(range(6)))
def test_the_order_of_the_comparisons_does_not_matter(order):
    p_values = [0.01, 0.04, 0.04, 0.2, 0.001, 0.5]
    adjusted = holm(p_values)

    assert holm([p_values[i] for i in order]) == tuple(adjusted[i] for i in order)


@pytest.mark.parametrize("p", [math.nan, math.inf, -0.01, 1.0001])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(ValueError, match=r"a p-value must lie within 0\.\.1"):
        holm([0.5, p])
