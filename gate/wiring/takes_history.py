"""The runs there were: in the database and in the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass

from gate.core.judging.trend import MOST_ROWS, TrendRow, ledger_rows, merged
from gate.ledgers.takes_quality_runs import StoredRun, TakesQualityRuns
from gate.ports import RunLedger


@dataclass(frozen=True, slots=True)
class Trend:
    """The newest runs, newest first, and how many of the ledgers' records say too little to be shown."""

    rows: tuple[TrendRow, ...]
    unreadable: int


def trend(
    runs: TakesQualityRuns | None, ledgers: Sequence[RunLedger], *, limit: int, rubric: str | None
) -> Trend:
    """Runs of all places, each once."""
    stored = () if runs is None else runs.newest(MOST_ROWS, rubric_version=rubric)
    recorded, unreadable = ledger_rows([record for ledger in ledgers for record in ledger.read().records])
    return Trend(merged([_row(run) for run in stored], recorded, limit=limit, rubric=rubric), unreadable)


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
        rubric_sha8=run.rubric_sha8,
        id=run.id,
    )
