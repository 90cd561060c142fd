"""Strict JSON: what is refused, and where the refusal says it stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.strict_json import MAX_DEPTH, StrictJsonError, nested_deeper_than, strict_loads

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def refusal(data: bytes) -> StrictJsonError:
    with pytest.raises(StrictJsonError) as caught:
        strict_loads(data)
    return caught.value


@given(JSON_VALUES, st.sampled_from([{}, {"indent": 1}, {"ensure_ascii": False}]))
def test_what_any_json_writer_writes_is_read_back(value: object, style: dict[str, int]) -> None:
    data = json.dumps(value, **style).encode()

    assert strict_loads(data) == value


@given(st.binary(max_size=60))
def test_bytes_are_either_json_for_everybody_or_refused_with_a_place(data: bytes) -> None:
    try:
        value = strict_loads(data)
    except StrictJsonError as exc:
        refused = exc
    else:
        assert value == json.loads(data.removeprefix(b"\xef\xbb\xbf"))
        return

    assert refused.line >= 1
    assert refused.column >= 1


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    assert strict_loads(b'\xef\xbb\xbf{\r\n "a": 1\r\n}\r\n') == {"a": 1}


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ('{"a": NaN}', 1, 7, "NaN is not a JSON number"),
        ("[1,\n -Infinity]", 2, 2, "-Infinity is not a JSON number"),
        ("[Infinity]", 1, 2, "Infinity is not a JSON number"),
        ("[1, 1e999]", 1, 5, "1e999 is beyond the range of numbers"),
        ("[-1e999]", 1, 2, "-1e999 is beyond the range of numbers"),
        ('{"a": 1,\n "b": {"a": 2},\n "a": 3}', 3, 2, "duplicate key `a`, first in line 1"),
        ('{"\\u0061": 1, "a": 2}', 1, 15, "duplicate key `a`, first in line 1"),
        ('{"a\\nb": 1, "a\\nb": 2}', 1, 13, "duplicate key `a\\nb`, first in line 1"),
        ('["\\ud83d"]', 1, 2, "an unpaired surrogate"),
        ('["\\ude00\\ud83d"]', 1, 2, "an unpaired surrogate"),
        ('{"a": [1, 2}', 1, 12, "not JSON: expecting ',' delimiter"),
        ('{"a": tru}', 1, 7, "not JSON: expecting value"),
        ('{"a": "b', 1, 7, "not JSON: unterminated string"),
        ('{"a": "\x01"}', 1, 8, "not JSON: invalid control character"),
        ("{} {}", 1, 4, "the JSON value ends here"),
        ("", 1, 1, "there is nothing here"),
        (" \n", 1, 1, "there is nothing here"),
    ],
)
def test_a_refusal_says_where_and_why(text: str, line: int, column: int, said: str) -> None:
    refused = refusal(text.encode())

    assert said in refused.reason
    if text.strip():
        assert (refused.line, refused.column) == (line, column)
        assert str(refused).startswith(f"line {line}, column {column}: ")


def test_the_first_refusal_of_the_text_is_named_not_the_first_the_reader_meets() -> None:
    assert refusal(b'{"b": {"x": NaN},\n"c": 1,\n"c": 2}').line == 1


def test_an_integer_of_five_thousand_digits_is_refused_and_shown_short() -> None:
    refused = refusal(b'{"n": ' + b"7" * 5000 + b"}")

    assert refused.reason == "77777777777777777777… (5,000 characters) is beyond the range of numbers"


def test_the_largest_double_written_out_is_a_number() -> None:
    largest = int(1.7976931348623157e308)

    assert strict_loads(str(largest).encode()) == largest
    assert len(str(largest)) == 309
    assert refusal(str(largest * 10).encode()).column == 1


def test_a_small_number_may_underflow_to_zero() -> None:
    assert strict_loads(b"1e-999") == 0.0


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert strict_loads(b'["\\ud83d\\ude00"]') == ["\N{GRINNING FACE}"]


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 100_000])
def test_deep_nesting_is_refused_at_the_level_that_is_too_deep(opening: bytes, depth: int) -> None:
    closing = b"]" if opening == b"[" else b"}"

    refused = refusal(opening * depth + b"1" + closing * depth)

    assert refused.reason == f"nested more than {MAX_DEPTH} levels deep"
    assert refused.column == len(opening) * MAX_DEPTH + 1


def test_nesting_up_to_the_limit_is_read() -> None:
    value = strict_loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)

    assert not nested_deeper_than(value, MAX_DEPTH)
    assert nested_deeper_than(value, MAX_DEPTH - 1)


@pytest.mark.parametrize(
    ("value", "depth"), [(1, 0), ("[[", 0), ([], 1), ({}, 1), ({"a": []}, 2), ([1, {"a": [2]}], 3)]
)
def test_depth_counts_lists_and_objects_only(value: object, depth: int) -> None:
    assert not nested_deeper_than(value, depth)
    assert depth == 0 or nested_deeper_than(value, depth - 1)


def test_invalid_utf8_is_refused_at_its_own_place() -> None:
    refused = refusal(b'{"a":\n "\xc3\xa9\xff"}')

    assert (refused.line, refused.column) == (2, 4)
    assert refused.reason == "byte 0xff is not valid UTF-8"


def test_utf16_is_recognised() -> None:
    assert refusal('{"a": 1}'.encode("utf-16")).reason.endswith("is not valid UTF-8 (UTF-16?)")


def test_closing_brackets_in_text_do_not_confuse_the_place() -> None:
    assert refusal(b'{"]}": "}]\\"{[", "n":\nNaN}').line == 2


def test_a_long_duplicate_key_is_shown_short() -> None:
    key = "k" * 200

    assert "`kkkkkkkkkkkkkkkkkkkk… (200 characters)`" in refusal(f'{{"{key}":1,"{key}":2}}'.encode()).reason


def test_numbers_stay_exact() -> None:
    assert strict_loads(b"[9007199254740993, 0.1, -0.0]") == [2**53 + 1, 0.1, 0.0]
    assert str(strict_loads(b"-0.0")) == "-0.0"
