import json
import re

from hypothesis import given
from hypothesis import strategies as st

from gate.github.legs import LONGEST, gate_of_leg, leg

GATE_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")


def test_a_job_without_a_matrix_has_no_legs() -> None:
    assert [leg(text) for text in ("", "null", "{}", "[1]", "not json")] == [""] * 5
    assert gate_of_leg("docs", "") == "docs"


def test_legs_are_named_after_their_values() -> None:
    assert leg('{"mode": "balanced", "k": 5}') == "balanced-5"
    assert leg('{"os": "Ubuntu 24.04", "x": {"b": 1, "a": [true]}}') == "ubuntu-24.04-a-true-b-1"
    assert gate_of_leg("docs", "balanced-5") == "docs-balanced-5"


def test_long_names_stay_apart() -> None:
    one, two = (gate_of_leg("docs", "x" * 80 + end) for end in "ab")

    assert one != two
    assert len(one) == LONGEST


@given(
    st.dictionaries(st.text(min_size=1), st.text() | st.integers() | st.none() | st.booleans(), max_size=5)
)
def test_whatever_the_matrix_the_gate_keeps_a_valid_id(matrix: dict[str, object]) -> None:
    assert GATE_ID.fullmatch(gate_of_leg("docs", leg(json.dumps(matrix))))
