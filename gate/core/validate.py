"""A document against a JSON Schema: every problem at once, each with its place, in plain words."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.core.records.strict_json import MAX_DEPTH, nested_deeper_than
from gate.core.violations import Violation, findings
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
    if nested_deeper_than(document, MAX_DEPTH):
        return (Problem("", f"nested more than {MAX_DEPTH} levels deep"),)
    try:
        found = [finding for violation in _violations(document, schema) for finding in findings(violation)]
    except RecursionError:
        return (Problem("", "too deeply nested to be checked"),)
    meant = {(finding.path[:-1], finding.meant) for finding in found}
    kept = {
        (_order(finding.path), place(finding.path), finding.message)
        for finding in found
        if not any((finding.path, key) in meant for key in finding.missing)
    }
    return tuple(Problem(where, message) for _, where, message in sorted(kept))


def _order(path: Path) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in path)


def _violations(document: object, schema: Mapping[str, Any]) -> Iterator[Violation]:
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry

    nothing_fetched: Registry[Any] = Registry()
    strict = validators.extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]  # in the stubs
    for error in strict(dict(schema), registry=nothing_fetched).iter_errors(document):
        yield _violation(error)


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
