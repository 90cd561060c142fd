import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.ledger import (
    Ledger,
    RunRecord,
    Skip,
    fingerprints,
    grouped,
    latest,
    moment,
    read_ledger,
    read_line,
)
from tests.run_factories import ledger, ledger_bytes, run, run_object

REAL = Path(__file__).parents[4] / "shared" / "data" / "gbrain" / "outputs" / "ledger-final.jsonl"


def kept(data: bytes) -> list[str]:
    return [record.run_id for record in read_ledger(data).records]


def test_a_record_keeps_the_object_as_it_was_read_with_keys_nobody_knows() -> None:
    line = json.dumps(run_object("a", later={"x": [1, 2.5, None]})).encode()

    record = read_line(line, number=7)

    assert isinstance(record, RunRecord)
    assert record.raw == json.loads(line)
    assert (record.run_id, record.suite, record.mode, record.line) == ("a", "longmemeval", "balanced", 7)
    assert (record.ran_at, record.status, record.commit) == (
        "2026-11-01T10:00:00.000Z",
        "completed",
        "a1b2c3d",
    )
    assert record.output == "a.ndjson"


@pytest.mark.parametrize("version", [2, 3])
def test_version_2_and_version_3_are_read_alike(version: int) -> None:
    assert kept(ledger_bytes(run_object("a", schema_version=version))) == ["a"]


def test_what_a_record_does_not_say_is_unknown_and_not_made_up() -> None:
    record = RunRecord(run_id="a", suite="s", mode="balanced", raw={})

    assert (record.ran_at, record.moment, record.status, record.commit) == (None, None, "unknown", None)
    assert (record.output, record.params, record.aggregates) == (None, {}, {})


def test_the_commit_unknown_is_no_commit() -> None:
    assert run("a", commit="unknown").commit is None


def test_parameters_that_are_no_object_are_none() -> None:
    assert run("a", params=[1]).params == {}
    assert run("a", params={"output": None}).output is None
    assert run("a", params={"output": ""}).output is None


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        pytest.param(b"  \r", "blank", "the line is blank", id="blank"),
        pytest.param(b"{", "torn", "the line is not JSON", id="not-json"),
        pytest.param(b"[1]", "not_a_record", "not an object", id="array"),
        pytest.param(b"\xff\xfe{}", "not_utf8", "not UTF-8", id="bytes"),
        pytest.param(b'{"run_id":"a","suite":"s"}', "not_a_record", "no run_id, mode or suite", id="no-mode"),
        pytest.param(b'{"run_id":"","suite":"s","mode":"m"}', "not_a_record", "no run_id", id="empty-id"),
        pytest.param(b'{"run_id":7,"suite":"s","mode":"m"}', "not_a_record", "no run_id", id="number-id"),
        pytest.param(b'{"run_id":"a","suite":"s","mode":"m","x":NaN}', "torn", "NaN", id="nan"),
        pytest.param(b'{"run_id":"a","x":' + b"9" * 5000 + b"}", "torn", "too long", id="endless-number"),
        pytest.param(b'{"run_id":"a","x":' + b"[" * 99_999, "torn", "nests deeper", id="deep"),
        pytest.param(
            b'{"run_id":"a","suite":"s","mode":"m","x":' + b"[" * 100 + b"]" * 100 + b"}",
            "torn",
            "nests deeper",
            id="just-too-deep",
        ),
    ],
)
def test_a_line_that_is_no_record_is_skipped_with_a_reason(line: bytes, kind: str, reason: str) -> None:
    found = read_line(line)

    assert isinstance(found, Skip)
    assert found.kind == kind
    assert reason in found.reason


def test_many_brackets_side_by_side_are_not_deep() -> None:
    line = json.dumps(run_object("a", params={"list": [[] for _ in range(500)]})).encode()

    assert isinstance(read_line(line), RunRecord)


def test_every_line_is_a_record_or_counted() -> None:
    data = ledger_bytes(run_object("a"), b"", b"{", b"[]", b"\xff", run_object("b")) + b'{"run_id":"c"'

    found = read_ledger(data)

    assert [(record.run_id, record.line) for record in found.records] == [("a", 1), ("b", 6)]
    assert found.skipped == {"blank": 1, "torn": 2, "not_utf8": 1, "not_a_record": 1}
    assert found.skips[-1] == Skip(7, "torn", "the last line was cut off before its end")


def test_a_byte_order_mark_and_crlf_are_no_obstacle() -> None:
    data = ledger_bytes(run_object("a"), run_object("b"))

    assert kept(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")) == ["a", "b"]


def test_a_last_line_without_newline_counts_when_it_is_whole() -> None:
    assert kept(ledger_bytes(run_object("a"), run_object("b")).rstrip(b"\n")) == ["a", "b"]


def test_an_empty_file_is_an_empty_ledger_that_is_not_missing() -> None:
    found = read_ledger(b"")

    assert (found.records, found.skips, found.missing) == ((), (), False)


@given(st.binary(max_size=300))
def test_no_bytes_make_reading_fail(data: bytes) -> None:
    found = read_ledger(data)

    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    assert len(found.records) + len(found.skips) == len(lines) - (not lines[-1])


def test_run_ids_that_occur_twice_are_reported_and_the_first_one_is_found() -> None:
    found = ledger(run_object("a"), run_object("b"), run_object("a", status="failed"))

    assert found.duplicate_run_ids == ("a",)
    record = found.find("a")
    assert record is not None
    assert record.line == 1
    assert found.find("c") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-01T10:00:00.000Z", datetime(2026, 11, 1, 10, tzinfo=UTC)),
        ("2026-11-01T12:00:00+02:00", datetime(2026, 11, 1, 10, tzinfo=UTC)),
        ("2026-11-01T10:00:00", datetime(2026, 11, 1, 10, tzinfo=UTC)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)),
        ("yesterday", None),
        (None, None),
    ],
)
def test_a_moment_is_read_from_iso_text_and_is_utc_by_default(
    text: str | None, expected: datetime | None
) -> None:
    assert moment(text) == expected


