"""From broken schema keywords to findings a person can act on: typos, and the alternative that was meant."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gate.core.wording import Path, either, found, key_text, named, nearest, type_words

_MOST_KEYS_LISTED: Final = 20
_ANOTHER_KIND: Final = 100
_ANOTHER_TYPE: Final = 1000
_KEYWORDS: Final = {
    "pattern": "text that matches {}",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "text of at least {} characters",
    "maxLength": "text of at most {} characters",
    "minItems": "a list of at least {}",
    "maxItems": "a list of at most {}",
    "uniqueItems": "a list without repetitions",
    "minProperties": "a mapping with at least {} keys",
    "maxProperties": "a mapping with at most {} keys",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """A schema keyword that a value breaks; `limit` is the keyword's own value in the schema."""

    keyword: str
    limit: Any
    value: Any
    schema: Mapping[str, Any]
    path: Path
    depth: int
    """How many steps below the value that the surrounding schema speaks about."""
    of_key: bool
    """True where it is a mapping's key that is wrong, not a value."""
    branch: str | int
    """Which alternative of the surrounding keyword it belongs to."""
    children: tuple["Violation", ...]
    """What each alternative of anyOf or oneOf finds wrong."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem before it is sorted; `missing` and `meant` are keys, so that a typo is reported once."""

    path: Path
    message: str
    missing: tuple[str, ...] = ()
    meant: str | None = None


def findings(violation: Violation) -> Iterable[Finding]:
    """What to tell about a violation: one finding for each thing that is to be corrected."""
    match violation.keyword:
        case "required":
            return _missing(violation, violation.limit)
        case "dependentRequired":
            given = [needs for key, needs in violation.limit.items() if key in violation.value]
            return _missing(violation, [key for needs in given for key in needs])
        case "additionalProperties":
            return _unknown_keys(violation)
        case "anyOf" | "oneOf":
            return _of_alternatives(violation)
        case _ if violation.of_key:
            return (Finding((*violation.path, violation.value), f"as a key: {_message(violation)}"),)
        case _:
            return (Finding(violation.path, _message(violation)),)


def _missing(violation: Violation, required: Iterable[str]) -> Iterator[Finding]:
    for key in required:
        if key not in violation.value:
            yield Finding(violation.path, f"missing key {key_text(key)}", missing=(key,))


def _unknown_keys(violation: Violation) -> Iterator[Finding]:
    known = sorted(violation.schema.get("properties", ()))
    for key in _extra_keys(violation):
        meant = nearest(key, [name for name in known if name not in violation.value])
        message = f"unknown key {key_text(key)}"
        if meant is not None:
            message += f"; did you mean {key_text(meant)}?"
        else:
            message += _valid_keys(violation.schema, known)
        yield Finding((*violation.path, key), message, meant=meant)


def _valid_keys(schema: Mapping[str, Any], known: Sequence[str]) -> str:
    title = f" in {schema['title']}" if "title" in schema else ""
    return f"{title}; valid here: {named(known)}" if 0 < len(known) <= _MOST_KEYS_LISTED else title


def _extra_keys(violation: Violation) -> list[str]:
    known = violation.schema.get("properties", {})
    patterns = violation.schema.get("patternProperties", {})
    return [
        key
        for key in violation.value
        if key not in known and not any(re.search(pattern, key) for pattern in patterns)
    ]


def _message(violation: Violation) -> str:
    if violation.keyword in ("enum", "const"):
        return _not_a_choice(_choices(violation), violation.value, violation.path)
    return f"expected {_expected(violation)}, found {_found(violation)}"


def _expected(violation: Violation) -> str:
    """The subschema's own words where it has some, else the keyword's."""
    title = violation.schema.get("title")
    if violation.keyword == "type":
        return _type_with_title(violation.limit, () if title is None else (str(title),))
    if title is not None:
        return str(title)
    words = _KEYWORDS.get(violation.keyword, "something else ({})")
    return words.format(found(violation.limit))


def _type_with_title(types: str | Sequence[str], titles: Iterable[str]) -> str:
    words, title = type_words(types), either(titles)
    if not title:
        return words
    return f"{title} ({words})" if types == "object" and not title.startswith(words) else title


def _found(violation: Violation) -> str:
    if violation.keyword == "uniqueItems":
        return f"{found(_repeated(violation.value), violation.path)} more than once"
    shown = found(violation.value, violation.path)
    unquoted = violation.limit == "string" and isinstance(violation.value, int | float)
    return f"{shown} (text goes in quotes)" if unquoted else shown


def _repeated(items: Sequence[object]) -> object:
    return next(item for index, item in enumerate(items) if item in items[:index])


def _choices(violation: Violation) -> list[object]:
    return list(violation.limit) if violation.keyword == "enum" else [violation.limit]


def _not_a_choice(choices: Sequence[object], value: object, path: Path) -> str:
    expected = found(choices[0]) if len(choices) == 1 else f"one of {', '.join(map(found, choices))}"
    meant = _nearest_choice(choices, value)
    hint = f"; did you mean {found(meant)}?" if meant is not None and len(choices) > 1 else ""
    return f"expected {expected}, found {found(value, path)}{hint}"


