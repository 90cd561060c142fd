"""Ledgers and takes-quality receipts on disk become rows of a database, each once."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from gate.core.records.copied import Copied
from gate.core.records.ledger import Ledger, RunRecord
from gate.core.records.takes_receipt import TakesReceipt
from gate.database import Database
from gate.errors import EvidenceError
from gate.ledgers.jsonl import FILE_NAME, JsonlLedger
from gate.ledgers.postgres import PostgresLedger
from gate.ledgers.takes_quality_runs import TakesQualityRuns
from gate.store.takes_receipts import kept_takes_receipts, read_takes_receipt
from gate.wiring.takes_record import was_stopped

_LEDGER: Final = ".jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was stored, what was there already, and what was left out, by reason."""

    runs: Copied
    receipts_new: int = 0
    receipts_there: int = 0
    receipts_stopped: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Found:
    """Everything that was read."""

    ledgers: list[Ledger] = field(default_factory=list)
    receipts: list[tuple[TakesReceipt, Path]] = field(default_factory=list)

    @property
    def records(self) -> list[RunRecord]:
        return [record for ledger in self.ledgers for record in ledger.records]

    def skipped(self) -> Counter[str]:
        """Lines that are no record, by kind."""
        return Counter(skip.kind.replace("_", " ") for ledger in self.ledgers for skip in ledger.skips)


def import_all(paths: Sequence[Path], ledger: PostgresLedger, url: str) -> Imported:
    """Store what these files and folders hold. EvidenceError, before anything is stored, for a file that is neither.

    The lines of all ledgers go in together or not at all; receipts one by one, each whole. Running again is safe.
    """
    found = _read(paths)
    whole = [(receipt, path) for receipt, path in found.receipts if not was_stopped(receipt)]
    copied = ledger.take_in(found.records) if found.ledgers else Copied()
    runs = TakesQualityRuns(Database(url))
    kept = [runs.add(receipt, disk_path=str(path)) for receipt, path in whole]
    return Imported(
        runs=copied,
        receipts_new=sum(each.new for each in kept),
        receipts_there=sum(not each.new for each in kept),
        receipts_stopped=len(found.receipts) - len(whole),
        left_out={**found.skipped(), **{str(reason): count for reason, count in copied.left_out.items()}},
    )


def _read(paths: Sequence[Path]) -> _Found:
    found = _Found()
    for path in (file for named in paths for file in _files(named)):
        if path.name.endswith(_LEDGER):
            found.ledgers.append(_ledger(path))
        else:
            found.receipts.append((read_takes_receipt(path, str(path)), path))
    return found


def _files(named: Path) -> Iterator[Path]:
    if not named.is_dir():
        yield named
        return
    inside = [path for path in (named / FILE_NAME,) if path.exists()] + list(kept_takes_receipts(named))
    if not inside:
        raise EvidenceError(
            f"{named}: there is neither a ledger ({FILE_NAME}) nor a takes-quality receipt in this folder",
            remedy="name the files themselves: a ledger ends in .jsonl",
        )
    yield from inside


def _ledger(path: Path) -> Ledger:
    found = JsonlLedger(path).read()
    if found.missing:
        raise EvidenceError(f"{path}: there is no such ledger", remedy="check the path")
    if not found.records and any(skip.kind != "blank" for skip in found.skips):
        raise EvidenceError(f"{path}: no line of it is a run", remedy="name a run ledger: one record a line")
    return found
