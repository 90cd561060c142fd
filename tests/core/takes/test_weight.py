import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.takes.weight import stored_weight, weight_text
from tests.takes_factories import golden


def test_weights_are_stored_as_the_original_stores_them() -> None:
    for raw, expected in golden("normalize_weight"):
        given_weight = None if raw in ("null", "undefined") else float(raw)
        found = stored_weight(given_weight)
        assert (found.weight, found.clamped) == (expected["weight"], expected["clamped"]), raw


@pytest.mark.parametrize("raw", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_stored_as_a_half_and_said_to_be_changed(raw: float) -> None:
    assert (stored_weight(raw).weight, stored_weight(raw).clamped) == (0.5, True)


@given(st.floats(0, 1))
def test_a_weight_inside_moves_by_half_a_step_at_most_and_only_once(raw: float) -> None:
    found = stored_weight(raw)

    assert not found.clamped
    assert abs(found.weight - raw) <= 0.025 + 1e-9
    assert stored_weight(found.weight).weight == found.weight


@pytest.mark.parametrize(
    ("printed", "text"), [("0.85", "0.85"), ("1", "1"), ("0", "0"), ("1e-05", "0.00001"), ("0.050", "0.05")]
)
def test_a_printed_weight_becomes_the_contracts_text(printed: str, text: str) -> None:
    assert weight_text(printed) == text


@given(st.integers(0, 20))
def test_single_precision_changes_no_text_of_a_weight_on_the_grid(step: int) -> None:
    weight = step / 20
    (single,) = struct.unpack("f", struct.pack("f", weight))
    printed = f"{single:.6g}"  # the shortest text that reads back as this single, for two decimals

    assert weight_text(printed) == weight_text(weight)


def test_no_text_stands_for_nan() -> None:
    with pytest.raises(ValueError, match="nan"):
        weight_text("NaN")
