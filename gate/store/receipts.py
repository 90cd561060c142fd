"""Receipts on disk: read with suspicion, never trusted before shape and digest agree."""

from pathlib import Path
from typing import Any

from gate.core.receipt import DIGEST_KEY, digest, laid_out, report_of
from gate.core.records.strict_json import strict_loads
from gate.core.report import Report
from gate.core.validate import problems
from gate.errors import EvidenceError
from gate.ports import UnusableReceiptError
from gate.store.json_file import read_json
from gate.store.presence import is_missing
from gate.store.schema_files import load

SCHEMA = "gate-receipt.v1"


def read_receipt(path: Path, name: str) -> Report:
    """The report of a finished run, fit to be a baseline; UnusableReceiptError otherwise."""
    return _fit(read_any_receipt(path, name), name)


def receipt_of(data: bytes, name: str) -> Report:
    """The same of a receipt's bytes."""
    return _fit(finished_receipt_of(data, name), name)


def finished_receipt_of(data: bytes, name: str) -> Report:
    """The report of a run that came to its verdict, whatever that is; UnusableReceiptError otherwise."""
    try:
        document = strict_loads(data)
    except ValueError as error:
        raise _broken(f"{name}: {error}") from error
    return finished(_checked(name, document), name)


def finished(report: Report, name: str) -> Report:
    """The report itself; UnusableReceiptError where its run was stopped before it could judge."""
    if report.complete:
        return report
    raise UnusableReceiptError(
        f"{name}: this run was not finished: there is no verdict to derive again",
        remedy="run the gate again to its end",
        reason="no_baseline",
    )


def _fit(report: Report, name: str) -> Report:
    """What was judged although it did not go to its end, such as shards of which one is missing, is no reference."""
    if all(outcome.reason != "cancelled" for outcome in finished(report, name).outcomes):
        return report
    raise UnusableReceiptError(
        f"{name}: this run measured only a part",
        remedy="name the receipt of a run that measured everything",
        reason="no_baseline",
    )


def read_any_receipt(path: Path, name: str) -> Report:
    """The report in a receipt file whose schema and digest hold; UnusableReceiptError otherwise."""
    if is_missing(path):
        raise UnusableReceiptError(
            f"{name}: there is no such receipt",
            remedy="name the receipt.json of an earlier run",
            reason="no_baseline",
        )
    try:
        document = read_json(path, name)
    except EvidenceError as error:
        raise UnusableReceiptError(error.message, remedy=error.remedy, reason="invalid_receipt") from error
    return _checked(name, document)


def refuse_other_layout(path: Path, name: str) -> None:
    """EvidenceError when a receipt's bytes are not the gate's own, though its content may be."""
    if laid_out(read_json(path, name)) != path.read_bytes():
        raise EvidenceError(
            f"{name}: its content is whole, but not one byte more or less may differ from what the gate wrote",
            remedy="take the receipt as the run left it: an editor or a formatter has changed its white space",
        )


def _checked(name: str, document: object) -> Report:
    if not isinstance(document, dict) or document.get("kind") != "gate-receipt":
        raise UnusableReceiptError(
            f"{name}: this is not a gate receipt",
            remedy="name the receipt.json that `gate run` wrote",
            reason="invalid_receipt",
        )
    if document.get("schema_version") != 1:
        raise UnusableReceiptError(
            f"{name}: receipt version {document.get('schema_version')!r} is not known to this gate (1 is)",
            remedy="use the version of the gate that wrote it, or make a new baseline",
            reason="schema_mismatch",
        )
    return _whole(name, document)


def _whole(name: str, document: dict[str, Any]) -> Report:
    found = problems(document, load(SCHEMA))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise _broken(f"{name}: {found[0].place}: {found[0].message}{more}")
    if document.get(DIGEST_KEY) != digest(document):
        raise _broken(
            f"{name}: its content does not agree with its {DIGEST_KEY}: it was changed after it was written"
        )
    return report_of(document)


def _broken(message: str) -> UnusableReceiptError:
    return UnusableReceiptError(
        message,
        remedy="fetch the receipt again, or make a new one with `gate run`",
        reason="invalid_receipt",
    )
