"""The pieces of a Markdown report: folded sections, lists, small print."""

from collections.abc import Iterable


def folded(summary: str, body: str) -> str:
    """A folded section; nothing where there is nothing to fold."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>" if body else ""


def listing(lines: Iterable[str]) -> str:
    """A list; a single entry is a paragraph."""
    entries = list(lines)
    return entries[0] if len(entries) == 1 else "\n".join(f"- {line}" for line in entries)


def small(text: str) -> str:
    """Small print, on one line."""
    return f"<sub>{text}</sub>"


def blocks(*parts: str) -> str:
    """Blocks one below the other, empty ones left out."""
    return "\n\n".join(part for part in parts if part)


def capital(text: str) -> str:
    """A sentence that begins with a word of ours, with a capital letter."""
    return text[:1].upper() + text[1:]
