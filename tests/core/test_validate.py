"""Problems of a document under a schema: all at once, in order, with a place and plain words."""

from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.core.validate import Problem, problems

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)
ANY_SCHEMA = {
    "type": "object",
    "required": ["a", "b"],
    "additionalProperties": False,
    "properties": {
        "a": {
            "oneOf": [{"type": "string", "pattern": "x$"}, {"type": "array", "items": {"type": "integer"}}]
        },
        "b": {"anyOf": [{"required": ["c"]}, {"required": ["d"]}]},
        "c": {"enum": ["a", 1, None]},
        "d": {"type": "object", "propertyNames": {"maxLength": 0}},
    },
}


def told(document: object, schema: Mapping[str, Any]) -> list[str]:
    return [f"{problem.place}: {problem.message}" for problem in problems(document, schema)]


def keys(*names: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {} for name in names},
        "additionalProperties": False,
        **more,
    }


def test_a_valid_document_has_no_problems() -> None:
    assert problems({"a": 1}, {"properties": {"a": {"type": "integer"}}}) == ()


@settings(deadline=None)  # the first call imports jsonschema
@given(JSON_VALUES)
def test_there_are_problems_exactly_when_the_schema_is_broken(document: object) -> None:
    valid = jsonschema.Draft202012Validator(ANY_SCHEMA).is_valid(document)

    assert (problems(document, ANY_SCHEMA) == ()) is valid


@settings(deadline=None)  # the first call imports jsonschema
@given(JSON_VALUES)
def test_no_problem_is_told_twice_and_every_one_has_words(document: object) -> None:
    found = problems(document, ANY_SCHEMA)

    assert len(set(found)) == len(found)
    assert all(problem.message and problem.message.isprintable() for problem in found)


def test_every_problem_is_told_at_once_in_the_order_of_the_document_s_places() -> None:
    item = keys("metric", required=["metric"])
    schema = {"properties": {"version": {"const": 1}, "rules": {"items": item}}, "required": ["gate"]}
    document = {
        "version": 2,
        "rules": [*([{"metric": 1}] * 2), {}, *([{"metric": 1}] * 7), {"odd": 1, "metric": 1}],
    }

    assert told(document, schema) == [
        ": missing key `gate`",
        "rules[2]: missing key `metric`",
        "rules[10].odd: unknown key `odd`; valid here: `metric`",
        "version: expected 1, found 2",
    ]


def test_a_misspelt_key_is_answered_with_the_nearest_one_and_told_once() -> None:
    assert told({"metrc": 1}, keys("metric", "rule", required=["metric"])) == [
        "metrc: unknown key `metrc`; did you mean `metric`?"
    ]


def test_a_key_that_is_already_there_is_not_suggested() -> None:
    assert told({"metric": 1, "metrics": 2}, keys("metric", title="a rule")) == [
        "metrics: unknown key `metrics` in a rule; valid here: `metric`"
    ]


def test_a_key_like_none_of_very_many_is_told_without_the_list() -> None:
    assert told({"zzz": 1}, keys(*(f"key-{n}" for n in range(30)))) == ["zzz: unknown key `zzz`"]


