import json

import pytest

from gate.core.records.copied import RecordCopy, copy_of, each_once
from gate.core.records.ledger import RunRecord
from gate.core.records.redaction import REDACTED
from tests.run_factories import ledger, run, run_object


def copied(record: RunRecord) -> RecordCopy:
    """A record that can be copied."""
    found = copy_of(record)
    assert isinstance(found, RecordCopy)
    return found


def test_a_record_of_somebody_else_is_copied_with_its_unknown_keys_and_without_its_secrets() -> None:
    record = run(
        "a",
        schema_version=2,
        theirs={"token": "kept: keys of ours alone are looked into"},
        params={"url": "postgresql://u:hunter2@h/d", "k": 5},
        error="sk-0123456789",
    )
    line = json.loads(copied(record).line)
    assert line["schema_version"] == 2
    assert line["theirs"] == record.raw["theirs"]
    assert line["params"] == {"url": f"postgresql://{REDACTED}@h/d", "k": 5}
    assert line["error"] == REDACTED


def test_records_that_say_the_same_are_one_whatever_the_order_of_their_keys() -> None:
    same = dict(reversed(run_object("a").items()))
    records = ledger(run_object("a"), same, run_object("a", seed=1)).records
    once = each_once(map(copied, records))
    assert [copy.record for copy in once.values()] == [records[0], records[2]]


def test_a_copy_is_the_same_record_as_its_original() -> None:
    (original,) = ledger(run_object("a", params={"api_key": "abc", "x": 1.0})).records
    (copy,) = ledger(copied(original).line.encode()).records
    assert copied(copy).digest == copied(original).digest
    assert copied(copy).line == copied(original).line


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"ran_at": "once"}, "without a readable date"),
        ({"run_id": "a\0b"}, "that no database can hold"),
        ({"status": "half \ud800"}, "that no database can hold"),
        ({"params": {"x": float("inf")}}, "that no database can hold"),
    ],
)
def test_what_a_database_cannot_hold_is_told(overrides: dict[str, object], reason: str) -> None:
    assert copy_of(run(**{"run_id": "a", **overrides})) == reason  # type: ignore[arg-type]  # names and values vary
