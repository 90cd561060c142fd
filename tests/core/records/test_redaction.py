import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.redaction import redact, redact_text, secret_values, without


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://user:pass@host/x", "https://<redacted>@host/x"),
        ("https://token@host/x", "https://<redacted>@host/x"),
        ("postgres://a:b@c@host/db", "postgres://<redacted>@host/db"),
        ("failed: Bearer abc.DEF-123_~+/=", "failed: Bearer <redacted>"),
        ("Authorization: Bearer abc123", "Authorization: Bearer <redacted>"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic <redacted>"),
        ("api_key=abc, rest", "api_key=<redacted>, rest"),
        ("OPENAI_API_KEY=abc rest", "OPENAI_API_KEY=<redacted> rest"),
        ("token: 'a b'", "token: <redacted>"),
        ('{"client_secret": "a b"}', '{"client_secret": <redacted>}'),
        ("accessToken=abc", "accessToken=<redacted>"),
        ("https://h/x?password=abc&k=5", "https://h/x?password=<redacted>&k=5"),
        ("https://h/x?k=5&pwd=abc", "https://h/x?k=5&pwd=<redacted>"),
        ("https://h/x?key=AIzaSy", "https://h/x?key=<redacted>"),
        ("sk-ant-0123456789", "<redacted>"),
        ("pa-0123456789", "<redacted>"),
        ("ghp_0123456789abcdef", "<redacted>"),
        ("gho_0123456789abcdef", "<redacted>"),
        ("xoxb-0123456789", "<redacted>"),
        ("xoxp-0123456789", "<redacted>"),
        ("AKIAIOSFODNN7EXAMPLE", "<redacted>"),
    ],
)
def test_every_kind_of_secret_is_taken_out_of_a_text(text: str, expected: str) -> None:
    assert redact_text(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "max_tokens=512",
        "Unexpected token < in JSON at position 0",
        "task-0123456789 and spa-0123456789",
        "https://host/path?k=5",
        "a1b2c3d-longmemeval-balanced-42",
        "sha256 d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
        "openai:gpt-4o",
        "someone@example.com wrote this",
        "rows/candidate.ndjson",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert redact_text(text) == text


def test_only_texts_change_and_keys_stay() -> None:
    value = {"sk-0123456789": ["Bearer abc123", 1, None, True], "nested": {"x": ("sk-0123456789", 2.5)}}

    assert redact(value) == {
        "sk-0123456789": ["Bearer <redacted>", 1, None, True],
        "nested": {"x": ["<redacted>", 2.5]},
    }


def test_a_text_under_a_key_that_says_secret_is_a_secret() -> None:
    assert redact({"password": "hunter2", "api_key": "", "token": 5, "max_tokens": "8"}) == {
        "password": "<redacted>",
        "api_key": "",
        "token": 5,
        "max_tokens": "8",
    }


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact_text(text)

    assert redact_text(once) == once


@given(st.text(alphabet="abcdefghijklmnop0123456789", min_size=20, max_size=40))
def test_no_part_of_a_key_is_left(secret: str) -> None:
    assert secret not in redact_text(f"call failed for sk-{secret}: api_key={secret}, ghp_{secret}")


def test_the_very_secrets_that_are_known_go_line_by_line_the_longest_first() -> None:
    text = "opaque-and-more, opaque, and a second line; nothing else"
    assert without(text, ["opaque", "opaque-and-more\r\na second line", " \n"]) == (
        "<redacted>, <redacted>, and <redacted>; nothing else"
    )


def test_what_looks_like_a_secret_goes_too_though_nobody_named_it() -> None:
    assert without("postgres://u:pw@db/x", []) == "postgres://<redacted>@db/x"


def test_a_variable_is_secret_by_its_name_or_its_value_and_short_ones_by_neither() -> None:
    variables = {
        "ACTIONS_RUNTIME_TOKEN": "opaque-1",
        "SEARCH_PASSWORD": "hunter22",
        "DATABASE": "postgres://u:pw@db/x",
        "USE_TOKEN": "true",
        "GITHUB_SHA": "a" * 40,
    }
    assert secret_values(variables) == ("opaque-1", "hunter22", "postgres://u:pw@db/x")
