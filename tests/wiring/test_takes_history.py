from gate.core.records.takes_receipt import takes_receipt
from gate.database import Database
from gate.ledgers.takes_quality_runs import TakesQualityRuns
from gate.wiring.takes_history import trend
from tests.run_factories import new_record
from tests.store_fakes import MemoryLedger
from tests.takes_factories import inconclusive_document, receipt


def recorded(ts: str, corpus: str = "aaaaaaaa", **params: object) -> MemoryLedger:
    ledger = MemoryLedger()
    said = {"ts": ts, "verdict": "pass", "rubric_version": "v1.0", "corpus_sha8": corpus, **params}
    ledger.append(new_record("in-the-ledger", suite="takes-quality", mode="n/a", params=said))
    return ledger


def test_runs_of_both_places_are_there_once_and_the_newest_first(database_url: str) -> None:
    runs = TakesQualityRuns(Database(database_url))
    runs.add(receipt())
    runs.add(takes_receipt(inconclusive_document(ts="2026-11-29T12:00:00.000Z", prompt_sha8="99999999")))

    found = trend(runs, [recorded("2026-11-30T12:00:00.000Z")], limit=20, rubric=None)
    others = trend(runs, [recorded("2026-12-01T12:00:00.000Z")], limit=2, rubric=None)

    assert [(row.id, row.run_id, row.overall) for row in found.rows] == [
        (1, "in-the-ledger", None),
        (2, None, None),
    ]
    assert [(row.id, row.run_id) for row in others.rows] == [(None, "in-the-ledger"), (1, None)]
    assert found.rows[0].rubric_sha8 == "dddddddd"


def test_without_a_database_the_ledger_is_enough_and_what_says_too_little_is_counted() -> None:
    ledger = recorded("2026-11-30T12:00:00.000Z")
    ledger.append(new_record("mute", suite="takes-quality", mode="n/a"))

    found = trend(None, [ledger, ledger], limit=20, rubric="v1.0")

    assert ([row.run_id for row in found.rows], found.unreadable) == (["in-the-ledger"], 2)
    assert trend(None, [ledger, ledger], limit=20, rubric="v2").rows == ()
