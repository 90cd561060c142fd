"""Cells of a Markdown table as gbrain splits and writes them."""

import re
from typing import Final

JS_SPACE: Final = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ECMAScript's trim removes (ECMA-262 §22.1.3.32): not quite what Python's strip does."""

_PIPE: Final = re.compile(r"(?<!\\)\|")


def trimmed(text: str) -> str:
    """The text without the white space at its ends, as ECMAScript understands white space."""
    return text.strip(JS_SPACE)


def row_cells(line: str) -> list[str] | None:
    """The trimmed cells of a trimmed line between its outer pipes; None when it is no row of a table.

    `\\|` is a pipe inside a cell; every other backslash stays.
    """
    if not line.startswith("|") or "|" not in line[1:]:
        return None
    inner = line[1:-1] if line.endswith("|") else line[1:]
    if "\\" not in inner:
        return [cell.strip(JS_SPACE) for cell in inner.split("|")]
    return [trimmed(cell.replace("\\|", "|")) for cell in _PIPE.split(inner)]


def escaped(text: str) -> str:
    """The text as it stands in a cell."""
    return text.replace("|", "\\|")
