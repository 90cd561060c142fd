import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.render.numbers import DASH, SHARE, count, p_value, scale, scale_of, spelled_out
from tests.factories import comparison
from tests.render.github_rules import references, render

SHARES = scale(SHARE)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.932, "93.2 %"),
        (0.9325, "93.3 %"),
        (0.0, "0.0 %"),
        (1.0, "100.0 %"),
        (0.9996, "99.96 %"),
        (0.99999, "99.999 %"),
        (0.9999999, ">99.999 %"),
        (0.0004, "0.04 %"),
        (0.0000001, "<0.001 %"),
        (-0.5, "−50.0 %"),
        (1.5, "150.0 %"),
        (None, DASH),
        (float("nan"), DASH),
        (float("inf"), DASH),
    ],
)
def test_a_share_is_a_percentage_and_only_all_is_a_hundred(share: float | None, text: str) -> None:
    assert SHARES.value(share) == text


@pytest.mark.parametrize(
    ("delta", "text"),
    [
        (0.004, "+0.4"),
        (-0.11, "−11.0"),
        (0.0, "0.0"),
        (-0.0, "0.0"),
        (-0.0004, "−0.04"),
        (0.00001, "+0.001"),
        (0.0000001, "+<0.001"),
        (-1e-13, "0.0"),
        (None, DASH),
    ],
)
def test_a_difference_keeps_its_sign_however_small(delta: float | None, text: str) -> None:
    assert SHARES.delta(delta) == text


@pytest.mark.parametrize(
    ("value", "limit", "texts"),
    [
        (0.6496, 0.65, ("64.96 %", "65 %")),
        (0.65, 0.65, ("65 %", "65 %")),
        (0.65 - 1e-13, 0.65, ("65 %", "65 %")),
        (0.671, 0.65, ("67.1 %", "65 %")),
        (0.64999999999, 0.65, ("just below 65 %", "65 %")),
        (0.65000000001, 0.65, ("just above 65 %", "65 %")),
        (0.031, 0.02, ("3.1 %", "2 %")),
        (0.6502, 0.6504, ("65.0 %", "65.04 %")),
    ],
)
def test_a_value_never_looks_equal_to_the_limit_it_misses(
    value: float, limit: float, texts: tuple[str, str]
) -> None:
    assert SHARES.apart(value, limit) == texts


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_side_of_a_limit_survives_rounding(value: float, limit: float) -> None:
    shown, bound = (text.removesuffix(" %") for text in SHARES.apart(value, limit))
    if shown.startswith("just"):
        assert shown == f"just {'below' if value < limit else 'above'} {bound}"
    elif abs(value - limit) < 1e-12:
        assert shown == bound
    elif abs(value - limit) > 1e-8:  # six decimals of a percentage tell these apart
        assert (Decimal(shown) < Decimal(bound)) == (value < limit)


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        (-0.182, -0.051, "[−18.2, −5.1]"),
        (-0.0004, 0.012, "[−0.04, +1.2]"),
        (None, None, DASH),
        (None, 0.012, "[–, +1.2]"),
        (-0.182, None, "[−18.2, –]"),
    ],
)
def test_an_open_interval_is_a_dash(lower: float | None, upper: float | None, text: str) -> None:
    assert SHARES.interval(lower, upper) == text


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("ms", 812.44, "812.4 ms"),
        ("ms", 8124.4, "8,124 ms"),
        ("ms", 12_345_678.0, "12,345,678 ms"),
        (None, 0.65123, "0.6512"),
        (None, 1.5, "1.500"),
        (None, 0.0, "0.0"),
        (None, -2.25, "−2.250"),
        (None, 1e300, "1.000×10³⁰⁰"),
        ("usd", 0.000121, "1.210×10⁻⁴ usd"),
        ("", 3.0, "3.000"),
        ("@octocat", 3.0, "3.000 units"),
    ],
)
def test_other_units_keep_four_digits_and_their_name(unit: str | None, value: float, text: str) -> None:
    assert scale(unit, value).value(value) == text


def test_both_means_and_their_difference_share_one_scale() -> None:
    found = scale_of(comparison(unit="ms", baseline_mean=812.44, candidate_mean=0.02))
    assert (found.value(812.44), found.value(0.02), found.delta(-812.42)) == ("812.4 ms", "0.02 ms", "−812.4")
    assert found.size(12.34) == "12.3 ms"
    assert found.size(0.0) == "0 ms"
    assert found.size(None) == DASH
    assert SHARES.size(-0.029) == "2.9 points"


def test_a_tiny_value_beside_its_limit_carries_the_same_exponent() -> None:
    assert scale("usd", 0.000121, 0.00012).apart(0.000121, 0.00012) == ("1.210×10⁻⁴ usd", "1.2×10⁻⁴ usd")


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1 / 10_001, "<0.0001"),
        (0.0001, "0.0001"),
        (0.00005, "<0.0001"),
        (0.0, "<0.0001"),
        (0.00131, "0.0013"),
        (0.008, "0.008"),
        (0.0504, "0.0504"),
        (0.05, "0.05"),
        (0.0499999, "just below 0.05"),
        (0.0500001, "just above 0.05"),
        (0.6875, "0.69"),
        (0.996, ">0.99"),
        (1.0, "1"),
        (None, DASH),
        (float("nan"), DASH),
    ],
)
def test_a_p_value_is_never_zero_and_never_crosses_the_threshold(p: float | None, text: str) -> None:
    assert p_value(p) == text


def test_counts_are_readable() -> None:
    assert count(1234567) == "1,234,567"


def test_a_unit_is_written_out_only_when_it_is_a_plain_word() -> None:
    assert [spelled_out(unit) for unit in (None, "", "ms", "tokens/s", "µs", "#1", "a|b", "x" * 40)] == [
        True,
        True,
        True,
        True,
        True,
        False,
        False,
        False,
    ]


@given(FINITE, FINITE, st.sampled_from([SHARE, "ms", None, "@evil"]))
def test_no_number_looks_like_markup_or_a_commit(value: float, other: float, unit: str | None) -> None:
    found = scale(unit, value, other)
    shown = [found.value(value), found.delta(other), found.interval(value, other), *found.apart(value, other)]
    page = render("\n\n".join(f"x {text} x" for text in shown))
    assert references(page) == []
    assert set(re.findall(r"<(\w+)", page)) == {"p"}


@given(FINITE.filter(lambda value: abs(value) >= 1e-12))
def test_what_is_not_zero_never_prints_as_zero(value: float) -> None:
    for unit in (SHARE, None):
        text = scale(unit, value).delta(value)
        assert text[0] == ("+" if value > 0 else "−")
        assert text.startswith(("+<", "−<")) or re.search("[1-9]", text)
