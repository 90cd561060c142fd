"""A report as a receipt: canonical bytes, digests, and back."""

import hashlib
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from gate.core.plan import Plan
from gate.core.records.ecmascript import canonical_json, json_text
from gate.core.report import Report

DIGEST_KEY: Final = "receipt-sha256"


def plan_digest(plan: Plan) -> str:
    """The sha256 of the plan's canonical JSON."""
    return hashlib.sha256(canonical_json(msgspec.to_builtins(plan))).hexdigest()


def digest(document: dict[str, Any]) -> str:
    """The sha256 of a receipt over the canonical JSON of all its fields but the digest itself."""
    body = {key: value for key, value in document.items() if key != DIGEST_KEY}
    return hashlib.sha256(canonical_json(body)).hexdigest()


def sealed(report: Report) -> Report:
    """The report carrying its own digest: the last thing that happens to it."""
    unsealed = replace(report, receipt_sha256=msgspec.UNSET)
    return replace(unsealed, receipt_sha256=digest(msgspec.to_builtins(unsealed)))


def receipt_bytes(report: Report) -> bytes:
    """The receipt file: indented JSON, one trailing newline, same report same bytes."""
    return laid_out(msgspec.to_builtins(report))


def laid_out(document: object) -> bytes:
    """A receipt's content as the gate lays it out; other bytes of equal content were changed by somebody else."""
    return (json_text(document, indent=2) + "\n").encode()


def report_of(document: object) -> Report:
    """The report a receipt holds; msgspec.ValidationError when it does not have its shape."""
    return msgspec.convert(document, Report)
