"""What GitHub makes of Markdown, as far as it can be had here: cmark-gfm, an HTML parser, and a model of the
filters that look for mentions and references in the rendered text."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import cmarkgfm
import html5lib
from cmarkgfm.cmark import Options

# GitHub lets HTML through and cleans it afterwards; the second way is what a stricter host would do.
WITH_HTML = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
WITHOUT_HTML = Options.CMARK_OPT_FOOTNOTES

CONTEXTS = {
    "paragraph": "{}",
    "sentence": "before {} after",
    "bold": "**{}**",
    "second line": "text\n{}",
    "line under a table": "| a |\n|---|\n| b |\n\n{}\n",
    "table cell": "| a | b |\n|---|--:|\n| {} | 1 |\n| 2 | {} |",
    "list item": "- {}\n- next",
    "numbered item": "1. {}\n2. next",
    "heading": "## {}\n\ntext",
    "heading in the middle": "## about {} and more",
    "quotation": "> {}\n> more",
    "alert": "> [!NOTE]\n> {}",
    "link text": "[{}](https://example.org)",
    "summary": "<details><summary>{}</summary>\n\ntext {}\n\n</details>",
    "summary on its own line": "<details>\n<summary>{}</summary>\n\ntext\n</details>",
    "small print": "<sub>{} \u00b7 {}</sub>",
}

_INERT = frozenset({"a", "code", "pre", "tt", "script", "style"})
_WORD = "0-9A-Za-z_"
FILTERS = {
    "mention": rf"(?<![{_WORD}])@[0-9A-Za-z]",
    "issue": r"(?<!\w)#\d|[0-9A-Za-z-]+(?:/[0-9A-Za-z._-]+)?#\d",
    "GH-number": rf"(?<![{_WORD}])(?i:gh)-\d",
    "commit": rf"(?<![{_WORD}])[0-9a-fA-F]{{7,40}}(?![{_WORD}])",
    "commit of a repository": rf"[{_WORD}.-]+@[0-9a-f]{{7,}}",
    "address": r"(?i)\b(?:https?|ftp)://|\bwww\.[^\s]|(?:mailto|xmpp):\S",
    "mail": rf"[{_WORD}.+-]+@[{_WORD}-]+\.[0-9A-Za-z]",
    "emoji": r":[0-9a-z_+-]+:",
    "formula": r"\$",
    "advisory": r"(?i)\bGHSA-\w|\bCVE-\d",
}


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text and the elements around it, outermost first, ``code`` left out of the path."""

    path: tuple[str, ...]
    text: str
    inert: bool


def render(markdown: str, options: int = WITH_HTML) -> str:
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown, options))


@lru_cache(maxsize=256)
def runs(html: str) -> tuple[Run, ...]:
    """The text of a page in order; comments leave nothing, and text that then touches is one run."""
    tree = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    merged: list[Run] = []
    for run in _walk(tree, ()):
        last = merged[-1] if merged else None
        if last and (last.path, last.inert) == (run.path, run.inert):
            merged[-1] = Run(run.path, last.text + run.text, run.inert)
        elif run.text or not last:
            merged.append(run)
    return tuple(merged)


def outline(html: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Elements and text, whether in ``code`` or not: equal outlines mean that only the words differ."""
    joined: list[tuple[tuple[str, ...], str]] = []
    for run in runs(html):
        if joined and joined[-1][0] == run.path:
            joined[-1] = (run.path, joined[-1][1] + run.text)
        else:
            joined.append((run.path, run.text))
    return tuple(joined)


def references(html: str) -> list[str]:
    """What GitHub's filters would turn into something else: the filter's name and the text it found."""
    return [
        f"{name}: {found[0]!r} in {run.text!r}"
        for run in runs(html)
        if not run.inert
        for name, pattern in FILTERS.items()
        if (found := re.search(pattern, run.text))
    ]


def _walk(element: ET.Element, path: tuple[str, ...], *, inert: bool = False) -> Iterator[Run]:
    if callable(element.tag):  # how html5lib marks a comment
        return
    attributes = "".join(f"[{name}={value}]" for name, value in sorted(element.attrib.items()))
    here = path if element.tag == "code" else (*path, element.tag + attributes)
    inert = inert or element.tag in _INERT
    yield Run(here, element.text or "", inert)
    for child in element:
        yield from _walk(child, here, inert=inert)
        yield Run(here, child.tail or "", inert)
