"""Whose rules decide on a pull request: those of the base's tree; what it would change is shown, not obeyed."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.core.plan import PolicyChange
from gate.core.records.ecmascript import json_text

PROPOSED: Final = ("suites", "system")
"""What a pull request may bring itself: what is measured and how it is reached. All else is policy."""


def judged_by_base(
    base: Mapping[str, object], proposed: Mapping[str, object]
) -> tuple[dict[str, object], tuple[PolicyChange, ...]]:
    """The configuration that decides, and every place where the pull request's own differs from it."""
    deciding = {key: value for key, value in base.items() if key not in PROPOSED}
    deciding |= {key: proposed[key] for key in PROPOSED if key in proposed}
    return deciding, tuple(_changes("", _policy(base), _policy(proposed)))


def _policy(document: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in document.items() if key not in PROPOSED}


def _changes(place: str, base: object, proposed: object) -> Iterator[PolicyChange]:
    """Leaf by leaf through mappings; a list that differs is one change, since its items have no names."""
    if isinstance(base, Mapping) and isinstance(proposed, Mapping):
        for key in sorted(base.keys() | proposed.keys()):
            inner = f"{place}.{key}" if place else str(key)
            yield from _changes(inner, base.get(key, _ABSENT), proposed.get(key, _ABSENT))
    elif isinstance(base, list) and isinstance(proposed, list):
        yield from _list_changes(place, base, proposed)
    elif base != proposed or type(base) is not type(proposed):
        yield PolicyChange(place=place, base=_shown(base), proposed=_shown(proposed))


def _list_changes(place: str, base: list[object], proposed: list[object]) -> Iterator[PolicyChange]:
    gone = [item for item in base if item not in proposed]
    new = [item for item in proposed if item not in base]
    for item in gone:
        yield PolicyChange(place=place, base=_shown(item), proposed=None)
    for item in new:
        yield PolicyChange(place=place, base=None, proposed=_shown(item))
    if not gone and not new and base != proposed:
        yield PolicyChange(place=place, base=_shown(base), proposed=_shown(proposed))


_ABSENT: Final = object()


def _shown(value: object) -> str | None:
    return None if value is _ABSENT else json_text(value)
