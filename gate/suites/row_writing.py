"""The lines that a suite writes: what it states about itself first, a row a question, what fell short last."""

from collections.abc import Mapping, Sequence

import msgspec

from gate.core.records.objections import Objection
from gate.core.records.run_info import RUN_INFO
from gate.suites.execute import Failed


def first_line(
    *,
    metrics: Sequence[str],
    fingerprints: Mapping[str, str],
    units: Mapping[str, str],
    questions: int,
    notes: Sequence[str] = (),
    applies_to: Mapping[str, int] | None = None,
) -> bytes:
    """What is known before anything is asked. A file with fewer rows than `questions` is a partial one.

    `applies_to` = on how many of them a metric is meant to be measured, where that is not all.
    """
    stated = {
        "kind": RUN_INFO,
        "metrics": list(metrics),
        "fingerprints": dict(sorted(fingerprints.items())),
        "units": dict(sorted(units.items())),
        "questions": questions,
        **({"applies_to": dict(sorted(applies_to.items()))} if applies_to else {}),
        "notes": list(notes),
    }
    return _line(stated)


def row_line(question: str, members: Mapping[str, object]) -> bytes:
    """A question's row; members that are None are left out."""
    return _line({"question_id": question, **_known(members)})


def failed_row(question: str, failed: Failed, members: Mapping[str, object], *, show_text: bool) -> bytes:
    """The row of a question that could not be answered: why, and no metric."""
    said = f"{failed.kind}: {failed.message}"
    if show_text and failed.detail:
        said = f"{said}: {failed.detail}"
    return _line({"question_id": question, **_known(members), "error": said})


def last_line(
    shortfalls: Mapping[str, int],
    notes: Sequence[str] = (),
    objections: Sequence[Objection] = (),
    oddities: Mapping[str, int] | None = None,
) -> bytes:
    """Closed reason codes with the number of questions each of them concerns, and what else was noticed.

    `oddities` are counts that become notes when the parts of a matrix are joined.
    """
    line: dict[str, object] = {
        "kind": RUN_INFO,
        "shortfalls": dict(sorted(shortfalls.items())),
        "notes": list(notes),
    }
    if objections:
        line["objections"] = [each.line() for each in objections]
    if oddities:
        line["oddities"] = dict(sorted(oddities.items()))
    return _line(line)


def _known(members: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _line(members: Mapping[str, object]) -> bytes:
    return msgspec.json.encode(members) + b"\n"
