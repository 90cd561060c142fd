"""Run records that go from one ledger into another: each as it was read, secrets taken out, each once."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from gate.core.records.ecmascript import canonical_json, json_text
from gate.core.records.ledger import RunRecord
from gate.core.records.redaction import redact

NotCopied = Literal["without a readable date", "that no database can hold"]
_SECRETIVE: Final = ("params", "error")


@dataclass(frozen=True, slots=True)
class Copied:
    """How many runs were taken in, how many were there already, and how many could not be taken, by reason."""

    new: int = 0
    there: int = 0
    left_out: Mapping[NotCopied, int] = field(default_factory=dict)


def copied_line(record: RunRecord) -> str:
    """The line for a record somebody wrote: unknown keys and all, secrets in parameters and error redacted."""
    return json_text(_redacted(record))


def record_digest(record: RunRecord) -> str:
    """The same for two records that say the same, in whatever order their keys stand."""
    return hashlib.sha256(canonical_json(_redacted(record))).hexdigest()


def each_once(records: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Digest → record, in the order given; of equal records the first."""
    found: dict[str, RunRecord] = {}
    for record in records:
        found.setdefault(record_digest(record), record)
    return found


def why_not_copied(record: RunRecord) -> NotCopied | None:
    """Why a database cannot take a record: its runs have dates, its texts no NUL and no half character."""
    if record.moment is None:
        return "without a readable date"
    columns = (record.run_id, record.suite, record.mode, record.status)
    return None if all(map(_is_text, columns)) and _is_finite(record) else "that no database can hold"


def _redacted(record: RunRecord) -> dict[str, object]:
    return {name: redact(value) if name in _SECRETIVE else value for name, value in record.raw.items()}


def _is_text(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _is_finite(record: RunRecord) -> bool:
    try:
        canonical_json(dict(record.raw))
    except ValueError:
        return False
    return True
