"""Whether both sides measured the same thing: what is the same, what differs, what nobody stated."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.core.comparability import MUST_MATCH
from gate.core.report import FieldDiff, Report
from gate.render.dialect import Dialect
from gate.render.gated import every_comparison
from gate.render.metric_tables import named_in
from gate.render.tables import Column, Row, Table

_LABELS: Final[Mapping[str, str]] = {
    "dataset_sha256": "dataset",
    "corpus_sha256": "corpus",
    "k": "k",
    "judge_model": "judge",
}
_NEEDED: Final = frozenset({"dataset_sha256", "k", "judge_model"})
_DIGEST_SHOWN: Final = 12


def statement(report: Report) -> str:
    """ "same dataset, k · not stated: judge": about everything that must match for what was compared."""
    states = {label: _state(report, field) for field, label in _LABELS.items()}
    parts = (
        _named("same", [label for label, state in states.items() if state == "same"]),
        _named("differs:", [label for label, state in states.items() if state == "differs"]),
        _named(
            "not stated on both sides:", [label for label, state in states.items() if state == "not stated"]
        ),
    )
    return " · ".join(part for part in parts if part)


def differs_table(report: Report, dialect: Dialect) -> Table:
    """Every fingerprint that is not the same on both sides, and what that means for the comparison."""
    columns = (
        Column("what", "left", wraps=True),
        Column("baseline", "left", wraps=True),
        Column("candidate", "left", wraps=True),
        Column("effect", "left", wraps=True),
    )
    rows = tuple(
        Row(
            (
                dialect.label(diff.field) + named_in(report, suite, dialect),
                _value(diff.baseline, dialect),
                _value(diff.candidate, dialect),
                _effect(diff, dialect),
            ),
            "bad" if diff.blocks else None,
        )
        for suite in report.suites
        for diff in suite.differs
    )
    return Table(columns, rows)


def differing(report: Report) -> int:
    """How many fingerprints are not the same on both sides."""
    return sum(len(suite.differs) for suite in report.suites)


def _state(report: Report, field: str) -> str | None:
    """ "same", "differs", "not stated"; None where nothing depends on it."""
    pairs = list(_both(report, field))
    if not pairs:
        return None
    if any(before is not None and after is not None and before != after for before, after in pairs):
        return "differs"
    if all(before is not None and before == after for before, after in pairs):
        return "same"
    asked = any(MUST_MATCH[field](one.metric) for one in every_comparison(report))
    stated = any(side is not None for pair in pairs for side in pair)
    return "not stated" if stated or (asked and field in _NEEDED) else None


def _both(report: Report, field: str) -> Iterator[tuple[str | None, str | None]]:
    for suite in report.suites:
        if suite.baseline is not None:
            yield suite.baseline.fingerprints.get(field), suite.candidate.fingerprints.get(field)


def _named(what: str, labels: list[str]) -> str:
    return f"{what} {', '.join(labels)}" if labels else ""


def _value(value: str | None, dialect: Dialect) -> str:
    if value is None:
        return "not stated"
    return dialect.name(shortened(value))


def shortened(value: str) -> str:
    """A digest by its first twelve digits; anything else as it is."""
    is_digest = len(value) in (40, 64) and set(value) <= set("0123456789abcdef")
    return value[:_DIGEST_SHOWN] if is_digest else value


def _effect(diff: FieldDiff, dialect: Dialect) -> str:
    if not diff.blocks:
        return "shown only"
    names = [dialect.name(metric) for metric in diff.blocks[:3]]
    more = f" and {len(diff.blocks) - 3} more" if len(diff.blocks) > 3 else ""
    return f"not compared: {', '.join(names)}{more}"