def test_keys_that_match_a_pattern_are_known() -> None:
    schema = {"patternProperties": {"^x-": {}}, "additionalProperties": False}

    assert told({"x-a": 1, "y": 2}, schema) == ["y: unknown key `y`"]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "string"}, 3, "expected text, found 3 (text goes in quotes)"),
        ({"type": "string"}, True, "expected text, found true (text goes in quotes)"),
        ({"type": "string"}, None, "expected text, found nothing"),
        ({"type": "integer"}, "3", 'expected a whole number, found "3"'),
        ({"type": "number"}, [], "expected a number, found an empty list"),
        ({"type": "boolean"}, "yes", 'expected true or false, found "yes"'),
        ({"type": ["string", "null"]}, {}, "expected text or nothing, found an empty mapping"),
        ({"type": "object", "title": "a rule"}, 1.5, "expected a rule (a mapping), found 1.5"),
        (
            {"type": "object", "title": "a mapping of names"},
            [1],
            "expected a mapping of names, found a list of 1",
        ),
        ({"type": "array", "title": "a list of names"}, "a", 'expected a list of names, found "a"'),
        (
            {"enum": ["higher", "lower"]},
            "hihger",
            'expected one of "higher", "lower", found "hihger"; did you mean "higher"?',
        ),
        ({"enum": ["higher", "lower"]}, 5, 'expected one of "higher", "lower", found 5'),
        ({"const": "rows"}, "row", 'expected "rows", found "row"'),
        ({"const": None}, False, "expected nothing, found false"),
        ({"pattern": "^a$"}, "b", 'expected text that matches "^a$", found "b"'),
        ({"pattern": "^a$", "title": "the letter a"}, "a\n", 'expected the letter a, found "a\\n"'),
        ({"minimum": 0}, -1, "expected at least 0, found -1"),
        ({"maximum": 1}, 1.5, "expected at most 1, found 1.5"),
        ({"exclusiveMinimum": 0}, 0, "expected more than 0, found 0"),
        ({"exclusiveMaximum": 1}, 1, "expected less than 1, found 1"),
        ({"multipleOf": 2}, 3, "expected a multiple of 2, found 3"),
        ({"minLength": 1}, "", 'expected text of at least 1 characters, found ""'),
        ({"maxLength": 1}, "ab", 'expected text of at most 1 characters, found "ab"'),
        ({"minItems": 2}, [1], "expected a list of at least 2, found a list of 1"),
        ({"maxItems": 1}, [1, 2], "expected a list of at most 1, found a list of 2"),
        (
            {"uniqueItems": True},
            ["a", "b", "a"],
            'expected a list without repetitions, found "a" more than once',
        ),
        ({"minProperties": 1}, {}, "expected a mapping with at least 1 keys, found an empty mapping"),
        ({"maxProperties": 0}, {"a": 1}, "expected a mapping with at most 0 keys, found a mapping"),
        ({"not": {}}, 1, "expected something else (an empty mapping), found 1"),
    ],
)
def test_a_message_says_what_was_expected_and_what_was_found(
    schema: Any, value: object, message: str
) -> None:
    assert told({"it": value}, {"properties": {"it": schema}}) == [f"it: {message}"]


def test_a_schema_that_allows_nothing_has_words_too() -> None:
    assert told({"a": 1}, {"properties": {"a": False}}) == [": expected something else (nothing), found 1"]


def test_a_pattern_that_ends_in_an_escaped_dollar_is_left_alone() -> None:
    assert problems("a$b", {"pattern": r"a\$"}) == ()


def test_the_title_says_what_is_expected() -> None:
    schema = {"properties": {"share": {"title": "a share from 0 to 1", "maximum": 1}}}

    assert told({"share": 2}, schema) == ["share: expected a share from 0 to 1, found 2"]


def test_a_wrong_key_is_told_at_the_key() -> None:
    schema = {"propertyNames": {"maxLength": 3, "title": "a short name"}}

    assert told({"long name": 1}, schema) == [
        '["long name"]: as a key: expected a short name, found "long name"'
    ]


def test_a_key_that_another_one_needs_is_missing() -> None:
    schema = {"dependentRequired": {"from": ["to"], "with": ["by"]}}

    assert told({"from": 1}, schema) == [": missing key `to`"]


def test_the_branch_of_an_if_is_told_like_any_other() -> None:
    schema = {
        "if": {"required": ["from"]},
        "then": {"properties": {"from": {"type": "string"}}},
        "else": False,
    }

    assert told({"from": []}, schema) == ["from: expected text, found an empty list"]


def kind(name: str, *names: str, **more: Any) -> dict[str, Any]:
    schema = keys("kind", *names, title=f"a {name} kind", required=["kind"], **more)
    schema["properties"]["kind"] = {"const": name}
    return schema


ROWS_OR_HTTP = {"oneOf": [kind("rows", "path"), kind("http", "url")]}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"kind": "http", "url": 1}, []),
        (
            {"kind": "htp", "url": 1},
            ['kind: expected one of "rows", "http", found "htp"; did you mean "http"?'],
        ),
        (
            {"kind": "htp", "uri": 1},
            [
                'kind: expected one of "rows", "http", found "htp"; did you mean "http"?',
                "uri: unknown key `uri`; did you mean `url`?",
            ],
        ),
        ({"kind": 5}, ['kind: expected one of "rows", "http", found 5']),
        (
            {"kind": "zzz", "odd": 1},
            ['kind: expected one of "rows", "http", found "zzz"'],
        ),
        ({"kind": "rows", "url": 1}, ["url: unknown key `url` in a rows kind; valid here: `kind`, `path`"]),
        ({"url": 1}, [": missing key `kind`"]),
        ("rows", [': expected a rows kind or a http kind (a mapping), found "rows"']),
    ],
)
def test_of_several_alternatives_the_one_that_was_meant_is_told(
    document: object, expected: list[str]
) -> None:
    assert told(document, ROWS_OR_HTTP) == expected