def _nearest_choice(choices: Sequence[object], value: object) -> str | None:
    texts = [choice for choice in choices if isinstance(choice, str)]
    return nearest(value, texts) if isinstance(value, str) else None


def _of_alternatives(violation: Violation) -> Iterable[Finding]:
    """The findings of the one alternative that was meant, not of all of them."""
    keys = _one_key_each(violation.limit)
    if keys and isinstance(violation.value, dict):
        return (_one_of_keys(violation, keys),)
    branches = _branches(violation.children)
    if not branches:
        return (Finding(violation.path, "fits more than one of the alternatives, and may fit only one"),)
    return _of_unknown_kind(violation.path, branches) or _of_nearest(violation, branches)


def _branches(children: Iterable[Violation]) -> list[list[Violation]]:
    """What is wrong by alternative; of a value of another type nothing else is said."""
    alternatives: dict[str | int, list[Violation]] = {}
    for child in children:
        alternatives.setdefault(child.branch, []).append(child)
    return [[c for c in branch if _another_type(c)] or branch for branch in alternatives.values()]


def _one_key_each(alternatives: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys of alternatives that do nothing but ask for one key each; else none."""
    if not all(list(alternative) == ["required"] for alternative in alternatives):
        return []
    return [key for alternative in alternatives for key in alternative["required"]]


def _one_of_keys(violation: Violation, keys: Sequence[str]) -> Finding:
    given = [key_text(key) for key in keys if key in violation.value]
    amount = "exactly" if violation.keyword == "oneOf" else "at least"
    said = " and ".join(given) if given else "none of them"
    message = f"expected {amount} one of {named(keys)}, found {said}"
    return Finding(violation.path, message, missing=() if given else tuple(keys))


def _of_unknown_kind(path: Path, branches: Sequence[Sequence[Violation]]) -> list[Finding]:
    """Where a key that tells the alternatives apart has a value that none of them knows."""
    kinds = [{child.path[-1]: child for child in branch if _tells_kind(child)} for branch in branches]
    told = []
    for key in sorted(set(kinds[0]).intersection(*kinds), key=str):
        value, where = kinds[0][key].value, (*path, key)
        choices = [choice for kind in kinds for choice in _choices(kind[key])]
        told.append(Finding(where, _not_a_choice(choices, value, where)))
        meant = _nearest_choice(choices, value)
        told.extend(
            _besides_kind([b for b, k in zip(branches, kinds, strict=True) if meant in _choices(k[key])])
        )
        if meant is None:
            told.extend(_besides_kind(branches))
    return told


def _besides_kind(branches: Sequence[Sequence[Violation]]) -> set[Finding]:
    """What else is wrong whichever of these alternatives is meant."""
    others = [
        {f for child in branch if not _tells_kind(child) for f in findings(child)} for branch in branches
    ]
    return set.intersection(*others) if others else set()


def _another_type(child: Violation) -> bool:
    return child.keyword == "type" and not child.depth


def _tells_kind(child: Violation) -> bool:
    return child.keyword in ("const", "enum") and child.depth == 1


def _of_nearest(violation: Violation, branches: Sequence[Sequence[Violation]]) -> Iterable[Finding]:
    distances = [sum(map(_distance, branch)) for branch in branches]
    nearby = [b for b, distance in zip(branches, distances, strict=True) if distance == min(distances)]
    united = _united(violation, nearby) if len(nearby) > 1 else None
    return (united,) if united else [f for child in nearby[0] for f in findings(child)]


def _distance(child: Violation) -> int:
    """How far a value is from an alternative, by one of the things wrong with it."""
    if _another_type(child):
        return _ANOTHER_TYPE
    if _tells_kind(child):
        return _ANOTHER_KIND
    if child.keyword == "additionalProperties":
        known = child.schema.get("properties", ())
        return sum(2 if nearest(key, known) else 3 for key in _extra_keys(child))
    return 2 if child.keyword == "required" else 1


def _united(violation: Violation, branches: Sequence[Sequence[Violation]]) -> Finding | None:
    """One sentence for alternatives that are equally far: another type, or one key of several."""
    alone = [branch[0] for branch in branches if len(branch) == 1 and not branch[0].depth]
    if len(alone) < len(branches):
        return None
    if all(child.keyword == "type" for child in alone):
        expected = _either_type(alone)
        return Finding(violation.path, f"expected {expected}, found {_found(alone[0])}")
    if all(child.keyword == "required" for child in alone):
        keys = dict.fromkeys(key for child in alone for key in child.limit if key not in violation.value)
        message = f"expected one of the keys {named(keys)}, found none of them"
        return Finding(violation.path, message, missing=tuple(keys))
    return None


def _either_type(children: Sequence[Violation]) -> str:
    if all(child.limit == children[0].limit and "title" in child.schema for child in children):
        return _type_with_title(children[0].limit, [str(child.schema["title"]) for child in children])
    return either(map(_expected, children))
