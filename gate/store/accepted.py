"""Accepted baselines: a receipt and its rows, copied on purpose, dated, with a note saying why."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from gate.core.records.ecmascript import json_text
from gate.core.report import Report
from gate.errors import EvidenceError, UsageError
from gate.store.atomic import write_atomic
from gate.store.json_file import read_json
from gate.store.receipts import read_receipt

FOLDER: Final = ".gate/baselines"
NOTE: Final = "accepted.json"


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """Why and when a baseline was accepted, beside its receipt."""

    gate: str
    note: str
    accepted_at: str
    receipt_sha256: str = msgspec.field(name="receipt-sha256")
    commit: str | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """A file of an accepted baseline: where it lies below the folder, and what is in it."""

    name: str
    data: bytes


def accept(receipt: Path, *, note: str, now: datetime, root: Path) -> Accepted:
    """Copy a finished run's receipt and candidate rows to .gate/baselines/GATE; replaces an older one.

    UsageError without a note; EvidenceError when the receipt cannot be trusted or its rows are not beside it.
    """
    if not note.strip():
        raise UsageError("--note is empty", remedy="say in a sentence why this run is the new baseline")
    report = read_receipt(receipt, str(receipt))
    folder = root / FOLDER / report.gate
    accepted = Accepted(
        gate=report.gate,
        note=note.strip(),
        accepted_at=now.isoformat(timespec="seconds").replace("+00:00", "Z"),
        receipt_sha256=str(report.receipt_sha256),
        commit=report.plan.commits.head,
        verdict=report.verdict,
    )
    copies = _rows(receipt, report)
    _clear(folder / "rows", keep={copy.name for copy in copies})
    for copy in copies:
        write_atomic(folder / "rows" / copy.name, copy.data)
    write_atomic(folder / "receipt.json", receipt.read_bytes())
    text = json_text(msgspec.to_builtins(accepted), indent=2) + "\n"
    write_atomic(folder / NOTE, text.encode())
    return accepted


def accepted_baselines(root: Path) -> tuple[Accepted, ...]:
    """Every accepted baseline of a workspace, by gate."""
    notes = sorted((root / FOLDER).glob(f"*/{NOTE}"))
    return tuple(_read(note) for note in notes)


def _read(note: Path) -> Accepted:
    try:
        return msgspec.convert(read_json(note, str(note)), Accepted)
    except msgspec.ValidationError as error:
        raise EvidenceError(
            f"{note}: {error}", remedy="accept the baseline again with `gate baseline accept`"
        ) from error


def _rows(receipt: Path, report: Report) -> tuple[Copy, ...]:
    named = [suite.candidate.copy for suite in report.suites if suite.candidate.copy is not None]
    return tuple(_copy(receipt, Path(rows.path).name, rows.sha256) for rows in named)


def _copy(receipt: Path, name: str, sha256: str) -> Copy:
    import hashlib

    path = receipt.parent / "rows" / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EvidenceError(
            f"{path}: the rows of this receipt are not here",
            remedy="accept a receipt together with the rows/ folder that its run wrote",
        ) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise EvidenceError(
            f"{path}: changed since the receipt was written",
            remedy="fetch the run's output again, or run the gate again",
        )
    return Copy(name, data)


def _clear(folder: Path, *, keep: set[str]) -> None:
    """Remove the rows of the baseline that is replaced."""
    for old in folder.glob("*.ndjson"):
        if old.name not in keep:
            old.unlink()