def test_what_is_wrong_in_every_alternative_is_told_beside_an_unknown_kind() -> None:
    either = {"oneOf": [kind("rows", "metric"), kind("http", "metric")]}

    assert told({"kind": "zzz", "metrc": 1}, either) == [
        'kind: expected one of "rows", "http", found "zzz"',
        "metrc: unknown key `metrc`; did you mean `metric`?",
    ]


def test_kinds_may_share_an_enum() -> None:
    either = {"oneOf": [{"properties": {"a": {"enum": [1, 2]}}}, {"properties": {"a": {"enum": [3]}}}]}

    assert told({"a": 4}, either) == ["a: expected one of 1, 2, 3, found 4"]


SOURCES = {"oneOf": [keys(name, title=f"a {name}", required=[name]) for name in ("ledger", "receipt")]}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({}, [": expected one of the keys `ledger`, `receipt`, found none of them"]),
        ({"reciept": 1}, ["reciept: unknown key `reciept`; did you mean `receipt`?"]),
        ({"ledger": 1, "receipt": 1}, ["receipt: unknown key `receipt` in a ledger; valid here: `ledger`"]),
    ],
)
def test_alternatives_may_be_told_apart_by_their_keys(document: object, expected: list[str]) -> None:
    assert told(document, SOURCES) == expected


BOUNDS = keys("at-least", "at-most", oneOf=[{"required": ["at-least"]}, {"required": ["at-most"]}])


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({}, [": expected exactly one of `at-least`, `at-most`, found none of them"]),
        (
            {"at-least": 1, "at-most": 2},
            [": expected exactly one of `at-least`, `at-most`, found `at-least` and `at-most`"],
        ),
        ({"at_least": 1}, ["at_least: unknown key `at_least`; did you mean `at-least`?"]),
    ],
)
def test_one_of_two_keys_is_asked_for_in_one_sentence(document: object, expected: list[str]) -> None:
    assert told(document, BOUNDS) == expected


def test_at_least_one_of_the_keys_may_be_asked_for() -> None:
    schema = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}

    assert told({}, schema) == [": expected at least one of `a`, `b`, found none of them"]


def test_fitting_two_alternatives_of_which_one_is_allowed_is_told() -> None:
    assert told(1, {"oneOf": [{"type": "integer"}, {"type": "number"}]}) == [
        ": fits more than one of the alternatives, and may fit only one"
    ]


@pytest.mark.parametrize(
    ("alternatives", "expected"),
    [
        ([{"type": "string"}, {"type": "array"}], ": expected text or a list, found 1 (text goes in quotes)"),
        (
            [{"type": "string", "title": "a name"}, {"type": "array"}],
            ": expected a name or a list, found 1 (text goes in quotes)",
        ),
        ([{"minimum": 5}, {"maximum": 0}], ": expected at least 5, found 1"),
        (
            [{"minimum": 5, "multipleOf": 2}, {"maximum": 0, "multipleOf": 3}],
            ": expected a multiple of 2, found 1",
        ),
    ],
)
def test_equally_far_alternatives_are_joined_where_one_sentence_can(alternatives: Any, expected: str) -> None:
    assert told(1, {"anyOf": alternatives})[0] == expected


def test_a_secret_is_never_shown() -> None:
    schema = {
        "properties": {"api-key": {"type": "object"}, "url": {"pattern": "^x"}, "pin_token": {"enum": ["a"]}}
    }
    document = {"api-key": "hunter2", "url": "https://user:hunter2@host/", "pin_token": 1234}

    shown = "\n".join(told(document, schema))

    assert "hunter2" not in shown
    assert "1234" not in shown
    assert shown.count("<redacted>") == 3


def test_deep_nesting_is_a_problem_and_not_a_crash() -> None:
    deep: object = 1
    for _ in range(5000):
        deep = [deep]

    assert problems(deep, {}) == (Problem("", "nested more than 100 levels deep"),)


def test_a_schema_that_never_ends_is_a_problem_and_not_a_crash() -> None:
    endless = {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}

    assert problems({}, endless) == (Problem("", "too deeply nested to be checked"),)
