"""Whose rules decide on a pull request: those of the base's tree; what it would change is shown, not obeyed."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.core.plan import PolicyChange
from gate.core.records.ecmascript import json_text

PROPOSED: Final = ("suites", "system")
"""What a pull request may bring itself: what is measured and how it is reached. All else is policy."""

JUDGEMENT: Final[Mapping[str, tuple[str, ...]]] = {
    "replay": ("against", "thresholds"),
    "brainbench": ("baseline", "allow-regression"),
    "takes-quality": (
        *("models", "cassette", "rubric", "prices", "cycles", "cycle-policy"),
        *("min-alpha", "max-sd", "max-range", "evidence"),
        *("slug-prefix", "inactive", "deleted-pages", "limit", "seed", "strata", "batches"),
    ),
}
"""Suites that judge their own run, and by which of their keys: these are policy, wherever they stand."""

_Suite = Mapping[str, object]


def judged_by_base(
    base: Mapping[str, object], proposed: Mapping[str, object]
) -> tuple[dict[str, object], tuple[PolicyChange, ...]]:
    """The configuration that decides, and every place where the pull request's own differs from it."""
    deciding = {key: value for key, value in base.items() if key not in PROPOSED}
    deciding |= {key: proposed[key] for key in PROPOSED if key in proposed}
    if "suites" in proposed or _judging(base):
        deciding["suites"] = _deciding_suites(base, proposed)
    return deciding, (
        *_changes("", _policy(base), _policy(proposed)),
        *_changes("suites", _judgements(base, base), _judgements(proposed, base)),
    )


def _deciding_suites(base: Mapping[str, object], proposed: Mapping[str, object]) -> list[_Suite]:
    """What the pull request measures, and every suite of the base that judges itself, judged as the base says."""
    judging = _judging(base)
    measured = [_as_judged(judging.pop(_key(suite), None), suite) for suite in _suites(proposed)]
    return [*measured, *judging.values()]


def _suites(document: Mapping[str, object]) -> tuple[_Suite, ...]:
    listed = document.get("suites")
    return tuple(suite for suite in listed if isinstance(suite, Mapping)) if isinstance(listed, list) else ()


def _key(suite: _Suite) -> tuple[object, object]:
    """What makes it the same suite on both sides: its kind and its name."""
    return suite.get("suite"), suite.get("name", suite.get("suite"))


def _judging(document: Mapping[str, object]) -> dict[tuple[object, object], _Suite]:
    return {_key(suite): suite for suite in _suites(document) if suite.get("suite") in JUDGEMENT}


def _as_judged(base: _Suite | None, proposed: _Suite) -> _Suite:
    if base is None:
        return proposed
    keys = JUDGEMENT[str(base["suite"])]
    measured = {key: value for key, value in proposed.items() if key not in keys}
    return measured | {key: base[key] for key in keys if key in base}


def _judgements(document: Mapping[str, object], base: Mapping[str, object]) -> dict[str, object]:
    """How the suites of the base judge themselves, by name, as a configuration has it."""
    return {
        str(key[1]): {word: suite[word] for word in JUDGEMENT[str(key[0])] if word in suite}
        for key, suite in _judging(document).items()
        if key in _judging(base)
    }


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
