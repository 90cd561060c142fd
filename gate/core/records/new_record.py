"""A run record as the gate writes it: version 3, checked, secrets taken out, one line."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct, ValidationError, convert, to_builtins

from gate.core.records.ecmascript import canonical_json, json_text
from gate.core.records.redaction import redact

_Name = Annotated[str, Meta(min_length=1)]
_Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$")]
_Count = Annotated[int, Meta(ge=0)]


class NewRecord(Struct, frozen=True, kw_only=True):
    """One finished run, in the contract's order of keys; None = the key is left out."""

    schema_version: Literal[3] = 3
    run_id: _Name
    ran_at: _Moment
    suite: _Name
    mode: Literal["conservative", "balanced", "tokenmax", "n/a"]
    commit: _Name
    seed: int
    limit: _Count | None = None
    params: Mapping[str, object]
    status: Literal["completed", "failed", "skipped", "over_budget"]
    duration_ms: _Count
    error: str | None = None
    metrics: Mapping[str, float | int | None] | None = None


def record_line(record: NewRecord) -> bytes:
    """The line to append, newline included: JSON as the contract's writer prints it, secrets redacted.

    Raises ValueError, naming the field, when the record is not a valid version 3 record.
    """
    members = to_builtins(record)
    try:
        convert(members, NewRecord)
    except ValidationError as error:
        raise ValueError(str(error)) from error
    written = {key: value for key, value in members.items() if value is not None}
    for key in ("params", "error"):
        if key in written:
            written[key] = redact(written[key])
    canonical_json(written)  # refuses NaN, infinities and anything JSON cannot hold
    return json_text(written).encode() + b"\n"
