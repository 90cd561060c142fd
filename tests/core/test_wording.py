"""Places, values and near misses in plain words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.wording import (
    counted,
    either,
    found,
    key_text,
    named,
    nearest,
    place,
    quoted,
    shortened,
    type_words,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ""),
        (("rules", 2, "at-least"), "rules[2].at-least"),
        ((0,), "[0]"),
        (("metrics", "recall_all@5", "better"), "metrics.recall_all@5.better"),
        (("metrics", "a b"), 'metrics["a b"]'),
        (("a.b",), '["a.b"]'),
        (("",), '[""]'),
    ],
)
def test_a_place_reads_like_the_document(path: tuple[str | int, ...], expected: str) -> None:
    assert place(path) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("metrc", "metric"), ("METRIC", "metric"), ("at_least", "at-least"), ("zzz", None), ("", None)],
)
def test_the_nearest_word_is_found(word: str, expected: str | None) -> None:
    assert nearest(word, ["metric", "rule", "at-least"]) == expected


def test_of_many_texts_the_first_are_listed_and_the_rest_is_counted() -> None:
    assert shortened(["a", "b", "c"], 1) == ("a", "and 2 more")
    assert shortened(["a", "b"], 2) == ("a", "b")
    assert shortened([], 2) == ()


def test_nothing_is_near_in_an_empty_list() -> None:
    assert nearest("metric", ()) is None


def test_a_very_long_word_is_compared_by_its_beginning() -> None:
    assert nearest("m" * 1_000_000, ["metric"]) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "nothing"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (10**300, "a very large number"),
        (0.25, "0.25"),
        ("a\nb", '"a\\nb"'),
        ([], "an empty list"),
        ([1, 2], "a list of 2"),
        ({}, "an empty mapping"),
        ({"a": 1}, "a mapping"),
        (b"", "a value of type bytes"),
    ],
)
def test_a_value_is_shown_short(value: object, expected: str) -> None:
    assert found(value) == expected


@pytest.mark.parametrize(
    ("value", "path"),
    [("hunter2", ("password",)), (12, ("x", "api-key")), ("ghp_" + "a" * 36, ("note",)), (None, ("token",))],
)
def test_a_secret_is_not_shown(value: object, path: tuple[str, ...]) -> None:
    assert found(value, path) == '"<redacted>"'


def test_a_value_in_a_list_is_judged_by_itself() -> None:
    assert found("plain", ("names", 0)) == '"plain"'


@given(st.text())
def test_no_text_can_move_the_cursor_or_start_a_line(text: str) -> None:
    assert quoted(text).isprintable()
    assert key_text(text).isprintable()
    assert found(text).isprintable()


def test_long_texts_are_cut() -> None:
    assert quoted("x" * 100) == '"' + "x" * 59 + '…"'
    assert key_text("x" * 100) == "`" + "x" * 59 + "…`"


def test_lists_read_like_sentences() -> None:
    assert either(["a", "b", "a", "c"]) == "a, b or c"
    assert either(["a"]) == "a"
    assert either([]) == ""
    assert named(["a", "b"]) == "`a`, `b`"
    assert type_words(["string", "null"]) == "text or nothing"
    assert type_words("odd") == "odd"


def test_what_is_counted_agrees_with_its_number() -> None:
    assert counted(1234567, "entry", "entries") == "1,234,567 entries"
    assert counted(1, "entry", "entries") == "1 entry"
    assert (counted(1, "question"), counted(0, "question")) == ("1 question", "0 questions")
