import html
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.render.neutral import block, code, inline
from tests.render.github_rules import CONTEXTS, WITH_HTML, WITHOUT_HTML, outline, references, render, runs

PLACEHOLDER = "PLACEHOLDER"
ZWSP, RLO, TAG_A, BOM, SHY = "\u200b", "\u202e", "\U000e0041", "\ufeff", "\xad"

# (untrusted text, what a reader of the page must see)
EVIL = [
    ("@octocat", "@octocat"),
    ("@github/security please look", "@github/security please look"),
    ("&#64;octocat", "&#64;octocat"),
    ("&commat;octocat", "&commat;octocat"),
    ("_@octocat", "_@octocat"),
    (
        "\u00e9@octocat (\u00e9 is no word character in Ruby)",
        "\u00e9@octocat (\u00e9 is no word character in Ruby)",
    ),
    ("closes #12", "closes #12"),
    ("GH-12, gh-13", "GH-12, gh-13"),
    ("octocat/Spoon-Knife#1", "octocat/Spoon-Knife#1"),
    ("octocat#1", "octocat#1"),
    ("a5c3785ed8d6a35868bc169f07e40e889087fd2e", "a5c3785ed8d6a35868bc169f07e40e889087fd2e"),
    ("see a5c3785", "see a5c3785"),
    ("octocat/Spoon-Knife@a5c3785ed8d6a35868bc", "octocat/Spoon-Knife@a5c3785ed8d6a35868bc"),
    ("a5c3785...d8d6a35", "a5c3785...d8d6a35"),
    ("GHSA-wjmj-h3xc-hxp8 CVE-2021-44228", "GHSA-wjmj-h3xc-hxp8 CVE-2021-44228"),
    ("https://evil.example/x?y=1#z", "https://evil.example/x?y=1#z"),
    ("(HTTP://evil.example)", "(HTTP://evil.example)"),
    ("www.evil.example, WWW.evil.example", "www.evil.example, WWW.evil.example"),
    ("ftp://evil.example", "ftp://evil.example"),
    ("mailto:me@evil.example xmpp:me@evil.example/x", "mailto:me@evil.example xmpp:me@evil.example/x"),
    ("me@evil.example.", "me@evil.example."),
    ("me&#64;evil.example", "me&#64;evil.example"),
    ("<https://evil.example>", "<https://evil.example>"),
    ("[click](https://evil.example)", "[click](https://evil.example)"),
    ("![x](https://evil.example/pixel.png)", "![x](https://evil.example/pixel.png)"),
    ("[x]: https://evil.example", "[x]: https://evil.example"),
    ("[^1]", "[^1]"),
    ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
    ("</summary></details><h1>PASS</h1>", "</summary></details><h1>PASS</h1>"),
    ("</code>@octocat", "</code>@octocat"),
    ("<!-- gate:v1 id=default -->", "<!-- gate:v1 id=default -->"),
    ("--> @octocat", "--> @octocat"),
    ("a | b || c", "a | b || c"),
    ("a \\| b", "a \\| b"),
    ("`x` ``y`` ```", "`x` ``y`` ```"),
    ("**bold** _it_ __init__ ~~gone~~ ~x~", "**bold** _it_ __init__ ~~gone~~ ~x~"),
    ("\\*not\\*", "\\*not\\*"),
    ("# heading", "# heading"),
    ("heading ##", "heading ##"),
    ("- item", "- item"),
    ("+ item", "+ item"),
    ("1. item", "1. item"),
    ("12) item", "12) item"),
    ("---", "---"),
    ("===", "==="),
    (":--", ":--"),
    ("> quote", "> quote"),
    ("[!CAUTION]", "[!CAUTION]"),
    ("[ ] task", "[ ] task"),
    ("[x] task", "[x] task"),
    ("```\ncode", "``` code"),
    ("one\r\n\r\ntwo\u2028three\u2029four\x85five", "one two three four five"),
    ("    indented", "indented"),
    ("two spaces  ", "two spaces"),
    ("back\\", "back\\"),
    (":tada: :+1: :100:", ":tada: :+1: :100:"),
    ("$x$ and $$y$$, $ 5", "$x$ and $$y$$, $ 5"),
    ("&amp; &lt; &nbsp; &#0;", "&amp; &lt; &nbsp; &#0;"),
    (f"q-04{ZWSP}12", "q-04\u27e8U+200B\u27e912"),
    (f"a{RLO}b{SHY}c{BOM}d", "a\u27e8U+202E\u27e9b\u27e8U+00AD\u27e9c\u27e8U+FEFF\u27e9d"),
    (f"x{TAG_A}\ufe00", "x\u27e8U+E0041\u27e9\u27e8U+FE00\u27e9"),
    ("a\x00b\x1b[31mc\x7f\x9b", "a\u2400b\u241b[31mc\u2421\u27e8U+009B\u27e9"),
    ("a\ud800b", "a\u27e8U+D800\u27e9b"),
    ("\u3164\u2800", "\u27e8U+3164\u27e9\u27e8U+2800\u27e9"),
    (f"@{ZWSP}octocat", "@\u27e8U+200B\u27e9octocat"),
    ("\u0338> \u0301", "\u25cc\u0338> \u25cc\u0301"),
]

