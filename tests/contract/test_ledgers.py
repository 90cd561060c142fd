"""Every run ledger keeps the port's promises: whole records in order, secrets out, nothing invalid, nothing lost."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gate.core.records.redaction import REDACTED
from gate.database import Database
from gate.errors import EvidenceError
from gate.ledgers.jsonl import JsonlLedger
from gate.ledgers.postgres import PostgresLedger
from gate.ports import RunLedger
from tests.run_factories import new_record, run_object
from tests.store_fakes import MemoryLedger

Open = Callable[[], RunLedger]


@pytest.fixture(params=["jsonl", "postgres", "memory"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens the same ledger, empty at first, as often as it is called."""
    memory = MemoryLedger()

    def postgres() -> RunLedger:
        return PostgresLedger(Database(request.getfixturevalue("database_url")))

    openers: dict[str, Open] = {
        "jsonl": lambda: JsonlLedger(tmp_path / "ledger" / "eval-results.jsonl"),
        "postgres": postgres,
        "memory": lambda: memory,
    }
    return openers[request.param]


def ids(ledger: RunLedger) -> list[str]:
    return [record.run_id for record in ledger.read().records]


def test_a_ledger_nobody_has_written_to_is_missing_and_reading_makes_none(opened: Open) -> None:
    for _ in range(2):
        found = opened().read()
        assert (found.records, found.skips, found.missing) == ((), (), True)


def test_records_are_read_in_the_order_they_were_appended_by_whoever_opens_it(opened: Open) -> None:
    for number in range(3):
        opened().append(new_record(f"run-{number}"))

    found = opened().read()

    assert [record.run_id for record in found.records] == ["run-0", "run-1", "run-2"]
    assert [record.line for record in found.records] == [1, 2, 3]
    assert not found.missing


def test_a_record_is_read_back_with_every_key_in_its_order(opened: Open) -> None:
    params = {
        "topK": 5,
        "b": {"z": 1, "a": [1, 0.1, None, True]},
        "a": 'é\U0001f600\u2028\0"\\\n',
        "é": -0.000001,
    }

    opened().append(new_record(limit=9, params=params, metrics={"z": 0.93, "a": None}))

    (found,) = opened().read().records
    expected = {**run_object(limit=9, params=params), "metrics": {"z": 0.93, "a": None}}
    assert found.raw == expected
    assert list(found.params) == list(params)
    assert list(found.raw)[:8] == [
        "schema_version",
        "run_id",
        "ran_at",
        "suite",
        "mode",
        "commit",
        "seed",
        "limit",
    ]


def test_secrets_never_get_into_a_ledger(opened: Open) -> None:
    opened().append(
        new_record(params={"url": "postgresql://u:hunter2@h/d", "api_key": "abc"}, error="sk-0123456789")
    )

    (found,) = opened().read().records

    assert "hunter2" not in str(found.raw)
    assert (found.params["api_key"], found.raw["error"]) == (REDACTED, REDACTED)


@pytest.mark.parametrize(
    "broken", [{"mode": "fast"}, {"ran_at": "now"}, {"params": {"x": float("nan")}}, {"duration_ms": -1}]
)
def test_an_invalid_record_is_refused_and_nothing_is_stored(opened: Open, broken: dict[str, object]) -> None:
    with pytest.raises(EvidenceError, match="run bad"):
        opened().append(new_record("bad", **broken))

    assert opened().read().missing


def test_the_same_record_twice_is_two_records_and_duplicates_are_told(opened: Open) -> None:
    opened().append(new_record("same"))
    opened().append(new_record("same"))

    assert opened().read().duplicate_run_ids == ("same",)


def test_a_failed_append_leaves_what_was_there(opened: Open) -> None:
    opened().append(new_record("good"))

    with pytest.raises(EvidenceError):
        opened().append(new_record("bad", status="done"))
    opened().append(new_record("better"))

    assert ids(opened()) == ["good", "better"]


def test_a_long_record_is_stored_whole(opened: Open) -> None:
    opened().append(new_record(params={"padding": "x" * 3_000_000}))

    (found,) = opened().read().records
    assert found.params["padding"] == "x" * 3_000_000
