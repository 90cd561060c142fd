"""Whole columns share a carrier and come out again, whatever was summed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gate.core.stats.packing import pack, unpack

WHOLE = st.integers(-(2**30), 2**30)
LIMITED = st.sampled_from([1, 5, 1_000, 2**30, 2**51]).flatmap(lambda most: st.integers(-most, most))


@st.composite
def columns_and_signs(draw):
    length = draw(st.integers(1, 8))
    whole = st.lists(LIMITED, min_size=length, max_size=length)
    columns = draw(st.lists(whole, min_size=1, max_size=9))
    signs = draw(st.lists(st.lists(st.sampled_from([-1, 1]), min_size=length, max_size=length), max_size=5))
    return columns, signs


@given(columns_and_signs())
def test_totals_of_packed_columns_are_those_of_the_columns(case):
    columns, signs = case
    arrays = [np.array(column, dtype=np.float64) for column in columns]
    carriers = pack(arrays, [float(np.abs(column).sum()) for column in arrays])
    flips = np.array(signs, dtype=np.float64).reshape(len(signs), len(columns[0]))
    totals = np.array([[float((carrier.values * flip).sum()) for flip in flips] for carrier in carriers])

    expected = [
        [sum(s * v for s, v in zip(flip, column, strict=True)) for flip in signs] for column in columns
    ]

    assert unpack(carriers, totals.reshape(len(carriers), len(signs))).tolist() == expected


def test_binary_columns_share_one_carrier():
    ones = np.ones(470)

    carriers = pack([ones] * 5, [470.0] * 5)

    assert [[digit.column for digit in carrier.digits] for carrier in carriers] == [[0, 1, 2, 3, 4]]


def test_a_fractional_column_travels_alone_and_unchanged():
    whole, fractional = np.array([1.0, -2.0]), np.array([0.1, 0.2])

    carriers = pack([whole, fractional, whole, whole], [3.0, 0.3, 3.0, 3.0])

    assert [[digit.column for digit in carrier.digits] for carrier in carriers] == [[0], [1], [2, 3]]
    assert carriers[1].values is fractional


def test_a_huge_column_travels_alone():
    huge = np.array([2.0**60, -(2.0**60)])

    carriers = pack([huge, np.ones(2)], [2.0**61, 2.0])

    assert len(carriers) == 2