ORDINARY = [
    "q-0412",
    "temporal-reasoning",
    "recall_all@5",
    "ndcg@10",
    "src/search/rank.py",
    "feature/new_ranker-2",
    "rows/candidate.ndjson:12",
    "What did the user say (last week)?",
    "3.2 % \u2212 1.5 = 1.7, \u201cquoted\u201d, isn't it!",
    "-3.2 points; +1",
    "\u65e5\u672c\u8a9e\u306e\u8cea\u554f",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f 1\ufe0f\u20e3 \U0001f44d\U0001f3fd",
]

# Signs with a meaning to somebody, the words GitHub looks for, and innocent letters in between.
SIGNS = "&<>*`[]|\\~$#_-+=:.)(!/@^{}\"' \n\t" + "aZ09\u00e9\u65e5" + "\u00a0\u3000\u0301"
WORDS = """
    @octocat #12 GH-1 o/r#3 o/r@ a5c3785 https:// www. mailto: xmpp: ftp:// a.b :+1: [!NOTE] [x] <b> </code> <!-- -->
    </summary> &#64; &lt; ``` 1. x@y.z recall_all@5 \\| ** __ ~~ $$ ![ ]( [^1] --- :--
"""
PIECES = st.sampled_from([*SIGNS, *WORDS.split(), "[ ]"])
EVIL_TEXT = st.lists(PIECES, min_size=1, max_size=12).map("".join)
ANY_TEXT = st.one_of(EVIL_TEXT, st.text(st.characters(), min_size=1, max_size=40))


def read_by(text: str) -> str:
    """What a reader must see of running text that has no hidden characters, worked out without the module."""
    words = text.split()
    return (
        " ".join("\u25cc" + word if unicodedata.category(word[0])[0] == "M" else word for word in words)
        or "\u2423"
    )


def seen_as(text: str, visible: str, context: str, options: int = WITH_HTML) -> None:
    """The page differs from that of a harmless word in nothing but the word."""
    harmless = outline(render(CONTEXTS[context].replace("{}", PLACEHOLDER), options))
    expected = tuple((path, words.replace(PLACEHOLDER, visible)) for path, words in harmless)
    assert outline(render(CONTEXTS[context].replace("{}", text), options)) == expected


def nothing_alive(text: str, context: str) -> None:
    page = render(CONTEXTS[context].replace("{}", text))
    assert references(page) == []
    assert not [run for run in runs(page) if run.inert and re.search("before|after|more|next", run.text)]


def decoded(markdown: str) -> str:
    return html.unescape(re.sub("</?code>|<!-- -->", "", markdown))


@pytest.mark.parametrize(("text", "visible"), EVIL)
def test_evil_text_shows_as_itself_and_does_nothing(text: str, visible: str) -> None:
    for context in CONTEXTS:
        seen_as(inline(text), visible, context)
        seen_as(inline(text), visible, context, WITHOUT_HTML)
        nothing_alive(inline(text), context)


@pytest.mark.parametrize("text", [text for text, _ in EVIL])
def test_evil_text_in_code_does_nothing_either(text: str) -> None:
    for context in CONTEXTS:
        seen_as(code(text), decoded(code(text)), context)
        nothing_alive(code(text), context)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays_as_it_was_even_in_the_source(text: str) -> None:
    assert inline(text) == text
    assert code(text) == f"<code>{text}</code>"


@settings(deadline=None, max_examples=200)
@given(EVIL_TEXT, st.sampled_from(sorted(CONTEXTS)))
def test_no_composition_of_signs_escapes(text: str, context: str) -> None:
    seen_as(inline(text, limit=10_000), read_by(text), context)
    seen_as(inline(text, limit=10_000), read_by(text), context, WITHOUT_HTML)
    nothing_alive(inline(text, limit=10_000), context)


@settings(deadline=None, max_examples=200)
@given(EVIL_TEXT, st.sampled_from(sorted(CONTEXTS)))
def test_no_composition_of_signs_breaks_out_of_code(text: str, context: str) -> None:
    shown = code(text, limit=10_000)
    seen_as(shown, decoded(shown), context)
    nothing_alive(shown, context)
    page = runs(render(CONTEXTS[context].replace("{}", shown)))
    assert "".join(run.text for run in page if run.inert).startswith(decoded(shown))


@settings(deadline=None)
@given(ANY_TEXT, st.integers(1, 30), st.sampled_from(sorted(CONTEXTS)))
def test_any_text_cut_anywhere_is_whole_harmless_and_within_its_limit(
    text: str, limit: int, context: str
) -> None:
    for shown in (inline(text, limit=limit), code(text, limit=limit)):
        visible = decoded(shown)
        assert 1 <= len(visible) <= limit
        seen_as(shown, visible, context)
        nothing_alive(shown, context)


