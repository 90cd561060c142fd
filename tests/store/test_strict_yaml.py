"""The YAML a configuration may use, and what is refused with its line."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gate.store.strict_yaml import YamlError, parse

TEXT = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufeff\ufffe\uffff"))
PLAIN_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=15,
)


def refusals(text: str) -> list[str]:
    return [f"{problem.place}: {problem.message}" for problem in parse(text).problems]


def error(text: str) -> YamlError:
    with pytest.raises(YamlError) as caught:
        parse(text)
    return caught.value


@given(PLAIN_VALUES, st.sampled_from([True, False, None]))
def test_what_a_yaml_writer_writes_quoted_is_read_back(value: object, style: bool | None) -> None:  # noqa: FBT001 - PyYAML's own option
    written = yaml.safe_dump(value, default_flow_style=style, allow_unicode=True, default_style='"')
    expected = json.loads(json.dumps(value))

    assert _texts(
        parse(written.replace("!!int ", "").replace("!!null ", "").replace("!!bool ", "")).value
    ) == (_texts(expected))


def _texts(value: object) -> object:
    """The same value with every scalar as the text a YAML writer would quote."""
    if isinstance(value, dict):
        return {key: _texts(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_texts(member) for member in value]
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(PLAIN_VALUES)
def test_json_is_read_as_what_it_says(value: object) -> None:
    assert parse(json.dumps(value, ensure_ascii=False)).value == value


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_but_never_a_crash(text: str) -> None:
    try:
        read = parse(text)
    except YamlError as exc:
        refused = exc
    else:
        assert all(read.lines.get(problem.place) for problem in read.problems)
        return

    assert refused.message
    assert refused.line >= 1
    assert refused.column >= 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("Y", "Y"),
        ("~", None),
        ("null", None),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z"),
        ("12:30", "12:30"),
        ("0123", "0123"),
        ("0x1f", "0x1f"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("1.2.3", "1.2.3"),
        ("42", 42),
        ("-7", -7),
        ("+7", 7),
        ("0", 0),
        ("0.65", 0.65),
        (".5", 0.5),
        ("1e4", 10000.0),
        ("1.5E-3", 0.0015),
        ('"42"', "42"),
        ("'true'", "true"),
        ("=", "="),
        ("recall_all@5", "recall_all@5"),
    ],
)
def test_a_plain_scalar_means_what_yaml_1_2_says_and_no_more(text: str, value: object) -> None:
    read = parse(f"it: {text}\n").value

    assert read == {"it": value}
    assert type(read["it"]) is type(value)  # type: ignore[index]  # a mapping, as just compared


def test_a_key_is_always_text() -> None:
    assert parse("1: a\ntrue: b\nnull: c\n2.5: d\n").value == {"1": "a", "true": "b", "null": "c", "2.5": "d"}


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "null\n"])
def test_nothing_is_none(text: str) -> None:
    assert parse(text).value is None
    assert parse(text).problems == ()


def test_every_place_has_its_line() -> None:
    read = parse("a: 1\n\nb:\n  - x\n  - c: [1,\n      2]\n")

    assert read.lines == {
        "": 1,
        "a": 1,
        "b": 3,
        "b[0]": 4,
        "b[1]": 5,
        "b[1].c": 5,
        "b[1].c[0]": 5,
        "b[1].c[1]": 6,
    }


def test_windows_line_ends_count_once() -> None:
    assert parse("a: 1\r\nb: 2\r\n").lines["b"] == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", ["a: duplicate key `a`, again in line 3"]),
        ("x: {a: 1, 'a': 2}", ["x.a: duplicate key `a`, again in line 1"]),
        ("a: &here 1", ["a: anchors are not read; write the value out where it is needed"]),
        ("a: &here [1]", ["a: anchors are not read; write the value out where it is needed"]),
        ("&here a: 1", ["a: anchors are not read; write the value out where it is needed"]),
        ("a: *there", ["a: aliases are not read; write the value out"]),
        ("a: !!str 1", ["a: tags (`tag:yaml.org,2002:str`) are not read; write the value plainly"]),
        (
            "a: !python/object:os.system {}",
            ["a: tags (`!python/object:os.system`) are not read; write the value plainly"],
        ),
        ("<<: {a: 1}", ['["<<"]: merge keys are not read; write the keys out']),
        ("a: .inf", ["a: `.inf` is not a finite number"]),
        ("a: -.INF", ["a: `-.INF` is not a finite number"]),
        ("a: .NaN", ["a: `.NaN` is not a finite number"]),
        ("a: 1e999", ["a: `1e999` is beyond the range of numbers; text goes in quotes"]),
        ("a: " + "9" * 5000, ["a: `" + "9" * 59 + "…` is beyond the range of numbers; text goes in quotes"]),
    ],
)
def test_what_surprises_people_is_refused(text: str, expected: list[str]) -> None:
    assert refusals(text) == expected


def test_all_refusals_are_told_at_once_and_the_rest_is_read() -> None:
    read = parse("a: *x\nb: {c: 1, c: {d: 2}}\ne: !!int 5\nf: 6\n")

    assert [problem.place for problem in read.problems] == ["a", "b.c", "e"]
    assert read.value == {"a": None, "b": {"c": 1}, "e": "5", "f": 6}
    assert read.unread == {"a", "e"}


def test_an_alias_bomb_is_not_expanded() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]

    read = parse("\n".join(lines))

    assert len(read.problems) == 10 + 9 * 9


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("a: 1\n---\nb: 2\n", 2, 1, "a second document begins here"),
        ("a:\n\tb: 1\n", 2, 1, "a tab cannot indent YAML; use spaces"),
        ("a:\n  \tb: 1\n", 2, 3, "a tab cannot indent YAML; use spaces"),
        ("paths: [src/**, **/*.py]\n", 1, 18, "a value that begins with `*` goes in quotes"),
        ("a: @x\n", 1, 4, "a value that begins with `@` goes in quotes"),
        ("a: `x`\n", 1, 4, "a value that begins with ``` goes in quotes"),
        ("a: b: c\n", 1, 5, "a `:` where no key can be"),
        ("a: {{ x }}\n", 1, 5, "a key must be plain text"),
        ("? [a]\n: b\n", 1, 3, "a key must be plain text"),
        ("a: [1\n", 2, 1, "not YAML: did not find expected ',' or ']'"),
        ("a: 'x\n", 2, 1, "not YAML: found unexpected end of stream"),
        ("a: \x00\n", 1, 4, "control character U+0000"),
        ("a: 1\nb: \x1b[31m\n", 2, 4, "control character U+001B"),
        ("[" * 200, 1, 101, "nested more than 100 levels deep"),
        ("[" * 100_000, 1, 1001, "exceeded maximum nesting depth"),
        ("%NOPE\n---\na: 1\n", 1, 6, "not YAML: found unknown directive name"),
    ],
)
def test_text_that_cannot_be_read_on_says_where(text: str, line: int, column: int, said: str) -> None:
    refused = error(text)

    assert said in refused.message
    assert (refused.line, refused.column) == (line, column)
