"""Writes docs/metrics.md from the glossary; `--check` only says whether it is current."""

import sys
from pathlib import Path

from gate.core.glossary import GROUPS, OWN, Entry

PAGE = Path(__file__).with_name("metrics.md")

INTRODUCTION = """\
# Metrics

What the metrics mean that the gate knows by name, and which direction is better. `name@10` is looked up as
`name@10` first and as `name@k` after that.

Any other numeric or boolean field of your rows is a metric too. Its direction comes from `metrics:` in
`eval-gate.yml` (`better: higher` or `better: lower`). Without a declaration, names that end in `_ms`,
`_seconds`, `_usd`, `error_rate` or `_errors`, and names that begin with `latency`, are better when lower; of
all others the gate does not guess a direction.

This page is written by `python docs/generate_metrics.py`; change `gate/core/glossary.py` instead.
"""

DIRECTIONS = {"higher": "higher", "lower": "lower", None: "–"}


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for group in (*GROUPS, OWN):
        rows = [row(name, entry) for name, entry in group.entries.items()]
        table = [
            "| metric | name | what it says | range | better | unit |",
            "|:--|:--|:--|:--|:--|:--|",
            *rows,
        ]
        parts.append(f"## {group.title}\n\n" + "\n".join(table) + "\n")
    return "\n".join(parts)


def row(name: str, entry: Entry) -> str:
    """One line of a table."""
    cells = (f"`{name}`", entry.term, entry.text, entry.range, DIRECTIONS[entry.better], entry.unit or "–")
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Write the page, or say that it is not current (exit code 1)."""
    if "--check" not in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    return 0 if PAGE.read_text(encoding="utf-8") == page() else 1


if __name__ == "__main__":
    sys.exit(main())
