from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gate.core.records.new_record import NewRecord
from gate.core.records.run_records import Occasion
from gate.core.records.takes_receipt import DIMENSIONS, takes_receipt
from gate.database import Database
from gate.errors import UnavailableError
from gate.ledgers.jsonl import JsonlLedger
from gate.ledgers.takes_quality_runs import TakesQualityRuns
from gate.store.takes_receipts import read_takes_receipt
from gate.wiring.takes_quality import PanelMade
from gate.wiring.takes_record import Places, remember, was_stopped
from tests.store_fakes import MemoryLedger
from tests.tables import table
from tests.takes_factories import inconclusive_document, receipt

OCCASION = Occasion(commit="a" * 40, seed=42, started=datetime(2026, 11, 30, 12, tzinfo=UTC), duration_ms=5)


class FullLedger(MemoryLedger):
    """A ledger that takes nothing more."""

    def append(self, record: NewRecord) -> None:
        raise UnavailableError(f"{record.suite}: no space left", remedy="free some space")


def made(**overrides: Any) -> PanelMade:
    return PanelMade(receipt=receipt(**overrides), run=None, rows=table(3, accuracy=[8, 7, 9]))


def places(folder: Path, **overrides: Any) -> Places:
    return Places(**{"receipts": folder / "receipts", "ledger": MemoryLedger(), **overrides})


def test_a_run_is_kept_as_receipt_rows_record_and_in_the_database(tmp_path: Path, database_url: str) -> None:
    ledger, runs = MemoryLedger(), TakesQualityRuns(Database(database_url))
    where = places(tmp_path, ledger=ledger, output=tmp_path / "rows.ndjson", runs=runs)

    found = remember(made(batches=3), where, OCCASION)

    assert read_takes_receipt(found.receipt, "r") == receipt(batches=3)
    assert found.rows == tmp_path / "rows.ndjson"
    assert found.stored is not None
    assert (found.stored.id, found.stored.new) == (1, True)
    (record,) = ledger.read().records
    assert (record.suite, record.mode, record.status, record.raw["seed"]) == (
        "takes-quality",
        "n/a",
        "completed",
        42,
    )
    assert record.params["receipt"] == found.receipt.name
    assert record.params["batches"] == 3
    assert dict(record.aggregates) == {
        **dict.fromkeys(DIMENSIONS, 7.5),
        "overall_score": 7.5,
        "cost_usd": 0.0134,
    }
    assert record.output == str(tmp_path / "rows.ndjson")


def test_equal_runs_are_two_receipts_two_records_and_one_row_of_the_database(
    tmp_path: Path, database_url: str
) -> None:
    ledger, runs = MemoryLedger(), TakesQualityRuns(Database(database_url))
    where = places(tmp_path, ledger=ledger, runs=runs)

    first, second = remember(made(), where, OCCASION), remember(made(), where, OCCASION)

    assert second.receipt.name == first.receipt.name.replace(".json", "-2.json")
    assert len(ledger.read().records) == 2
    assert second.stored is not None
    assert (second.stored.id, second.stored.new) == (1, False)


@pytest.mark.parametrize(
    ("reason", "status"),
    [("budget_exhausted", "over_budget"), ("deadline", "failed"), ("cancelled", "failed")],
)
def test_a_run_that_was_stopped_is_in_the_ledger_but_not_in_the_database(
    tmp_path: Path, database_url: str, reason: str, status: str
) -> None:
    stopped = takes_receipt(inconclusive_document(reason=reason, verdictMessage="INCONCLUSIVE: stopped."))
    ledger, runs = MemoryLedger(), TakesQualityRuns(Database(database_url))

    found = remember(
        PanelMade(receipt=stopped, run=None), places(tmp_path, ledger=ledger, runs=runs), OCCASION
    )

    (record,) = ledger.read().records
    assert was_stopped(stopped)
    assert (record.status, record.raw["error"]) == (status, "INCONCLUSIVE: stopped.")
    assert found.stored is None
    assert runs.newest(5) == ()


def test_whatever_fails_behind_the_receipt_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    down = TakesQualityRuns(Database("postgresql://ada:hunter2@127.0.0.1:1/brain"))
    failing: dict[str, dict[str, object]] = {
        "its rows are not written": {"output": tmp_path / "file" / "rows.ndjson"},
        "the run is not in the ledger": {"ledger": FullLedger()},
        "the run is not in the database": {"runs": down},
    }

    for number, (said, overrides) in enumerate(failing.items()):
        where = places(tmp_path / str(number), **overrides)
        with pytest.raises(UnavailableError, match=said) as caught:
            remember(made(), where, OCCASION)
        (path,) = where.receipts.iterdir()
        assert f"its receipt is safe: {path}" in caught.value.message
        assert "hunter2" not in caught.value.message


def test_a_real_ledger_on_disk_gets_the_record_before_the_database_is_told(tmp_path: Path) -> None:
    ledger = JsonlLedger(tmp_path / "eval-results.jsonl")
    down = TakesQualityRuns(Database("postgresql://127.0.0.1:1/brain"))

    with pytest.raises(UnavailableError):
        remember(made(), places(tmp_path, ledger=ledger, runs=down), OCCASION)

    assert len(ledger.read().records) == 1
