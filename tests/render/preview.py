"""A page that shows the comments as a reviewer would see them: `python -m tests.render.preview FILE.html [NAME…]`.

For developers, in a browser. GitHub's alerts are no part of cmark-gfm, so the page draws them itself.
"""

import re
import sys
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from gate.render.comment import comment
from gate.render.summary import summary
from tests.render.scenarios import SCENARIOS

_COLOURS = {
    "NOTE": "#0969da",
    "TIP": "#1a7f37",
    "IMPORTANT": "#8250df",
    "WARNING": "#9a6700",
    "CAUTION": "#d1242f",
}
_STYLE = """
body { background: #f6f8fa; margin: 24px; font: 14px/1.5 "Noto Sans", "Segoe UI", Helvetica, Arial, sans-serif; }
.box { width: 838px; margin: 0 auto 28px; border: 1px solid #d1d9e0; border-radius: 6px; background: #fff; }
.head { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; color: #59636e; }
.body { padding: 16px; color: #1f2328; word-wrap: break-word; }
.body > :first-child { margin-top: 0; } .body > :last-child { margin-bottom: 0; }
p, table, ul, blockquote, pre, details { margin: 0 0 16px; }
ul { padding-left: 2em; } li + li { margin-top: .25em; }
table { border-collapse: collapse; display: block; width: max-content; max-width: 100%; overflow: auto;
  font-variant: tabular-nums; }
th, td { padding: 6px 13px; border: 1px solid #d1d9e0; } th { font-weight: 600; }
tr:nth-child(2n) { background: #f6f8fa; }
code { background: #818b981f; border-radius: 6px; padding: .2em .4em;
  font: 85% "Liberation Mono", "DejaVu Sans Mono", monospace; }
pre { background: #f6f8fa; padding: 16px; border-radius: 6px; overflow: auto; }
pre code { background: none; padding: 0; }
blockquote { padding: 8px 16px; border-left: 4px solid; } blockquote p { margin: 0; color: #1f2328; }
sub { font-size: 75%; color: #59636e; vertical-align: baseline; } summary { cursor: pointer; }
"""
_ALERT = re.compile(r"<blockquote>\n<p>\[!(\w+)\]\n?")


def page(names: list[str]) -> str:
    """Every named scenario as a comment; "summary" is the job summary of the first of them."""
    boxes = [_box(name, _markdown(name)) for name in names]
    return f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>{''.join(boxes)}"


def _markdown(name: str) -> str:
    return summary(next(iter(SCENARIOS.values()))()) if name == "summary" else comment(SCENARIOS[name]())


def _box(title: str, markdown: str) -> str:
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)
    return f'<div class="box"><div class="head">{title}</div><div class="body">{_ALERT.sub(_alert, html)}</div></div>'


def _alert(found: re.Match[str]) -> str:
    name = found[1]
    colour = _COLOURS[name]
    return (
        f'<blockquote style="border-color:{colour}"><p style="color:{colour};font-weight:500;margin-bottom:8px">'
        f"{name.capitalize()}</p><p>"
    )


def main() -> None:
    """Write the page."""
    target, *names = sys.argv[1:]
    Path(target).write_text(page(names or [*SCENARIOS, "summary"]), encoding="utf-8")


if __name__ == "__main__":
    main()
