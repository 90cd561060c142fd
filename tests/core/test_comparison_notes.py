import pytest

from gate.core.comparison_notes import ledger_notes, left_out, row_notes
from gate.core.records.rows import RowNotes
from tests.run_factories import ledger, run, run_object
from tests.tables import table


def test_a_clean_ledger_has_nothing_to_note() -> None:
    found = ledger(run_object("a"), b"", run_object("b", schema_version=2))

    assert list(ledger_notes(found)) == []
    assert list(left_out(found.records, frozenset())) == []


def test_skipped_lines_are_counted_and_the_first_few_explained() -> None:
    found = ledger(b"{", b"[]", b"\xff", b"{", b"{", b"{", b"{")

    (note,) = ledger_notes(found)

    assert note.startswith("7 ledger lines skipped: line 1, the line is not JSON (")
    assert "line 2, the line is not an object" in note
    assert "line 3, the line is not UTF-8" in note
    assert note.endswith(" and 2 more")


def test_repeated_run_ids_are_named() -> None:
    (note,) = ledger_notes(ledger(run_object("a"), run_object("b"), run_object("a"), run_object("b")))

    assert note.startswith("2 run ids in the ledger more than once (a, b)")


def test_records_of_a_later_version_are_read_and_counted() -> None:
    (note,) = ledger_notes(ledger(run_object("a", schema_version=4)))

    assert note == "1 record of an unknown schema_version, read like version 3"


def test_runs_that_did_not_complete_are_counted_by_suite_mode_and_status() -> None:
    records = [
        run("a", status="failed"),
        run("b", status="failed"),
        run("c", status="skipped", mode="tokenmax"),
        run("d"),
    ]

    assert list(left_out(records, frozenset())) == [
        "longmemeval, balanced: 2 records with status failed left out; only completed runs stand",
        "longmemeval, tokenmax: 1 record with status skipped left out; only completed runs stand",
    ]
    assert len(list(left_out(records, frozenset({"a", "b"})))) == 1


def test_dates_nobody_can_read_are_counted() -> None:
    (note,) = left_out([run("a", ran_at="soon")], frozenset())

    assert note == "1 record without a readable ran_at (a): the first one seen stands"


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (RowNotes(), []),
        (RowNotes(torn_lines=2), ["a: 2 lines that are no rows, skipped"]),
        (RowNotes(blank_lines=1), ["a: 1 blank line, skipped"]),
        (RowNotes(duplicate_ids=3), ["a: 3 rows that repeat a question id: the last one counts"]),
        (RowNotes(legacy_rows=1), ["a: 1 row that knows only recall_hit: it counts for recall_any@k alone"]),
        (
            RowNotes(not_metrics=("x", "y")),
            ["a: not compared, since they are numbers in some rows and text in others: x, y"],
        ),
    ],
)
def test_what_reading_the_rows_left_out_is_said(notes: RowNotes, expected: list[str]) -> None:
    assert list(row_notes(run("a"), table(1, notes=notes, hit=[1]))) == expected


def test_questions_that_ended_in_an_error_are_counted() -> None:
    assert list(row_notes(run("a"), table(2, errored=[0], hit=[1, 1]))) == [
        "a: 1 question that ended in an error"
    ]


def test_a_record_and_its_rows_that_contradict_each_other_are_shown() -> None:
    record = run("a", params={"topK": 8, "embedder": "e"})
    rows = table(1, fingerprints={"k": "5", "embedder": "e"}, hit=[1])

    assert list(row_notes(record, rows)) == ["a: its record says k 8, its rows say 5; the rows count"]
