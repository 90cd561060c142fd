"""Accepted baselines: a receipt and its rows, copied on purpose, dated, with a note saying why."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from gate.core.records.ecmascript import json_text
from gate.core.records.file_ref import FileRef
from gate.core.report import Report
from gate.errors import EvidenceError, UsageError
from gate.store.atomic import write_atomic
from gate.store.json_file import read_json
from gate.store.receipts import read_receipt

FOLDER: Final = ".gate/baselines"
NOTE: Final = "accepted.json"
_ROWS: Final = "rows"
_TAKES: Final = "takes"
_KINDS: Final = (_ROWS, _TAKES)


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

    kind: str
    name: str
    data: bytes


def accept(receipt: Path, *, note: str, now: datetime, root: Path) -> Accepted:
    """Copy a finished run's receipt, candidate rows and panel receipts to .gate/baselines/GATE; replaces an older one.

    UsageError without a note; EvidenceError when the receipt cannot be trusted or its rows are not beside it.
    """
    if not note.strip():
        raise UsageError("--note is empty", remedy="say in a sentence why this run is the new baseline")
    report = read_receipt(receipt, str(receipt))
    if report.left_out:
        raise EvidenceError(
            f"{receipt}: this run measured only a part: {'; '.join(report.left_out)}",
            remedy="run the gate without `suites`, `modes` and `limit`, and accept that run",
        )
    folder = root / FOLDER / report.gate
    accepted = Accepted(
        gate=report.gate,
        note=note.strip(),
        accepted_at=now.isoformat(timespec="seconds").replace("+00:00", "Z"),
        receipt_sha256=str(report.receipt_sha256),
        commit=report.plan.commits.head,
        verdict=report.verdict,
    )
    copies = tuple(_copy(receipt, kind, named) for kind, named in _kept(report))
    for kind in _KINDS:
        _clear(folder / kind, keep={copy.name for copy in copies if copy.kind == kind})
    for copy in copies:
        write_atomic(folder / copy.kind / copy.name, copy.data)
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


def _kept(report: Report) -> Iterator[tuple[str, FileRef]]:
    """What lies beside a receipt: the candidate's rows, and the receipts of panels."""
    for suite in report.suites:
        if suite.candidate.copy is not None:
            yield _ROWS, suite.candidate.copy
        if suite.panel is not None:
            yield _TAKES, suite.panel.receipt


def _copy(receipt: Path, kind: str, named: FileRef) -> Copy:
    import hashlib

    name = Path(named.path).name
    path = receipt.parent / kind / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EvidenceError(
            f"{path}: the {kind} of this receipt are not here",
            remedy=f"accept a receipt together with the {kind}/ folder that its run wrote",
        ) from error
    if hashlib.sha256(data).hexdigest() != named.sha256:
        raise EvidenceError(
            f"{path}: changed since the receipt was written",
            remedy="fetch the run's output again, or run the gate again",
        )
    return Copy(kind, name, data)


def _clear(folder: Path, *, keep: set[str]) -> None:
    """Remove what belongs to the baseline that is replaced."""
    for old in [*folder.glob("*.ndjson"), *folder.glob("*.json")]:
        if old.name not in keep:
            old.unlink()
