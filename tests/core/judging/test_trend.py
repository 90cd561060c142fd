from typing import Any, cast

from gate.core.judging.trend import MOST_ROWS, Epoch, TrendRow, epochs, ledger_rows, merged, trend_document
from gate.core.records.ledger import RunRecord


def row(day: int = 1, **overrides: Any) -> TrendRow:
    members = {
        "ts": f"2026-11-{day:02d}T12:00:00.000Z",
        "rubric_version": "gate-1",
        "verdict": "pass",
        "overall": 8.0,
        "cost": 0.5,
        "corpus_sha8": "aaaaaaaa",
    }
    return TrendRow(**{**members, **overrides})


def record(
    metrics: dict[str, object] | None = None, *, suite: str = "takes-quality", **params: Any
) -> RunRecord:
    stated = {
        "ts": "2026-11-01T12:00:00.000Z",
        "verdict": "pass",
        "rubric_version": "gate-1",
        "corpus_sha8": "aaaaaaaa",
        **params,
    }
    raw = {"params": stated, "metrics": metrics or {}}
    return RunRecord(run_id="run-1", suite=suite, mode="n/a", raw=raw)


def test_a_record_of_the_ledger_is_a_row_and_what_it_does_not_say_is_unknown() -> None:
    metrics: dict[str, object] = {
        "accuracy": 8,
        "attribution": None,
        "overall_score": 8,
        "signal_density": True,
    }

    rows, unreadable = ledger_rows([record(metrics), record(suite="retrieval")])

    assert rows == (row(dimensions={"accuracy": 8.0}, cost=None, run_id="run-1"),)
    assert unreadable == 0


def test_records_that_say_too_little_are_counted() -> None:
    assert ledger_rows([record(ts=None), record(verdict="maybe"), record(corpus_sha8=7)]) == ((), 3)


def test_a_run_that_both_places_know_is_one_row_with_its_number() -> None:
    stored = row(1, id=7, cost=0.0)
    ledger = row(1, run_id="run-1", cost=None)

    assert merged([stored, row(2, id=8)], [ledger, row(3)], limit=20, rubric=None) == (
        row(3),
        row(2, id=8),
        row(1, id=7, run_id="run-1", cost=None),
    )


def test_rows_are_limited_and_of_one_rubric_where_that_is_asked_for() -> None:
    many = [row(1 + number % 28, corpus_sha8=f"{number:08x}") for number in range(250)]

    assert len(merged(many, (), limit=1000, rubric=None)) == MOST_ROWS
    assert merged(many, (), limit=0, rubric=None) == ()
    assert merged([row(1), row(2, rubric_version="v1.0")], (), limit=9, rubric="v1.0") == (
        row(2, rubric_version="v1.0"),
    )


def test_the_document_has_the_contract_s_keys_first() -> None:
    document = trend_document([row(verdict="inconclusive", overall=None, cost=None, id=3)])

    assert document["schema_version"] == 1
    (only,) = cast("list[dict[str, object]]", document["rows"])
    assert list(only)[:7] == [
        "id", "ts", "rubric_version", "verdict", "overall_score", "cost_usd", "corpus_sha8",
    ]  # fmt: skip
    assert (only["overall_score"], only["cost_usd"]) == (0, None)


def test_an_epoch_ends_where_the_rubric_s_name_or_its_words_change() -> None:
    one, same = row(1), row(2)
    other, words = row(3, rubric_version="gate-2"), row(4, rubric_version="gate-2", rubric_sha8="bbbbbbbb")

    assert epochs([one, same, other]) == (Epoch("gate-1", 0, (one, same)), Epoch("gate-2", 2, (other,)))
    assert [epoch.name for epoch in epochs([other, words, one])] == [
        "gate-2 (unknown)",
        "gate-2 (bbbbbbbb)",
        "gate-1",
    ]
    assert epochs([]) == ()


def test_the_digest_of_the_rubric_comes_from_whichever_place_knows_it() -> None:
    stored = row(1, id=7, rubric_sha8="bbbbbbbb")

    for recorded, expected in ((row(1), "bbbbbbbb"), (row(1, rubric_sha8="cccccccc"), "cccccccc")):
        (found,) = merged([stored], [recorded], limit=20, rubric=None)
        assert found.rubric_sha8 == expected
    ((found,), _) = ledger_rows([record(rubric_sha8="dddddddd")])
    assert found.rubric_sha8 == "dddddddd"
