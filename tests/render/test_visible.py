import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.render.visible import reveal, reveal_spaces

# Format characters that are drawn, and so need no sign.
DRAWN = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")


def test_control_characters_show_as_their_pictures_and_others_as_their_numbers() -> None:
    assert reveal("\x00\t\x1f\x7f") == "\u2400\u2409\u241f\u2421"
    assert reveal("\x85\u202e\U000e0041\ud800\U0010ffff") == (
        "\u27e8U+0085\u27e9\u27e8U+202E\u27e9\u27e8U+E0041\u27e9\u27e8U+D800\u27e9\u27e8U+10FFFF\u27e9"
    )


def test_what_the_caller_keeps_stays() -> None:
    assert reveal("a\n\tb\r", keep="\n\t") == "a\n\tb\u240d"


@given(st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"]))
def test_every_control_format_and_surrogate_character_is_shown(char: str) -> None:
    assert (reveal(char) == char) == (char in DRAWN)


@given(st.characters(categories=["L", "M", "N", "P", "S", "Zs", "Co"]))
def test_characters_that_can_be_seen_stay(char: str) -> None:
    blank = {
        "\u115f",
        "\u1160",
        "\u3164",
        "\uffa0",
        "\u034f",
        "\u17b4",
        "\u17b5",
        "\u2800",
        "\ufffc",
        "\U0001d159",
    }
    selector = "VARIATION SELECTOR" in unicodedata.name(char, "")
    if not selector and char not in blank and char != "\U00016fe4":
        assert reveal(char) == char


@pytest.mark.parametrize("text", ["\u2764\ufe0f", "1\ufe0f\u20e3", "\U0001f468\U0001f3fd\u200d\U0001f4bb"])
def test_the_parts_of_an_emoji_stay_together(text: str) -> None:
    assert reveal(text) == text


@pytest.mark.parametrize(
    "text", ["\u0645\u06cc\u200c\u062e", "\u0915\u094d\u200d\u0937", "\u0915\u094d\u200c\u0937"]
)
def test_the_joiners_of_scripts_that_need_them_stay(text: str) -> None:
    assert reveal(text) == text


@pytest.mark.parametrize(
    "text", ["a\u200db", "\u65e5\u200c\u672c", "q\ufe0f", "\U0001f468\u200dx", "\u0645\u200c1"]
)
def test_the_same_characters_anywhere_else_are_shown(text: str) -> None:
    hidden = text[1]
    assert reveal(text) == text.replace(hidden, f"\u27e8U+{ord(hidden):04X}\u27e9")


def test_spaces_at_the_edges_and_unusual_ones_are_shown() -> None:
    assert reveal_spaces("  a b ") == "\u2423\u2423a b\u2423"
    assert reveal_spaces("a\xa0b\u2009c\u3000") == "a\u2423b\u2423c\u2423"
    assert reveal_spaces("a b") == "a b"
    assert reveal_spaces("") == ""
