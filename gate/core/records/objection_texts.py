"""Objections as a file of rows can hold them: never too many, never too long, and what is left out is told."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gate.core.records.objections import MAX_OBJECTIONS, MAX_TEXT, Objection

_MORE: Final = "…"


def fitted(objections: Sequence[Objection]) -> tuple[Objection, ...]:
    """As many as fit, each cut to its length; of the others the last one says how many they are."""
    short = tuple(
        replace(each, rule=_cut(each.rule), message=_cut(each.message)) for each in dict.fromkeys(objections)
    )
    if len(short) <= MAX_OBJECTIONS:
        return short
    kept, rest = short[: MAX_OBJECTIONS - 1], short[MAX_OBJECTIONS - 1 :]
    more = replace(rest[0], message=_cut(f"{rest[0].message} (and {len(rest) - 1} more)"))
    return (*kept, more)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + _MORE
