from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gate.core.records.takes_receipt import TakesReceipt, takes_receipt, takes_receipt_bytes
from gate.database import Database
from gate.errors import EvidenceError
from gate.ledgers.takes_quality_runs import Kept, StoredRun, TakesQualityRuns
from tests.takes_factories import inconclusive_document, receipt, receipt_document, shared

REAL = ("real-pass", "real-fail-mean", "real-inconclusive", "real-fenced")


def runs(url: str) -> TakesQualityRuns:
    return TakesQualityRuns(Database(url))


def about(corpus: str, **overrides: Any) -> TakesReceipt:
    """A receipt over another corpus."""
    described = {"source": "db", "n_takes": 2, "slug_prefix": None, "corpus_sha8": corpus}
    return receipt(corpus=described, **overrides)


def test_what_is_stored_is_what_the_original_program_stores(database_url: str) -> None:
    receipts = [takes_receipt(shared(f"outputs/receipts/{name}.json")) for name in REAL]
    expected = {
        row["receipt_sha8_corpus"]: row for row in shared("outputs/eval_takes_quality_runs-rows.json")
    }

    for one in receipts:
        runs(database_url).add(one, disk_path=expected[one.fingerprints.corpus]["receipt_disk_path"])

    with psycopg.connect(database_url, row_factory=psycopg.rows.dict_row) as connection:
        stored = connection.execute(
            "select *, overall_score::text::float8 as overall_score, cost_usd::text::float8 as cost_usd,"
            " to_char(created_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') as created_at"
            " from eval_takes_quality_runs"
        ).fetchall()
    assert {row["receipt_sha8_corpus"]: {**row, "id": 0} for row in stored} == {
        corpus: {**row, "id": 0} for corpus, row in expected.items()
    }
    assert [takes_receipt_bytes(runs(database_url).receipt(number + 1)) for number in range(4)] == [
        takes_receipt_bytes(one) for one in receipts
    ]


def test_of_equal_runs_the_first_receipt_stays(database_url: str) -> None:
    first, second = receipt(verdictMessage="first"), receipt(verdictMessage="second")

    assert runs(database_url).add(first) == Kept(1, new=True)
    again = runs(database_url).add(second)

    assert (again.id, again.new) == (1, False)
    assert runs(database_url).receipt(1) == first
    assert runs(database_url).same(second.fingerprints) == first
    assert len(runs(database_url).newest(20)) == 1


def test_writers_of_equal_runs_at_once_agree_which_was_first(database_url: str) -> None:
    receipts = [receipt(verdictMessage=str(number)) for number in range(8)]

    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(runs(database_url).add, receipts))

    assert sum(one.new for one in kept) == 1
    assert len({one.id for one in kept}) == 1
    (first,) = [receipts[number] for number, one in enumerate(kept) if one.new]
    assert runs(database_url).same(receipts[0].fingerprints) == first


def test_reading_needs_no_table(database_url: str) -> None:
    assert runs(database_url).newest(20) == ()
    assert runs(database_url).same(receipt().fingerprints) is None
    with pytest.raises(EvidenceError, match="no takes-quality run 7"):
        runs(database_url).receipt(7)


def test_the_newest_runs_come_first_one_rubric_or_all(database_url: str) -> None:
    for number, rubric in enumerate(["v1", "v2", "v1"]):
        runs(database_url).add(
            about(
                f"{number:08}", rubric_version=rubric, ts=f"2026-11-0{number + 1}T10:00:00.250Z", cost_usd=0.1
            )
        )

    found = runs(database_url).newest(2)

    assert found == (
        StoredRun(3, "2026-11-03T10:00:00.250Z", "v1", "pass", 7.5, 0.1, "00000002", "dddddddd"),
        StoredRun(2, "2026-11-02T10:00:00.250Z", "v2", "pass", 7.5, 0.1, "00000001", "dddddddd"),
    )
    assert [run.id for run in runs(database_url).newest(9, rubric_version="v1")] == [3, 1]
    assert runs(database_url).newest(0) == ()


def test_a_score_nobody_knows_is_stored_as_zero_and_a_cost_nobody_knows_is_known_from_the_receipt(
    database_url: str,
) -> None:
    runs(database_url).add(takes_receipt(inconclusive_document(cost_usd=None)))

    (row,) = runs(database_url).newest(1)
    found = runs(database_url).receipt(row.id)

    assert (row.verdict, row.overall_score, row.cost_usd) == ("inconclusive", 0, None)
    assert (found.overall_score, found.cost_usd) == (None, None)


def test_characters_that_jsonb_does_not_know_are_replaced_and_stop_nothing(database_url: str) -> None:
    runs(database_url).add(takes_receipt(receipt_document(improvements=["a\0b", "c\ud800d", "\U0001f600"])))

    assert runs(database_url).receipt(1).improvements == ("a\ufffdb", "c\ufffdd", "\U0001f600")


def test_a_row_that_holds_no_receipt_is_an_input_error_that_names_it(database_url: str) -> None:
    runs(database_url).add(receipt())
    with psycopg.connect(database_url) as connection:
        connection.execute(
            "update eval_takes_quality_runs set receipt_json = jsonb_set(receipt_json, '{schema_version}', '2')"
        )

    with pytest.raises(EvidenceError, match=r"run 1 in the database.*schema_version is 2"):
        runs(database_url).receipt(1)


def test_in_gbrains_own_table_a_role_that_may_only_insert_can_store_runs(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(
            "create table eval_takes_quality_runs (id bigserial primary key,"
            " receipt_sha8_corpus text not null, receipt_sha8_prompt text not null,"
            " receipt_sha8_models text not null, receipt_sha8_rubric text not null, rubric_version text not null,"
            " verdict text not null, overall_score real not null, dim_scores jsonb not null,"
            " cost_usd real not null, receipt_json jsonb not null, receipt_disk_path text,"
            " created_at timestamptz not null default now(), constraint same unique"
            " (receipt_sha8_corpus, receipt_sha8_prompt, receipt_sha8_models, receipt_sha8_rubric))"
        )
        role = f"runner_{connection.info.dbname}"
        connection.execute(f"create role {role} login")
        connection.execute(f"grant select, insert on eval_takes_quality_runs to {role}")
        connection.execute(f"grant usage on sequence eval_takes_quality_runs_id_seq to {role}")
    try:
        kept = runs(make_conninfo(database_url, user=role)).add(receipt())
    finally:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(f"drop owned by {role}")
            connection.execute(f"drop role {role}")

    assert kept == Kept(1, new=True)
