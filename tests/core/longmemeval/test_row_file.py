import json

from gate.core.longmemeval.row_file import Said, file_name, finished_lines, joined_lines, kept_of
from gate.core.longmemeval.run import first_line
from gate.core.records.objections import Objection
from gate.core.records.row_decoder import decode_rows
from tests.core.longmemeval.factories import run

RUN = run("q1", "q2", "q3")
FIRST = first_line(RUN)


def row(name: str, k: int = 5) -> bytes:
    return json.dumps({"question_id": name, "recall_all_hit": True, "k": k}).encode() + b"\n"


def test_a_file_torn_anywhere_keeps_every_whole_row() -> None:
    lines = [FIRST, row("q1"), row("q2"), row("q3")]
    data = b"".join(lines)
    for end in range(len(data) + 1):
        kept = kept_of(data[:end])
        whole = sum(end >= sum(map(len, lines[: number + 1])) for number in range(len(lines)))
        assert len(kept.rows) == max(whole - 1, 0)
        assert (kept.run is not None) == (whole > 0)
        assert kept.whole_bytes + kept.torn_bytes == end
        assert (kept.unreadable, kept.doubled, kept.summed) == (0, 0, False)


def test_the_last_row_of_a_question_counts_and_doubles_are_counted() -> None:
    kept = kept_of(FIRST + row("q1", 8) + row("q2") + row("q1"))
    assert kept.rows["q1"] == row("q1")
    assert kept.doubled == 1


def test_damaged_lines_are_counted_and_lose_nothing_else() -> None:
    kept = kept_of(FIRST + b"{torn\n" + row("q1") + b"\xff\n" + b"{}\n")
    assert kept.unreadable == 3
    assert list(kept.rows) == ["q1"]


def test_foreign_files_state_no_run() -> None:
    kept = kept_of(row("q1"))
    assert kept.run is None
    assert list(kept.rows) == ["q1"]
    assert kept_of(b"").rows == {}


def test_a_finished_file_is_in_the_order_of_the_dataset_and_ends_with_the_summary() -> None:
    summary, lines = finished_lines(RUN, {each: row(each) for each in ("q3", "q1", "q2", "stranger")})
    assert lines[:4] == (FIRST, row("q1"), row("q2"), row("q3"))
    assert json.loads(lines[-1])["kind"] == "by_type_summary"
    assert summary.complete
    assert len(lines) == 5
    table = decode_rows(lines, name="rows")
    assert table.ids == ("q1", "q2", "q3")
    assert table.native


def test_a_finished_file_is_read_as_one_and_a_continued_one_is_not() -> None:
    _, lines = finished_lines(RUN, {"q1": row("q1")}, "deadline")
    assert json.loads(lines[2]) == {"kind": "run_info", "shortfalls": {"deadline": 2}}
    assert kept_of(b"".join(lines)).summed
    continued = kept_of(b"".join(lines) + row("q2"))
    assert not continued.summed
    assert list(continued.rows) == ["q1", "q2"]


def test_what_a_run_went_without_is_a_shortfall() -> None:
    degraded = json.dumps({"question_id": "q1", "search_meta": {"degraded": ["vector_degraded"]}}).encode()
    _, lines = finished_lines(RUN, {"q1": degraded + b"\n", "q2": row("q2"), "q3": row("q3")})
    assert json.loads(lines[4]) == {"kind": "run_info", "shortfalls": {"vector_degraded": 1}}


def test_a_run_that_its_maker_calls_failed_says_so() -> None:
    rows = {name: row(name) for name in ("q1", "q2", "q3")}
    _, lines = finished_lines(RUN, rows, distrusted=True)
    assert json.loads(lines[4]) == {"kind": "run_info", "shortfalls": {"suite_failed": 3}}


def test_a_line_that_is_no_object_is_unreadable_and_not_the_end() -> None:
    kept = kept_of(first_line(RUN) + b"[]\n{}\n" + row("q1") + b"\xff\n")
    assert (kept.unreadable, list(kept.rows)) == (3, ["q1"])


def test_a_joined_run_says_where_its_parts_fell_short_and_what_is_held_against_them() -> None:
    against = Objection("every question", "cancelled", "shard 2/3 is missing")
    rows = (row("q1"), row("q3"))
    said = joined_lines(RUN, rows, Said({"cancelled": 0}, (against,), ("1 of 3 questions left out",)))
    assert said[:3] == (FIRST, *rows)
    assert json.loads(said[3]) == {
        "kind": "run_info",
        "shortfalls": {"cancelled": 0},
        "objections": [against.line()],
        "notes": ["1 of 3 questions left out"],
    }
    assert json.loads(said[4])["questions_left"] == 1
    whole = {each: row(each) for each in ("q1", "q2", "q3")}
    assert joined_lines(RUN, tuple(whole.values()), Said({})) == finished_lines(RUN, whole)[1]


def test_a_run_that_calls_itself_failed_is_known_to() -> None:
    rows = {each: row(each) for each in ("q1", "q2", "q3")}
    assert kept_of(b"".join(finished_lines(RUN, rows, distrusted=True)[1])).failed
    assert not kept_of(b"".join(finished_lines(RUN, rows)[1])).failed


def test_a_file_is_named_after_its_mode() -> None:
    assert file_name("a/b mode") == "longmemeval-a-b-mode"
