"""Which changed files can affect retrieval."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from gate.core.plan import Watched

PRESETS: Final = {
    "gbrain": (
        "src/core/search/",
        "src/core/embedding.ts",
        "src/core/chunkers/",
        "src/core/ai/recipes/anthropic.ts",
        "src/core/ai/recipes/openai.ts",
        "src/core/operations.ts",
    ),
}
"""Named watch lists: a pattern that ends in a slash means everything below it."""


def watched(patterns: Sequence[str], changed: Sequence[str] | None) -> Watched:
    """What of the changed files is watched; None = what changed could not be told, so everything applies."""
    if changed is None:
        return Watched(patterns=tuple(patterns))
    matched = tuple(path for path in changed if matches(patterns, path))
    return Watched(patterns=tuple(patterns), changed=len(changed), matched=matched)


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether a repository-relative path is watched: `*` within a folder, `**` across folders, `dir/` below it."""
    return any(_regex(pattern).fullmatch(path) for pattern in patterns)


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    whole = f"{pattern}**" if pattern.endswith("/") else pattern
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", whole)
    return re.compile("".join(_WILDCARDS.get(part, re.escape(part)) for part in parts), re.DOTALL)


_WILDCARDS: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
