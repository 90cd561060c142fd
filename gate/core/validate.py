"""A document against a JSON Schema: every problem at once, each with its place, in plain words."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gate.core.records.strict_json import MAX_DEPTH, nested_deeper_than
from gate.core.violations import Finding, Violation, findings
from gate.core.wording import Path, place

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where ("" is the whole document), and what was expected and found."""

    place: str
    message: str


def problems(document: object, schema: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Every problem of a document under a 2020-12 schema, by place; none = it is valid.

    A subschema's `title` says in plain words what it expects. Nothing is fetched: a reference that the schema
    itself does not answer is an error of the schema.
    """
    return checker(schema)(document)


def checker(schema: Mapping[str, Any]) -> Callable[[object], tuple[Problem, ...]]:
    """The same for many documents under one schema, which is prepared once."""
    errors_of = _errors_of(schema)

    def check(document: object) -> tuple[Problem, ...]:
        if nested_deeper_than(document, MAX_DEPTH):
            return (Problem("", f"nested more than {MAX_DEPTH} levels deep"),)
        try:
            violations = [_violation(error) for error in errors_of(document)]
        except RecursionError:
            return (Problem("", "too deeply nested to be checked"),)
        return _in_order([finding for violation in violations for finding in findings(violation)])

    return check


def _in_order(found: Sequence[Finding]) -> tuple[Problem, ...]:
    """Each problem once, by place; a key is not also missing where a misspelt one stands for it."""
    meant = {(finding.path[:-1], finding.meant) for finding in found}
    kept = {
        (_order(finding.path), place(finding.path), finding.message)
        for finding in found
        if not any((finding.path, key) in meant for key in finding.missing)
    }
    return tuple(Problem(where, message) for _, where, message in sorted(kept))


def _order(path: Path) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)


def _errors_of(schema: Mapping[str, Any]) -> Callable[[Any], Iterable["ValidationError"]]:
    from referencing import Registry

    nothing_fetched: Registry[Any] = Registry()
    validator: Validator = _strict()(dict(schema), registry=nothing_fetched)
    return validator.iter_errors


@cache
def _strict() -> Callable[..., Any]:
    """The 2020-12 validator with patterns as ECMA-262 means them; made once, because it is slow to make."""
    from jsonschema import Draft202012Validator, validators

    extended: Callable[..., Any] = validators.extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]  # in the stubs
    return extended


def _pattern(_: "Validator", pattern: str, instance: object, __: object) -> Iterator["ValidationError"]:
    """The keyword as ECMA-262 means it: `$` is the end, not the place before a last line break."""
    from jsonschema.exceptions import ValidationError

    strict = re.sub(r"(?<!\\)\$$", r"\\Z", pattern)
    if isinstance(instance, str) and not re.search(strict, instance):
        yield ValidationError("does not match")


def _violation(error: "ValidationError") -> Violation:
    steps = tuple(error.absolute_schema_path)
    return Violation(
        keyword=str(error.validator),
        limit=error.validator_value,
        value=error.instance,
        schema=error.schema if isinstance(error.schema, Mapping) else {},
        path=tuple(error.absolute_path),
        depth=len(error.relative_path),
        of_key=len(steps) > 1 and steps[-2] == "propertyNames",
        branch=error.relative_schema_path[0] if error.relative_schema_path else 0,
        children=tuple(_violation(child) for child in error.context or ()),
    )
