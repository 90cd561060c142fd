import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.render.fitting import Fitted, cut_bytes, cut_chars, cut_utf16, fit, size_in_bytes
from gate.render.neutral import code, inline
from tests.render.github_rules import references, render

CHARACTERS = ["a", "\u00e9", "e\u0301", "\u65e5", "\U0001f44d\U0001f3fd", "\U0001f1eb\U0001f1f7"]
MULTI_BYTE = st.lists(st.sampled_from(CHARACTERS)).map("".join)


def never() -> str:
    raise AssertionError("a rendition that is not needed was made")


def test_the_fullest_rendition_that_fits_is_chosen_and_no_other_is_made() -> None:
    chosen = fit([lambda: "a" * 100, lambda: "b" * 10, never], max_chars=10, max_bytes=10)
    assert chosen == Fitted(text="b" * 10, rung=1, left_out=90)


def test_what_fits_at_once_leaves_nothing_out() -> None:
    assert fit(["whole", "short"], max_chars=5, max_bytes=5) == Fitted(text="whole", rung=0, left_out=0)


def test_characters_and_bytes_are_both_measured() -> None:
    japanese, english = "\u65e5" * 20, "n" * 20
    assert fit([japanese, english], max_chars=20, max_bytes=59).rung == 1
    assert fit([japanese, english], max_chars=20, max_bytes=60).rung == 0
    assert fit(["n" * 21, english], max_chars=20, max_bytes=60).rung == 1


def test_a_shorter_rendition_with_more_characters_leaves_out_nothing_countable() -> None:
    assert fit(["\u65e5" * 9, "n" * 10], max_chars=20, max_bytes=20) == Fitted(
        text="n" * 10, rung=1, left_out=0
    )


def test_no_renditions_at_all_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one"):
        fit([], max_chars=1, max_bytes=1)


def test_when_nothing_fits_the_headline_alone_is_cut() -> None:
    report = "> [!CAUTION]\n> **Regression in `temporal-reasoning`: 16 broke.**\n\n| a |\n|---|\n| b |\n"
    assert fit([report], max_chars=60, max_bytes=60) == Fitted(
        text="Regression in `temporal-reasoning`: 16 broke.", rung=1, left_out=len(report) - 45
    )
    assert fit([report], max_chars=12, max_bytes=60).text == "Regression \u2026"
    assert fit([report], max_chars=60, max_bytes=12).text == "Regressio\u2026"


HEADLINES = [
    ("<!-- marker -->\n# **Passed**\n\ntext", "Passed"),
    ("| a |\n|---|\n| b |\n\nafter the table", "after the table"),
    ("<details>\n<summary>x</summary>\n\n- an item", "an item"),
    ("---\n***\n<code>x</code> is worse", "<code>x</code> is worse"),
    ("```\ncode\n```\nafter the fence", "\u2026"),
    ("> ~~~\n> code", "\u2026"),
    ("\n \n", "\u2026"),
]


@pytest.mark.parametrize(("report", "headline"), HEADLINES)
def test_tables_fences_tags_and_marks_are_no_headline(report: str, headline: str) -> None:
    assert fit([f"{report}\n\n{'|' * 500}"], max_chars=30, max_bytes=90).text == headline


def test_a_headline_is_never_cut_inside_code_a_reference_or_a_character() -> None:
    report = "\u65e5: <code>me<!-- -->@a.b</code> &amp; `a b` z\u0301 <b>x</b>" + "\n" + "|" * 500
    for room in range(1, 80):
        text = fit([report], max_chars=room, max_bytes=500).text
        assert len(text) <= room
        assert references(render(text)) == []
        assert text.count("<code>") == text.count("</code>")
        assert text.count("`") % 2 == 0
        assert not re.search(r"&\w*\u2026|<[^>]*\u2026|z\u2026", text)


def test_no_room_for_anything_gives_nothing() -> None:
    assert fit(["abc"], max_chars=0, max_bytes=9).text == ""
    assert fit(["abc"], max_chars=9, max_bytes=2).text == ""
    assert cut_bytes("abcd", 2) == ""
    assert cut_chars("abc", 0) == ""


@given(MULTI_BYTE, st.integers(0, 60))
def test_a_cut_text_is_within_its_limit_in_every_measure(text: str, limit: int) -> None:
    assert len(cut_chars(text, limit)) <= limit
    assert len(cut_bytes(text, limit).encode("utf-8")) <= limit
    assert len(cut_utf16(text, limit).encode("utf-16-le")) // 2 <= limit


@given(MULTI_BYTE, st.integers(3, 60))
def test_a_cut_text_is_a_beginning_of_whole_characters_and_an_ellipsis_or_all_of_it(
    text: str, limit: int
) -> None:
    for cut in (cut_chars(text, limit), cut_bytes(text, limit), cut_utf16(text, limit)):
        if cut == text:
            continue
        assert cut.endswith("\u2026")
        kept, rest = cut[:-1], text[len(cut) - 1 :]
        assert text == kept + rest
        assert not unicodedata.combining(rest[0])


@given(MULTI_BYTE)
def test_a_text_that_fits_is_not_touched(text: str) -> None:
    assert cut_chars(text, len(text)) == text
    assert cut_bytes(text, len(text.encode("utf-8"))) == text
    assert cut_utf16(text, len(text.encode("utf-16-le")) // 2) == text


def test_a_cut_keeps_as_much_as_fits() -> None:
    assert cut_chars("\u65e5" * 9, 5) == "\u65e5\u65e5\u65e5\u65e5\u2026"
    assert cut_bytes("\u65e5" * 9, 11) == "\u65e5\u65e5\u2026"
    assert cut_bytes("\U0001f44d\U0001f3fd" * 3, 12) == "\U0001f44d\U0001f3fd\u2026"
    assert cut_utf16("\U0001f600" * 9, 6) == "\U0001f600\U0001f600\u2026"


def test_size_counts_bytes_of_utf8_and_survives_a_lone_surrogate() -> None:
    assert size_in_bytes("a\u00e9\u65e5\U0001f600") == 1 + 2 + 3 + 4
    assert size_in_bytes("\ud800") == 3


@given(
    st.lists(st.text(st.characters(), max_size=60), min_size=1, max_size=4),
    st.integers(0, 80),
    st.integers(0, 200),
)
def test_a_fitted_text_always_fits_and_its_rung_is_the_first_that_does(
    texts: list[str], max_chars: int, max_bytes: int
) -> None:
    ladder = [f"{inline(text)} {code(text)}" for text in texts]
    fitted = fit(ladder, max_chars=max_chars, max_bytes=max_bytes)
    assert len(fitted.text) <= max_chars
    assert len(fitted.text.encode("utf-8")) <= max_bytes
    fits = [len(text) <= max_chars and len(text.encode("utf-8")) <= max_bytes for text in ladder]
    assert fitted.rung == (fits.index(True) if True in fits else len(ladder))
    assert fitted.left_out == max(0, len(ladder[0]) - len(fitted.text))
