"""A record says what ran and what is known about it, and nothing that is not."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.ledger import fingerprints, read_ledger
from gate.core.records.new_record import record_line
from gate.core.records.run_records import (
    Occasion,
    RunFacts,
    base36,
    failed_facts,
    ran_at,
    run_record,
    sha256_of,
)

STARTED = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)


def facts(**overrides: object) -> RunFacts:
    known: dict[str, object] = {
        "suite": "replay",
        "mode": "balanced",
        **overrides,
    }
    when = {
        "commit": "1e025c00c8422d130a3ef119ac7558ce84344d09",
        "seed": 42,
        "started": STARTED,
        "duration_ms": 1200,
    }
    for name in Occasion.__dataclass_fields__.keys() & known.keys():
        when[name] = known.pop(name)
    occasion = Occasion(**when)  # type: ignore[arg-type]  # overrides are typed by the tests that pass them
    return RunFacts(occasion=occasion, **known)  # type: ignore[arg-type]


@given(st.integers(0, 2**60))
def test_base_36_reads_back(number: int) -> None:
    assert int(base36(number), 36) == number


def test_the_id_holds_commit_suite_mode_seed_and_moment() -> None:
    commit, suite, mode, seed, moment = run_record(facts()).run_id.split("-")
    assert (commit, suite, mode, seed) == ("1e025c00c", "replay", "balanced", "42")
    assert int(moment, 36) == 1_796_040_000_250


def test_two_runs_at_two_moments_have_two_ids() -> None:
    later = run_record(facts(started=STARTED + timedelta(milliseconds=1)))
    assert later.run_id != run_record(facts()).run_id


def test_moments_are_written_in_utc() -> None:
    assert ran_at(STARTED.astimezone(timezone(timedelta(hours=2)))) == "2026-11-30T12:00:00.250Z"


def test_everything_known_stands_where_readers_of_a_ledger_look_for_it() -> None:
    record = run_record(
        facts(
            rows_path="rows/replay.ndjson",
            rows_sha256="a" * 64,
            digests={"dataset_sha256": "d" * 64, "corpus_sha256": "c" * 64},
            identities={"embedder": "minilm", "retrieval_config_hash": "r1"},
            knobs={"limit": 25},
            params={"k": 5, "answers": None},
            dataset_commit="98d7416",
            metrics={"jaccard@k": 0.5},
        )
    )
    read = read_ledger(record_line(record)).records[0]
    assert read.output == "rows/replay.ndjson"
    assert read.params["output_sha256"] == "a" * 64
    assert read.params["knobs"] == {"limit": 25}
    assert "answers" not in read.params
    assert read.aggregates == {"jaccard@k": 0.5}
    assert fingerprints(read) == {
        "dataset_sha256": "d" * 64,
        "corpus_sha256": "c" * 64,
        "k": "5",
        "retrieval_config_hash": "r1",
        "embedder": "minilm",
        "mode": "balanced",
    }


def test_what_is_not_known_is_not_written() -> None:
    record = run_record(facts(commit=None, status="failed", error="it ended"))
    line = record_line(record)
    assert record.commit == "unknown"
    assert record.params == {}
    assert b"metrics" not in line
    assert b"limit" not in line


@pytest.mark.parametrize(
    ("mode", "recorded", "kept"),
    [("tokenmax", "tokenmax", None), ("n/a", "n/a", None), ("hybrid", "n/a", "hybrid")],
)
def test_a_mode_that_is_no_search_mode_is_kept_as_the_system_s_own(
    mode: str, recorded: str, kept: str | None
) -> None:
    record = run_record(facts(mode=mode))
    assert record.mode == recorded
    assert record.params.get("system_mode") == kept
    assert "/" not in record.run_id


def test_the_digest_of_a_set_does_not_know_its_order() -> None:
    assert sha256_of(["b", "a"]) == sha256_of(["a", "b"]) != sha256_of(["ab"])
    assert (
        sha256_of(["abc"]) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )  # FIPS 180-2


def test_a_run_that_came_to_nothing_is_recorded_with_why() -> None:
    occasion = Occasion(commit=None, seed=7, started=STARTED, duration_ms=3, dataset_commit="d" * 40)
    record = run_record(failed_facts("replay", "balanced", occasion, "suite_failed: gone"))
    assert (record.status, record.error, record.seed) == ("failed", "suite_failed: gone", 7)
    assert record.params == {"dataset_commit": "d" * 40}