@settings(deadline=None)
@given(st.text(st.characters(), max_size=30))
def test_no_hidden_character_remains_unless_its_neighbours_give_it_a_meaning(text: str) -> None:
    for shown in (inline(text), code(text), block(text).replace("\n", "")):
        hidden = {char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
        # Arabic, Syriac and Kaithi signs are format characters that can be seen; the joiners are examined apart.
        visible = set(
            "\t\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
        )
        assert hidden <= visible


@settings(deadline=None)
@given(st.text(st.sampled_from("ab\u3164\u200b\u202e\ufe0f\U000e0061\x07"), min_size=1, max_size=20))
def test_hidden_characters_are_replaced_one_by_one_and_never_dropped(text: str) -> None:
    pieces = ["\u2407" if c == "\x07" else c if c in "ab" else f"\u27e8U+{ord(c):04X}\u27e9" for c in text]
    assert decoded(inline(text, limit=1000)) == "".join(pieces)
    assert decoded(code(text, limit=1000)) == "".join(pieces)


def test_a_joiner_or_selector_out_of_place_is_shown() -> None:
    assert inline("q\u200d1") == "q\u27e8U+200D\u27e91"
    assert inline("a\ufe0f") == "a\u27e8U+FE0F\u27e9"
    assert inline("1\ufe0f2") == "1\u27e8U+FE0F\u27e92"
    assert inline("\u2764\ufe0f\ufe0f") == "\u2764\ufe0f\u27e8U+FE0F\u27e9"


def test_nothing_at_all_shows_as_nothing_in_a_sentence_and_as_a_sign_in_code() -> None:
    assert inline("") == ""
    assert inline(" \n") == "\u2423"
    assert code("") == "<code>\u2205</code>"


def test_code_shows_the_spaces_that_would_be_overlooked() -> None:
    assert code(" a b  ") == "<code>\u2423a b\u2423\u2423</code>"
    assert code("a\xa0b\u3000") == "<code>a\u2423b\u2423</code>"
    assert code("a\tb\r\nc") == "<code>a\u2409b\u240d\u240ac</code>"


def test_long_text_ends_in_an_ellipsis_and_never_in_half_a_reference_or_character() -> None:
    assert inline("&" * 9, limit=4) == "&amp;&amp;&amp;\u2026"
    assert code("<" * 9, limit=3) == "<code>&lt;&lt;\u2026</code>"
    assert inline("a\u0301" * 5, limit=4) == "a\u0301\u2026"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert inline(f"a{family}b", limit=5) == "a\u2026"
    assert inline("x" * 120) == "x" * 120
    assert code("x" * 81) == f"<code>{'x' * 79}\u2026</code>"


def test_text_beyond_what_is_looked_at_is_said_to_be_there() -> None:
    assert inline("a" + " " * 1000 + "b", limit=10) == "a \u2026"
    assert inline(" " * 1000, limit=10) == "\u2026"
    assert code("a" * 1000, limit=3) == "<code>aa\u2026</code>"


def test_what_the_cut_leaves_of_a_mention_is_still_inert() -> None:
    assert inline("for @octocat", limit=8) == "for <code>@oc\u2026</code>"


def test_an_address_is_parted_by_a_comment_so_that_a_copy_holds_no_foreign_character() -> None:
    assert code("me@a.b") == "<code>me<!-- -->@a.b</code>"
    assert inline("https://www.a.b") == "<code>https:<!-- -->//www<!-- -->.a.b</code>"
    assert inline("recall_all@5 @me") == "recall_all@5 <code>@me</code>"


BLOCKS = [
    ("plain\ntext", "plain\ntext\n"),
    ("```\n@octocat #1\n````", "```\n@octocat #1\n````\n"),
    ("~~~\n</pre><h1>x</h1>", "~~~\n</pre><h1>x</h1>\n"),
    ("a\r\nb\r\n", "a\nb\n"),
    ("a\rb\x00\tc\u2028d", "a\u240db\u2400\tc\u27e8U+2028\u27e9d\n"),
    ("\n\n  x\n\n", "\n\n  x\n\n"),
    ("    ```", "    ```\n"),
]


@pytest.mark.parametrize(("text", "visible"), BLOCKS)
def test_a_block_holds_any_text_and_ends_where_it_should(text: str, visible: str) -> None:
    page = render(f"before\n\n{block(text)}\n\nafter")
    shown = [run.text for run in runs(page) if "pre" in run.path]
    assert "".join(shown) == visible
    assert [run.text for run in runs(page) if run.path[-1] == "p"] == ["before", "after"]
    assert references(page) == []


def test_an_empty_block_is_a_block() -> None:
    assert block("") == "```\n\n```"


@settings(deadline=None)
@given(ANY_TEXT)
def test_no_text_breaks_out_of_its_block(text: str) -> None:
    page = render(f"before\n\n{block(text)}\n\nafter")
    assert [run.text for run in runs(page) if run.path[-1] == "p"] == ["before", "after"]
    assert {run.path[-1] for run in runs(page)} == {"DOCUMENT_FRAGMENT", "p", "pre"}
    assert references(page) == []
