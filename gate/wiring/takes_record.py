"""What is kept of a takes-quality run: the receipt first, safe on disk; then the ledger; the database last."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from msgspec import UNSET

from gate.core.records.run_records import Occasion, RunFacts, Status, run_record
from gate.core.records.takes_receipt import TakesReceipt
from gate.errors import GateError, UnavailableError
from gate.ledgers.takes_quality_runs import Kept, TakesQualityRuns
from gate.ports import RunLedger
from gate.store.atomic import write_atomic
from gate.store.row_files import rows_bytes
from gate.store.takes_receipts import keep_takes_receipt
from gate.wiring.takes_quality import PanelMade

SUITE: Final = "takes-quality"
_REUSE: Final = "then run again with --reuse, which asks no judge"
_STATUS: Final[Mapping[str, Status]] = {
    "budget_exhausted": "over_budget",
    "deadline": "failed",
    "cancelled": "failed",
}
"""Of runs that were stopped; every other one is completed, whatever its verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where runs are kept; `output` None = no rows are written, `runs` None = there is no database."""

    receipts: Path
    ledger: RunLedger
    output: Path | None = None
    runs: TakesQualityRuns | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """Where a run is now; `stored` None = no database was told."""

    receipt: Path
    rows: Path | None = None
    stored: Kept | None = None


def remember(made: PanelMade, places: Places, occasion: Occasion) -> Remembered:
    """Keep a run. UnavailableError when rows, ledger or database fail; the receipt is on disk then, and the error
    says where.

    A run that was stopped is no receipt for the database, where it would stand in the way of a whole one.
    """
    path = keep_takes_receipt(places.receipts, made.receipt)
    rows, digest, stored = None, None, None
    if places.output is not None and made.rows is not None:
        data = rows_bytes(made.rows)
        with _receipt_safe(path, "its rows are not written", "then run again"):
            write_atomic(places.output, data)
        rows, digest = places.output, hashlib.sha256(data).hexdigest()
    facts = takes_quality_facts(made.receipt, occasion, path, (None if rows is None else str(rows), digest))
    with _receipt_safe(path, "the run is not in the ledger", "it can be replayed and compared with as it is"):
        places.ledger.append(run_record(facts))
    if places.runs is not None and not was_stopped(made.receipt):
        with _receipt_safe(path, "the run is not in the database", _REUSE):
            stored = places.runs.add(made.receipt, disk_path=str(path))
    return Remembered(receipt=path, rows=rows, stored=stored)


def takes_quality_facts(
    receipt: TakesReceipt, occasion: Occasion, path: Path, rows: tuple[str | None, str | None]
) -> RunFacts:
    """Everything the ledger should know about a run, so that a trend can be drawn from ledgers alone."""
    status = _status(receipt)
    means = {name: each.mean for name, each in receipt.scores.items()}
    return RunFacts(
        suite=SUITE,
        mode="n/a",
        occasion=occasion,
        status=status,
        error=None if status == "completed" else receipt.verdict_message,
        limit=receipt.corpus.n_takes,
        rows_path=rows[0],
        rows_sha256=rows[1],
        params={
            "receipt": path.name,
            "ts": receipt.ts,
            "verdict": receipt.verdict,
            "reason": receipt.others.get("reason"),
            "rubric_version": receipt.rubric_version,
            "rubric_sha8": receipt.rubric_sha8,
            "corpus_sha8": receipt.corpus.corpus_sha8,
            "prompt_sha8": receipt.prompt_sha8,
            "models_sha8": receipt.models_sha8,
            "models": list(receipt.models),
            "judge_model": ", ".join(receipt.models),
            "slug_prefix": receipt.corpus.slug_prefix,
            "takes": receipt.corpus.n_takes,
            "batches": 1 if receipt.batches is UNSET else receipt.batches,
            "cycles_run": receipt.cycles_run,
        },
        metrics={
            **means,
            **({} if receipt.overall_score is None else {"overall_score": receipt.overall_score}),
            **({} if receipt.cost_usd is None else {"cost_usd": receipt.cost_usd}),
        },
    )


def was_stopped(receipt: TakesReceipt) -> bool:
    """Whether a run ended before its time: in a database it would stand in the way of a whole one."""
    return _status(receipt) != "completed"


def _status(receipt: TakesReceipt) -> Status:
    return _STATUS.get(str(receipt.others.get("reason")), "completed")


@contextmanager
def _receipt_safe(path: Path, what: str, then: str) -> Iterator[None]:
    """A failure behind the receipt is told together with the receipt's place."""
    try:
        yield
    except GateError as error:
        raise UnavailableError(
            f"{what}: {error.message}; its receipt is safe: {path}", remedy=f"{error.remedy}; {then}"
        ) from error
