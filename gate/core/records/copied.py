"""Run records that go from one ledger into another: each as it was read, secrets taken out, each once."""

import hashlib
from collections.abc import Iterable, Mapping
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


@dataclass(frozen=True, slots=True, eq=False)
class RecordCopy:
    """A record as another ledger takes it; two that say the same, in whatever order, have the same digest."""

    record: RunRecord
    said: Mapping[str, object]
    """Unknown keys and all, secrets in parameters and error redacted."""
    digest: str

    @property
    def line(self) -> str:
        """The line to store."""
        return json_text(dict(self.said))


def copy_of(record: RunRecord) -> RecordCopy | NotCopied:
    """The copy of a record, or why a database cannot take it.

    Its runs have dates; its texts hold neither NUL nor half a character; its numbers are finite.
    """
    if record.moment is None:
        return "without a readable date"
    said = {name: redact(value) if name in _SECRETIVE else value for name, value in record.raw.items()}
    try:
        digest = hashlib.sha256(canonical_json(said)).hexdigest()
    except ValueError:
        return "that no database can hold"
    columns = (record.run_id, record.suite, record.mode, record.status)
    return RecordCopy(record, said, digest) if all(map(_is_text, columns)) else "that no database can hold"


def each_once(copies: Iterable[RecordCopy]) -> dict[str, RecordCopy]:
    """Digest → copy, in the order given; of equal records the first."""
    found: dict[str, RecordCopy] = {}
    for copy in copies:
        found.setdefault(copy.digest, copy)
    return found


def _is_text(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False
