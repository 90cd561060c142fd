"""ECMAScript's text, against the specification's examples and against node itself."""

import itertools
import json
import math
import shutil
import struct
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.ecmascript import (
    canonical_json,
    json_text,
    math_round,
    number_text,
    to_fixed,
    utf16_key,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | FINITE | ANY_TEXT
INDEX_LIKE = st.sampled_from(
    ["0", "7", "10", "9", "007", "4294967294", "4294967295", "99999999999999", "1e3", "-1", "1.5", "²", "٣"]
)
JSON_VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT | INDEX_LIKE, inner, max_size=6),
    max_leaves=20,
)


def node(script: str, lines: list[str]) -> list[str]:
    """What a node program answers, one line for each line it is given."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not on this machine: ECMAScript itself cannot be asked")
    reading = "const lines = require('fs').readFileSync(0, 'utf8').split('\\n').slice(0, -1);"
    answering = f"process.stdout.write(lines.map((line) => {{ {script} }}).join('\\n'));"
    asked = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(
        [program, "-e", reading + answering], input=asked, capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.split("\n")


def doubles() -> list[float]:
    """Thousands of finite doubles: random bit patterns, everyday sizes, and the edges of every layout."""
    generator = np.random.default_rng(1)
    patterns = generator.integers(0, 2**64, 6_000, dtype=np.uint64).view(np.float64)
    everyday = generator.normal(size=3_000) * 10.0 ** generator.integers(-9, 23, 3_000)
    quotients = generator.integers(0, 5_000, 2_000) / generator.integers(1, 500, 2_000)
    powers = [10.0**exponent for exponent in range(-330, 309)]
    near = [math.nextafter(x, towards) for x in powers for towards in (0.0, math.inf)]
    ties = [sign * count / 2**power for sign in (1, -1) for count in range(64) for power in range(7)]
    found = [*patterns.tolist(), *everyday.tolist(), *quotients.tolist(), *powers, *near, *ties, -0.0, 5e-324]
    return [x for x in found if math.isfinite(x)]


def bits(x: float) -> str:
    """One double as the decimal text of its 64 bits, so that no parser of numbers stands in between."""
    return str(struct.unpack("<Q", struct.pack("<d", x))[0])


READ_DOUBLE = "const x = new Float64Array(new BigUint64Array([BigInt(line)]).buffer)[0];"


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (12, "12"),
        (0.00009999, "0.00009999"),
        (-0.0000015, "-0.0000015"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (2**53 + 1, "9007199254740992"),
        (-(10**30), "-1e+30"),
    ],
)
def test_a_number_is_laid_out_as_the_standard_says(x, text):
    assert number_text(x) == text


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, 10**400, -(10**400)])
def test_a_number_no_double_can_hold_has_no_text(x):
    with pytest.raises(ValueError, match="no number text"):
        number_text(x)


def test_numbers_of_numpy_are_written_like_pythons_own():
    assert number_text(np.float64(0.25)) == "0.25"


@given(FINITE)
def test_every_number_text_reads_back_as_the_same_number(x):
    assert float(number_text(x)) == x


def test_numbers_print_as_in_node():
    numbers = doubles()
    printed = node(READ_DOUBLE + "return String(x);", [bits(x) for x in numbers])

    assert [number_text(x) for x in numbers] == printed


@pytest.mark.parametrize(
    ("x", "digits", "text"),
    [
        (0.03125, 4, "0.0313"),
        (-0.03125, 4, "-0.0313"),
        (2.5, 0, "3"),
        (-2.5, 0, "-3"),
        (1.005, 2, "1.00"),
        (-0.0, 2, "0.00"),
        (-0.001, 2, "-0.00"),
        (1e21, 2, "1e+21"),
        (3, 1, "3.0"),
    ],
)
def test_fixed_decimals_round_exact_ties_away_from_zero(x, digits, text):
    assert to_fixed(x, digits) == text


def test_fixed_decimals_print_as_in_node():
    cases = [(x, digits) for x in doubles()[::3] for digits in (0, 1, 2, 4, 20, 100)]
    asked = [f"{bits(x)} {digits}" for x, digits in cases]
    script = "let digits; [line, digits] = line.split(' ');" + READ_DOUBLE + "return x.toFixed(+digits);"

    assert [to_fixed(x, digits) for x, digits in cases] == node(script, asked)


@pytest.mark.parametrize("digits", [-1, 101])
def test_fixed_decimals_beyond_the_standards_range_are_refused(digits):
    with pytest.raises(ValueError, match=r"digits must be 0\.\.100"):
        to_fixed(0.5, digits)


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_has_no_decimals(x):
    with pytest.raises(ValueError, match="has no decimals"):
        to_fixed(x, 2)


@pytest.mark.parametrize(
    ("x", "rounded"), [(2.5, 3.0), (-2.5, -2.0), (0.49999999999999994, 0.0), (2.0**53 - 1, 2.0**53 - 1)]
)
def test_rounding_sends_halves_upwards(x, rounded):
    assert math_round(x) == rounded


def test_rounding_keeps_the_sign_of_a_negative_half():
    assert math.copysign(1, math_round(-0.5)) == -1


@pytest.mark.parametrize("x", [math.nan, math.inf])
def test_what_is_no_number_cannot_be_rounded(x):
    with pytest.raises(ValueError, match="cannot be rounded"):
        math_round(x)


def test_rounding_agrees_with_node():
    numbers = doubles()
    script = READ_DOUBLE + "const r = Math.round(x); return Object.is(r, -0) ? '-0' : String(r);"
    ours = ["-0" if bits(r) == bits(-0.0) else number_text(r) for r in map(math_round, numbers)]

    assert ours == node(script, [bits(x) for x in numbers])


def test_keys_sort_by_code_unit_and_not_by_code_point():
    private, astral = "\ue000", "\U00010000"

    assert sorted([private, astral], key=utf16_key) == [astral, private]
    assert sorted([private, astral]) == [private, astral]


def test_a_lone_surrogate_can_be_sorted():
    assert sorted(["\uffff", "\ud800", "a"], key=utf16_key) == ["a", "\ud800", "\uffff"]


@given(st.lists(ANY_TEXT, max_size=6))
def test_key_order_is_the_order_of_code_units(texts):
    units = [
        tuple(itertools.chain.from_iterable([ord(c)] if ord(c) < 0x10000 else surrogates(c) for c in text))
        for text in texts
    ]

    ordered = sorted(zip(units, texts, strict=True))

    assert sorted(texts, key=utf16_key) == [text for _, text in ordered]


def surrogates(character: str) -> list[int]:
    """The two code units of an astral character, by the arithmetic of the Unicode standard."""
    offset = ord(character) - 0x10000
    return [0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF)]


def test_json_is_indented_as_javascript_indents():
    value = {"n": 1.0, "list": [], "object": {}, "pair": [0.5, None], "in": {"é": "\u2028/\x01\x7f"}}

    assert json_text(value, 2) == (
        '{\n  "n": 1,\n  "list": [],\n  "object": {},\n  "pair": [\n    0.5,\n    null\n  ],'
        '\n  "in": {\n    "é": "\u2028/\\u0001\x7f"\n  }\n}'
    )


def test_json_is_compact_unless_asked():
    assert json_text({"a": [1, (2.5,)], "b": {}}) == '{"a":[1,[2.5]],"b":{}}'


def test_what_is_no_number_becomes_null_in_json():
    assert json_text([math.nan, math.inf, -math.inf, 10**400]) == "[null,null,null,null]"


def test_lone_surrogates_are_escaped_in_json():
    assert json_text("\ud800 \U0001f600 \udc00") == '"\\ud800 \U0001f600 \\udc00"'


def test_two_halves_that_meet_are_one_character_as_in_javascript():
    assert json_text("\ud83d" + "\ude00") == '"\U0001f600"'


def test_array_indices_come_first_among_the_keys_of_an_object():
    assert json_text({"b": 1, "10": 2, "9": 3, "01": 4}) == '{"9":3,"10":2,"b":1,"01":4}'


@pytest.mark.parametrize("value", [{1: 2}, {"a": {None: 1}}])
def test_a_key_that_is_no_text_is_refused(value):
    with pytest.raises(ValueError, match="must be text"):
        json_text(value)


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="set is not a JSON value"):
        json_text([{1}])


def test_bottomless_nesting_is_refused_instead_of_crashing():
    nested: list[object] = []
    for _ in range(20_000):
        nested = [nested]

    with pytest.raises(ValueError, match="nested too deeply"):
        json_text(nested)


@pytest.mark.parametrize("indent", [None, 2])
def test_json_prints_as_in_node(indent):
    values: list[object] = []

    @given(JSON_VALUES)
    def gather(value):
        values.append(value)

    gather()
    script = f"return JSON.stringify(JSON.stringify(JSON.parse(line), null, {indent or 0}));"
    printed = node(script, [json.dumps(value) for value in values])

    assert [json_text(value, indent) for value in values] == [json.loads(line) for line in printed]


def test_canonical_json_sorts_by_code_unit_at_every_level():
    value = {"\ue000": 1.0, "\U00010000": {"b": 1e-7, "a": [True, None]}, "10": 1, "9": 2}
    text = '{"10":1,"9":2,"\U00010000":{"a":[true,null],"b":1e-7},"\ue000":1}'

    assert canonical_json(value) == text.encode()


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, 10**400])
def test_canonical_json_refuses_what_is_no_number(x):
    with pytest.raises(ValueError, match="canonical JSON"):
        canonical_json({"x": [x]})


@given(JSON_VALUES)
def test_canonical_json_reads_back_and_does_not_depend_on_insertion_order(value):
    assert json.loads(canonical_json(value), parse_int=float) == rejoined(value)
    assert canonical_json(backwards(value)) == canonical_json(value)


def rejoined(value: object) -> object:
    """What any JSON reader makes of the value: surrogate halves that meet are one character."""
    return json.loads(json.dumps(value), parse_int=float)


def backwards(value: object) -> object:
    """The same value with the members of every object inserted the other way round."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(value)}
    return [backwards(member) for member in value] if isinstance(value, list) else value
