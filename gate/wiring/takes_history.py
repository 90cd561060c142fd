"""The runs there were: receipts on disk and in the database, the ledger's records."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gate.core.judging.trend import MOST_ROWS, TrendRow, ledger_rows, merged
from gate.core.records.takes_receipt import TakesReceipt
from gate.errors import UsageError
from gate.ledgers.takes_quality_runs import StoredRun, TakesQualityRuns
from gate.ports import RunLedger


@dataclass(frozen=True, slots=True)
class Trend:
    """The newest runs, newest first, and how many of the ledger's records say too little to be shown."""

    rows: tuple[TrendRow, ...]
    unreadable: int


def trend(runs: TakesQualityRuns | None, ledger: RunLedger, *, limit: int, rubric: str | None) -> Trend:
    """Runs of both places, each once."""
    stored = () if runs is None else runs.newest(MOST_ROWS, rubric_version=rubric)
    recorded, unreadable = ledger_rows(ledger.read().records)
    return Trend(merged([_row(run) for run in stored], recorded, limit=limit, rubric=rubric), unreadable)


def receipt_of(path: Path | None, key: int | None, runs: Callable[[], TakesQualityRuns]) -> TakesReceipt:
    """A receipt on disk, or the stored one with that id; UsageError unless exactly one is named."""
    if (path is None) == (key is None):
        raise UsageError("which run?", remedy="name a receipt's file, or a stored run with --from-db ID")
    if path is None:
        return runs().receipt(key or 0)
    from gate.store.takes_receipts import read_takes_receipt

    return read_takes_receipt(path, str(path))


def _row(run: StoredRun) -> TrendRow:
    """The table has no place for what is unknown: an INCONCLUSIVE run's score is stored as 0."""
    return TrendRow(
        ts=run.ts,
        rubric_version=run.rubric_version,
        verdict=run.verdict,
        overall=run.overall_score or None,
        cost=run.cost_usd,
        corpus_sha8=run.corpus_sha8,
        dimensions=run.dimensions,
        id=run.id,
    )
