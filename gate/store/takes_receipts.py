"""Takes-quality receipts as files: read with suspicion, never overwritten."""

import os
from collections.abc import Iterator
from pathlib import Path

from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.records.takes_receipt import (
    TakesReceipt,
    file_name,
    fingerprints_in,
    takes_receipt,
    takes_receipt_bytes,
)
from gate.core.validate import problems
from gate.errors import EvidenceError, UnavailableError
from gate.store.atomic import write_atomic
from gate.store.json_file import read_json
from gate.store.schema_files import load

SCHEMA = "takes-quality-receipt.v1"


def read_takes_receipt(path: Path, name: str) -> TakesReceipt:
    """The receipt in a file; EvidenceError, with the place, when it is not a valid one of version 1."""
    return takes_receipt_in(read_json(path, name), name)


def takes_receipt_in(document: object, name: str) -> TakesReceipt:
    """The receipt that a JSON document is; EvidenceError, with the place, as above."""
    if isinstance(document, dict) and document.get("schema_version") not in (1, None):
        raise EvidenceError(
            f"{name}: receipt version {document['schema_version']!r} is not known to this gate (1 is)",
            remedy="use the version of the gate that wrote it, or run the panel again",
        )
    found = problems(document, load(SCHEMA))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        first = ": ".join(filter(None, (found[0].place, found[0].message)))
        raise EvidenceError(
            f"{name}: no valid takes-quality receipt: {first}{more}",
            remedy=f"name a receipt that a takes-quality run wrote; schemas/{SCHEMA}.schema.json says what it holds",
        )
    try:
        return takes_receipt(document)
    except ValueError as error:
        raise EvidenceError(
            f"{name}: {error}", remedy="name a receipt that a takes-quality run wrote"
        ) from error


def takes_receipt_of(data: bytes, name: str) -> TakesReceipt:
    """The receipt that these bytes hold; EvidenceError when they hold none."""
    try:
        return takes_receipt_in(strict_loads(data), name)
    except StrictJsonError as error:
        raise EvidenceError(
            f"{name}: {error}", remedy="name a receipt that a takes-quality run wrote"
        ) from error


def keep_takes_receipt(folder: Path, receipt: TakesReceipt) -> Path:
    """Write a receipt under its own name; where an equal run has one already, under that name with -2, -3, …

    Many processes may write at once; none overwrites another's. UnavailableError when it cannot be written.
    """
    data = takes_receipt_bytes(receipt)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = _reserved(folder, receipt)
    except OSError as error:
        raise UnavailableError(
            f"{folder}: the receipt cannot be written ({error.strerror})",
            remedy="free some space, check the folder's permissions, or choose another with --receipts-dir",
        ) from error
    try:
        write_atomic(path, data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def kept_takes_receipts(folder: Path) -> Iterator[Path]:
    """Every file of the folder that has a receipt's name, by name; none where there is no folder."""
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if fingerprints_in(path.name) is not None)


def _reserved(folder: Path, receipt: TakesReceipt) -> Path:
    """The first name that was free, now held by an empty file of ours."""
    repeat = 1
    while True:
        path = folder / file_name(receipt.fingerprints, repeat=repeat)
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            repeat += 1
        else:
            return path
