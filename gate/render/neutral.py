"""Untrusted text made harmless in GitHub's Markdown, and still readable.

One rule for every place a renderer writes to: paragraph, table cell, list item, heading, quotation, alert,
link text, ``<summary>`` and ``<sub>``. Inside the last two Markdown's own escapes and backticks are shown as
they stand, so only what HTML knows as well is used: character references and ``<code>``.

Character references disarm Markdown's and HTML's signs, but not what GitHub looks for in the rendered text:
mentions, references to issues and commits, emoji codes, mathematics. For these an escaped ``@`` is an ``@``.
GitHub leaves the inside of ``code`` alone, so a word that could be one of them stands in ``<code>``. The
parser itself, however, links addresses even there (it takes ``<code>`` for a tag like any other), so a
comment, which leaves no character behind when somebody copies the text, parts the address. Zero-width
characters, the usual trick, would corrupt copied ids.

Not for the attributes of tags, link targets, or titles that are not Markdown. A repository's own autolink
prefixes (``TICKET-12``) are configured by its administrators and stay alive.
"""

import re
import unicodedata
from collections.abc import Callable

from gate.render.fitting import ELLIPSIS, cut_chars
from gate.render.visible import reveal, reveal_spaces

_EMPTY = "\u2205"
_BLANK = "\u2423"
_DOTTED_CIRCLE = "\u25cc"
_SEAM = "<!-- -->"
_WINDOW = 16

# An underscore between letters or digits never emphasises; snake_case stays readable in the source too.
_SIGN = re.compile(r"[&<>*`\[\]|\\~$#]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
# What else makes a line a list, a rule, an underlined heading or a table, but only at its beginning.
_BEFORE_BLOCK_SIGN = re.compile(r"\d+(?=[.)]$)|(?=[-+=:]+$)")
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}

# A word GitHub could turn into a link, a notification, a picture or a formula. Generous: <code> does no harm.
_LIVE = re.compile(
    r"""
      (?<![0-9a-z])@                                # mention; a letter or digit before it makes it none
    | @\S*\.[0-9a-z]                                # mail address
    | [#]\d | (?<![0-9a-z])gh-\d                    # issue, pull request, discussion
    | (?<![0-9a-z_])[0-9a-f]{7,}(?![0-9a-z_])       # commit
    | @[0-9a-f]{7}                                  # commit of a repository
    | (?<![0-9a-z])(?:ghsa-|cve-\d)                 # advisory
    | :// | www\. | (?:mailto|xmpp):                # address
    | :[0-9a-z_+-]+:                                # emoji
    | \$                                            # formula
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_SEAMS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@\S*\.[0-9a-z])", re.IGNORECASE)
_FENCES = re.compile(r"`+")


def inline(text: str, *, limit: int = 120) -> str:
    """The text as running Markdown that means nothing but itself; ``limit`` counts visible characters.

    White space, line ends included, becomes single spaces; hidden characters become visible signs; what is
    too long ends in an ellipsis. ``recall_all@5`` and ``src/search/rank.py`` come out as they are.
    """
    spaced = " ".join(_beginning(text, limit).split())
    words = " ".join(_grounded(word) for word in reveal(spaced).split(" "))
    if not words:
        return _BLANK if text else ""
    first, *rest = cut_chars(words, limit).split(" ")
    return " ".join([_shown(first, _first_escaped), *(_shown(word, _escaped) for word in rest)])


def code(text: str, *, limit: int = 80) -> str:
    """The text as inline code nothing can break out of; ``limit`` counts visible characters.

    For identifiers: every control character and every space that could be overlooked is shown by a sign.
    """
    visible = reveal_spaces(reveal(_beginning(text, limit)))
    return _in_code(cut_chars(_grounded(visible), limit) or _EMPTY)


def block(text: str) -> str:
    """The text as a fenced block at the beginning of a line, without a final line end.

    Line ends and tabs stay, other control characters are shown by signs. It has no limit: shorten the report
    instead.
    """
    body = reveal(text.replace("\r\n", "\n"), keep="\n\t").removesuffix("\n")
    longest = max(map(len, _FENCES.findall(body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{body}\n{fence}"


def _beginning(text: str, limit: int) -> str:
    """Enough of the text to fill the limit: a line of twenty megabytes is not read for eighty characters."""
    enough = _WINDOW * limit
    return text if len(text) <= enough else text[:enough] + ELLIPSIS


def _grounded(word: str) -> str:
    """A mark with no letter before it would sit on whatever the renderer wrote: it gets its own circle."""
    return _DOTTED_CIRCLE + word if word and unicodedata.category(word[0]).startswith("M") else word


def _shown(word: str, escape: Callable[[str], str]) -> str:
    return _in_code(word) if _LIVE.search(word) else escape(word)


def _in_code(word: str) -> str:
    return f"<code>{_SEAM.join(map(_escaped, _SEAMS.split(word)))}</code>"


def _first_escaped(word: str) -> str:
    """The first word may stand at the beginning of a line."""
    before = _BEFORE_BLOCK_SIGN.match(word)
    if not before:
        return _escaped(word)
    at = before.end()
    return word[:at] + _reference(word[at]) + _escaped(word[at + 1 :])


def _escaped(text: str) -> str:
    return _SIGN.sub(lambda sign: _reference(sign[0]), text)


def _reference(char: str) -> str:
    return _NAMED.get(char, f"&#{ord(char)};")