def test_the_latest_record_is_the_one_with_the_greatest_date() -> None:
    records = [
        run("old", ran_at="2026-11-01T10:00:00.000Z"),
        run("new", ran_at="2026-11-03T10:00:00.000Z"),
        run("mid", ran_at="2026-11-02T10:00:00.000Z"),
    ]

    found = latest(records)

    assert found is not None
    assert found.run_id == "new"


def test_equal_dates_keep_the_record_seen_first() -> None:
    found = latest([run("first"), run("second")])

    assert found is not None
    assert found.run_id == "first"


@pytest.mark.parametrize(
    "dates", [("not a date", "2026-11-01T10:00:00Z"), ("2026-11-01T10:00:00Z", "not a date")]
)
def test_unreadable_dates_keep_the_record_seen_first(dates: tuple[str, str]) -> None:
    found = latest([run("first", ran_at=dates[0]), run("second", ran_at=dates[1])])

    assert found is not None
    assert found.run_id == "first"


def test_of_no_records_none_is_the_latest() -> None:
    assert latest([]) is None


def ids(groups: object) -> dict[str, dict[str, str | None]]:
    assert isinstance(groups, dict)
    return {
        suite: {mode: None if record is None else record.run_id for mode, record in modes.items()}
        for suite, modes in groups.items()
    }


def test_every_suite_lists_the_three_search_modes_in_order_and_then_the_others() -> None:
    groups = grouped([run("a", mode="tokenmax"), run("b", mode="n/a"), run("c", suite="replay")])

    assert ids(groups) == {
        "longmemeval": {"conservative": None, "balanced": None, "tokenmax": "a", "n/a": "b"},
        "replay": {"conservative": None, "balanced": "c", "tokenmax": None},
    }
    assert list(groups["longmemeval"]) == ["conservative", "balanced", "tokenmax", "n/a"]


@pytest.mark.parametrize("status", ["failed", "skipped", "over_budget", None])
def test_a_later_run_that_did_not_complete_does_not_hide_an_earlier_one(status: str | None) -> None:
    later = run("later", ran_at="2026-11-09T10:00:00.000Z", status=status)

    assert ids(grouped([run("earlier"), later]))["longmemeval"]["balanced"] == "earlier"


def test_a_run_that_did_not_complete_stands_when_it_is_named() -> None:
    later = run("later", ran_at="2026-11-09T10:00:00.000Z", status="failed")

    groups = grouped([run("earlier"), later], named=frozenset({"later"}))

    assert ids(groups)["longmemeval"]["balanced"] == "later"


def test_another_mode_of_which_no_run_completed_is_no_group() -> None:
    assert "n/a" not in grouped([run("a", mode="n/a", status="failed")])["longmemeval"]


def test_fingerprints_are_what_the_parameters_say_under_the_names_rows_use() -> None:
    params = {
        "dataset_sha256": "d6f2",
        "topK": 5,
        "knobs_hash": "k1",
        "retrieval_config_hash": "r1",
        "embedder": "e@1536",
        "autocut": False,
        "reranker": {"enabled": True, "model": "zero"},
        "reader": {"model": "m", "config_hash": "h", "mode": "notes", "prompt_version": 2},
        "qa_accuracy": {"judge_model": "j", "judge_config_hash": "jh", "judge_prompt_version": "v1"},
        "cache": {"canonical_sha256": "c1", "sha256": "c2"},
        "expansion": None,
    }

    assert fingerprints(run("a", params=params)) == {
        "dataset_sha256": "d6f2",
        "k": "5",
        "judge_model": "j",
        "judge_config_hash": "jh",
        "judge_prompt_version": "v1",
        "retrieval_config_hash": "r1",
        "knobs_hash": "k1",
        "reader_config_hash": "h",
        "reader_model": "m",
        "reader_mode": "notes",
        "reader_prompt_version": "2",
        "embedder": "e@1536",
        "reranker": "zero",
        "reranker_enabled": "true",
        "autocut": "false",
        "cache": "c1",
        "mode": "balanced",
    }


def test_what_is_not_stated_is_no_fingerprint_and_neither_is_the_commit() -> None:
    assert fingerprints(run("a", params={"qa_accuracy": None, "topK": float("inf")})) == {"mode": "balanced"}


def test_a_ledger_says_what_it_skipped_for_every_kind_even_when_there_is_none() -> None:
    assert Ledger().skipped == {"blank": 0, "torn": 0, "not_utf8": 0, "not_a_record": 0}


@pytest.mark.skipif(not REAL.exists(), reason="the shared data set is not beside the repository")
def test_a_ledger_the_original_program_wrote_is_read_whole() -> None:
    found = read_ledger(REAL.read_bytes())

    assert [record.suite for record in found.records] == [
        "retrieval-canary",
        "brainbench",
        "brainbench",
        "retrieval-canary",
    ]
    assert found.skips == ()
    assert found.duplicate_run_ids == ("1e025c0-brainbench-na-42",)
    assert fingerprints(found.records[0])["k"] == "10"
    assert fingerprints(found.records[1])["dataset_sha256"].startswith("509fd20d")
