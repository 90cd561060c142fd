"""Rows of every kind and every kind of damage, through the decoder."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.row_decoder import decode_rows
from gate.core.records.row_lines import MAX_LINE_BYTES
from gate.core.records.row_shape import MAX_FIELDS, MAX_STATED, MAX_TYPES
from gate.errors import EvidenceError
from tests.rows import content, ndjson, read, values

GENERIC = {"question_id": "a", "recall@5": 0.5}


def refusal(*parts: object, **options: object) -> str:
    with pytest.raises(EvidenceError) as caught:
        read(*parts, **options)  # type: ignore[arg-type]  # whatever a test hands over
    assert caught.value.remedy
    return caught.value.message


# generic rows


def test_every_number_and_boolean_of_a_generic_row_is_a_metric() -> None:
    table = read({"question_id": "a", "recall@5": 0.5, "hit@1": True, "latency_ms": 12, "note": "x"})
    assert {name: values(table, name) for name in table.metrics} == {
        "recall@5": [0.5],
        "hit@1": [1.0],
        "latency_ms": [12.0],
    }
    assert not table.native


def test_a_row_without_a_value_was_not_measured_and_is_no_zero() -> None:
    table = read({"question_id": "a", "m": 1}, {"question_id": "b"}, {"question_id": "c", "m": None})
    assert values(table, "m") == [1.0, None, None]


def test_a_metric_that_appears_late_was_absent_before() -> None:
    table = read(GENERIC, {"question_id": "b", "recall@5": 1, "mrr": 0.25}, block=30)
    assert values(table, "mrr") == [None, 0.25]


def test_a_metric_that_no_row_measured_is_none() -> None:
    assert "m" not in read({"question_id": "a", "m": None, "n": 1}).metrics


def test_bookkeeping_may_hold_anything_in_any_row() -> None:
    answers = ["Lisbon", 3, None, ["x"], {"a": 1}, 1e308]
    rows = [{"question_id": str(number), "answer": answer} for number, answer in enumerate(answers)]
    table = read(*rows, b'{"question_id":"z","answer":1e999}\n', block=30)
    assert (len(table), table.metrics, table.notes.not_metrics) == (7, {}, ())


def test_ranks_ids_and_counters_are_no_metrics() -> None:
    row = {"question_id": "a", "rank": 3, "bm25_rank": 1, "rank_before": 2, "doc_id": 7, "seed": 42, "k": 5}
    assert not read(row).metrics


def test_a_rule_makes_bookkeeping_a_metric_but_never_a_field_with_a_meaning() -> None:
    row = {"question_id": "a", "attempts": 3, "gold_rank": 2, "k": 5}
    table = read(row, required=frozenset({"attempts", "gold_rank", "k", "not-there"}))
    assert list(table.metrics) == ["attempts"]


def test_a_field_with_numbers_and_texts_is_no_metric_and_listed() -> None:
    table = read({"question_id": "a", "m": 1, "n": 2}, {"question_id": "b", "m": "n/a", "n": 3})
    assert list(table.metrics) == ["n"]
    assert table.notes.not_metrics == ("m",)


@pytest.mark.parametrize("other", ["text", [1], {"x": 1}])
def test_a_mixed_field_is_noticed_in_whichever_order_and_block_its_kinds_come(other: object) -> None:
    first, second = {"question_id": "a", "m": other}, {"question_id": "b", "m": 1}
    for rows in ((first, second), (second, first)):
        for block in (5, 1 << 20):
            assert read(*rows, block=block).notes.not_metrics == ("m",)


def test_texts_lists_and_objects_in_one_field_are_just_no_numbers() -> None:
    rows = [{"question_id": str(n), "m": value} for n, value in enumerate(["t", [1], {"a": 1}, None])]
    table = read(*rows, *[{**row, "question_id": f"again-{row['question_id']}"} for row in rows], block=7)
    assert (table.metrics, table.notes.not_metrics) == ({}, ())


def test_a_text_in_a_gated_metric_is_an_error_that_names_line_and_field() -> None:
    rows = (GENERIC, {"question_id": "b", "recall@5": "0.5"})
    expected = "rows.ndjson, line 2: `recall@5` must be a finite number, true or false, not text"
    assert refusal(*rows, required=frozenset({"recall@5"})) == expected


def test_types_clusters_and_repeats_are_kept_and_numbers_name_them_too() -> None:
    table = read(
        {"question_id": "a", "question_type": "x", "cluster_id": 7, "repeat": 1.0},
        {"question_id": "a", "cluster_id": "c", "repeat": "two"},
        {"question_id": "b"},
    )
    assert table.types == ("x", None, None)
    assert table.clusters == ("7", "c", "b")
    assert table.repeats == ("1", "two", "")


def test_what_no_row_says_is_absent() -> None:
    table = read(GENERIC)
    assert (table.types, table.clusters, table.repeats) == (None, None, None)
    assert (table.gold_ranks, table.rankings, table.content_hashes) == (None, None, None)


def test_more_question_types_than_are_learnt_are_read_all_the_same() -> None:
    types = [f"type-{number}" for number in range(MAX_TYPES + 2)]
    table = read(*({"question_id": name, "question_type": name} for name in types), block=50)
    assert table.types == tuple(types)


def test_a_question_type_of_any_length_is_kept() -> None:
    assert read({"question_id": "a", "question_type": "x" * 500}).types == ("x" * 500,)


def test_a_question_type_must_be_text() -> None:
    message = refusal({"question_id": "a", "question_type": "t"}, {"question_id": "b", "question_type": 3})
    assert message == "rows.ndjson, line 2: `question_type` must be text, not a number"


@pytest.mark.parametrize("error", ["timeout", {"code": 1}, True, ["x"]])
def test_a_row_with_an_error_is_errored(error: object) -> None:
    assert read({"question_id": "a"}, {"question_id": "b", "error": error}).errored.tolist() == [False, True]


@pytest.mark.parametrize("error", ["", {}, [], None, False])
def test_an_empty_error_is_none(error: object) -> None:
    assert not read({"question_id": "a", "error": error}).errored.any()


def test_a_metric_called_error_is_refused_before_it_counts_as_an_error() -> None:
    assert "`error` must be a text or an object" in refusal({"question_id": "a", "error": 0.3})


def test_gold_ranks_tell_unknown_from_not_found() -> None:
    rows = [
        {"question_id": str(n), **extra}
        for n, extra in enumerate(({"gold_rank": 3}, {}, {"gold_rank": None}))
    ]
    table = read(*rows, {"question_id": "z", "gold_rank": 0})
    assert table.gold_ranks is not None
    assert table.gold_ranks.tolist() == [3, -1, 0, 0]


def test_retrieved_documents_give_a_digest_that_sees_their_order() -> None:
    by_text = read(
        {"question_id": "a", "retrieved": ["d1", "d2"]}, {"question_id": "b", "retrieved": ["d2", "d1"]}
    )
    by_object = read({"question_id": "a", "retrieved": [{"doc_id": "d1", "score": 2}, {"id": "d2"}]})
    assert by_text.rankings is not None
    assert by_object.rankings is not None
    assert len(set(by_text.rankings)) == 2
    assert by_object.rankings[0] == by_text.rankings[0]


@pytest.mark.parametrize("retrieved", [3, "d1", [1.5], [{"score": 1}], None])
def test_something_else_called_retrieved_is_left_alone(retrieved: object) -> None:
    assert read({"question_id": "a", "retrieved": retrieved}).rankings is None


def test_a_digest_of_the_ranking_may_stand_for_it() -> None:
    rows = ({"question_id": "a", "ranking_digest": "abc"}, {"question_id": "b"})
    assert read(*rows).rankings == ("abc", None)


def test_content_hashes_are_kept() -> None:
    assert read({"question_id": "a", "content_hash": "h"}, {"question_id": "b"}).content_hashes == ("h", None)


# native rows


def test_native_rows_have_the_three_metrics_of_the_contract_and_no_others() -> None:
    row = {
        "question_id": "a",
        "recall_all_hit": False,
        "recall_any_hit": True,
        "judge_correct": True,
        "extra": 3,
    }
    table = read(row)
    assert {name: values(table, name) for name in table.metrics} == {
        "recall_all@k": [0.0],
        "recall_any@k": [1.0],
        "qa_accuracy": [1.0],
    }
    assert table.native


def test_a_rule_names_further_metrics_of_native_rows() -> None:
    row = {"question_id": "a", "recall_all_hit": True, "latency_ms": 3, "tokens": 5}
    assert list(read(row, required=frozenset({"latency_ms"})).metrics) == ["recall_all@k", "latency_ms"]


def test_the_first_generation_has_no_metrics_but_is_native() -> None:
    rows = (
        {"question_id": "a", "hypothesis": "x", "retrieved_session_ids": ["s1"]},
        {"question_id": "b", "hypothesis": "", "error": "boom"},
    )
    table = read(*rows)
    assert table.native
    assert not table.metrics
    assert table.errored.tolist() == [False, True]


def test_an_older_recall_hit_is_any_recall_and_counted_as_legacy() -> None:
    rows = (
        {"question_id": "a", "recall_hit": True},
        {"question_id": "b", "recall_hit": False, "recall_any_hit": True, "recall_all_hit": False},
    )
    table = read(*rows)
    assert values(table, "recall_any@k") == [1.0, 1.0]
    assert values(table, "recall_all@k") == [None, 0.0]
    assert table.notes.legacy_rows == 1


def test_legacy_rows_alone_have_any_recall() -> None:
    table = read({"question_id": "a", "recall_hit": True}, {"question_id": "b", "recall_hit": None})
    assert values(table, "recall_any@k") == [1.0, None]
    assert table.notes.legacy_rows == 1


def test_a_judge_error_leaves_the_question_without_accuracy() -> None:
    rows = (
        {"question_id": "a", "judge_correct": True, "judge_error": "timeout"},
        {"question_id": "b", "judge_correct": False, "judge_error": None},
        {"question_id": "c", "judge_error": ""},
    )
    table = read(*rows)
    assert values(table, "qa_accuracy") == [None, 0.0, None]
    assert table.judge_errors.tolist() == [True, False, True]


def test_a_metric_that_only_judge_errors_have_is_left_out() -> None:
    assert not read({"question_id": "a", "judge_correct": True, "judge_error": "x"}).metrics


def test_abstentions_are_marked_by_field_or_by_id() -> None:
    rows = (
        {"question_id": "a", "abstention": True},
        {"question_id": "b_abs"},
        {"question_id": "c_absent", "abstention": False},
        {"question_id": "d", "abstention": None},
    )
    assert read(*rows).abstentions.tolist() == [True, True, False, False]


def test_the_gold_rank_of_native_rows_is_the_best_of_their_sessions() -> None:
    found = ["s1", "s2", "s3"]
    rows = [
        {"question_id": "one", "retrieved_session_ids": found, "answer_session_ids": ["s2"]},
        {"question_id": "two", "retrieved_session_ids": found, "answer_session_ids": ["s3", "s9", "s2"]},
        {"question_id": "missed", "retrieved_session_ids": found, "answer_session_ids": ["s9"]},
        {"question_id": "both missed", "retrieved_session_ids": found, "answer_session_ids": ["s8", "s9"]},
        {"question_id": "no gold", "retrieved_session_ids": found, "answer_session_ids": []},
        {"question_id": "no list", "retrieved_session_ids": found},
        {"question_id": "no ranking", "answer_session_ids": ["s1"]},
    ]
    table = read(*rows)
    assert table.gold_ranks is not None
    assert table.gold_ranks.tolist() == [2, 2, 0, 0, -1, -1, -1]


def test_a_stated_gold_rank_helps_where_the_sessions_do_not_tell() -> None:
    rows = (
        {"question_id": "a", "retrieved_session_ids": ["s"], "answer_session_ids": ["s"], "gold_rank": 9},
        {"question_id": "b", "retrieved_session_ids": ["s"], "gold_rank": 4},
    )
    table = read(*rows)
    assert table.gold_ranks is not None
    assert table.gold_ranks.tolist() == [1, 4]


def test_retrieved_sessions_come_before_retrieved_chunks() -> None:
    rows = (
        {"question_id": "a", "retrieved_session_ids": ["s"], "retrieved": ["chunk"]},
        {"question_id": "b", "retrieved": ["s"]},
    )
    table = read(*rows)
    assert table.rankings is not None
    assert table.rankings[0] == table.rankings[1]


@pytest.mark.parametrize(
    "field", ["recall_all_hit", "recall_any_hit", "recall_hit", "judge_correct", "abstention"]
)
def test_a_number_in_place_of_a_native_boolean_is_an_error(field: str) -> None:
    expected = f"rows.ndjson, line 1: `{field}` must be true or false, not a number"
    assert refusal({"question_id": "a", field: 1}) == expected


def test_lists_of_sessions_hold_texts() -> None:
    expected = "rows.ndjson, line 1: `retrieved_session_ids` must be a list of texts, not a number"
    assert refusal({"question_id": "a", "retrieved_session_ids": ["s", 3]}) == expected


# lines about the run


def test_fingerprints_come_from_run_info_lines_summaries_and_rows() -> None:
    table = read(
        {"kind": "run_info", "k": 5, "code_commit": "abc", "units": {"latency_ms": "ms"}},
        {**GENERIC, "judge_model": "m", "mode": "balanced"},
        {"kind": "by_type_summary", "run_config": {"topK": 5, "reader": {"model": "r"}}},
        {"kind": "something else", "colour": "blue"},
    )
    assert table.fingerprints == {
        "code_commit": "abc",
        "judge_model": "m",
        "k": "5",
        "mode": "balanced",
        "reader_model": "r",
    }
    assert table.units == {"latency_ms": "ms"}
    assert table.notes.run_info_lines == 3


def test_a_later_summary_replaces_an_earlier_one() -> None:
    table = read({"kind": "by_type_summary", "k": 5}, {"kind": "by_type_summary", "k": 8})
    assert table.fingerprints == {"k": "8"}


def test_a_summary_is_no_row_even_with_an_id() -> None:
    table = read(GENERIC, {"question_id": "b", "kind": "by_type_summary", "k": 8})
    assert table.ids == ("a",)


def test_a_row_may_have_a_kind() -> None:
    assert read({**GENERIC, "kind": "row"}, {"question_id": "b", "kind": 3}).ids == ("a", "b")


def test_different_statements_of_one_run_are_mixed() -> None:
    rows = [{"question_id": str(number), "judge_model": f"m{number % 2}"} for number in range(4)]
    assert read(*rows, block=20).fingerprints == {"judge_model": "mixed: m0, m1"}


def test_many_different_statements_are_capped_and_still_mixed() -> None:
    rows = [{"question_id": str(number), "mode": f"m{number:03d}"} for number in range(MAX_STATED + 5)]
    stated = read(*rows, block=20).fingerprints["mode"]
    assert stated == "mixed: " + ", ".join(f"m{number:03d}" for number in range(MAX_STATED)) + ", …"


@pytest.mark.parametrize("value", [1.5, True, ["a"], {"a": 1}, "x" * 201, 10**20])
def test_what_cannot_identify_anything_is_no_fingerprint(value: object) -> None:
    rows = (
        {"question_id": "a", "mode": "m"},
        {"question_id": "b", "mode": value},
        {"question_id": "c", "mode": "n"},
    )
    assert read(*rows).fingerprints == {}


def test_declared_metrics_are_the_only_ones_and_keep_their_order() -> None:
    header = {"kind": "run_info", "metrics": ["b", "attempts", "c"], "native": True}
    table = read(header, {"question_id": "q", "a": 1, "b": 2, "attempts": 3})
    assert [(name, values(table, name)) for name in table.metrics] == [
        ("b", [2.0]),
        ("attempts", [3.0]),
        ("c", [None]),
    ]
    assert table.native


def test_a_declared_metric_that_is_text_is_an_error() -> None:
    assert "line 2: `b` must be" in refusal(
        {"kind": "run_info", "metrics": ["b"]}, {"question_id": "q", "b": "x"}
    )


def test_declarations_after_the_first_row_are_refused() -> None:
    message = refusal(GENERIC, {"kind": "run_info", "native": False})
    assert message == "rows.ndjson, line 2: `metrics` and `native` must stand before the first row"


@pytest.mark.parametrize(
    "line", [{"units": {"m": 3}}, {"units": []}, {"metrics": "m"}, {"native": 1}, {"metrics": ["k"]}]
)
def test_a_wrong_run_info_line_is_refused_with_its_line(line: dict[str, object]) -> None:
    assert refusal(b"\n", {"kind": "run_info", **line}).startswith("rows.ndjson, line 2: `")


def test_no_more_fingerprints_than_describe_a_run() -> None:
    lines = [{"kind": "run_info", **{f"f{line}-{number}": 1 for number in range(100)}} for line in range(3)]
    assert refusal(*lines) == "rows.ndjson, line 3: more than 200 fingerprints"


def test_a_run_info_line_that_nests_too_deeply_is_refused() -> None:
    line = b'{"kind":"run_info","x":' + b"[" * 900 + b"]" * 900 + b"}\n"
    deep = b'{"kind":"run_info","x":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n"
    read(line)
    assert refusal(deep) == "rows.ndjson, line 1: nested too deeply"


def test_a_number_beyond_doubles_in_a_run_info_line_is_refused() -> None:
    for number in (b"1e999", b"1" + b"0" * 400):
        message = refusal(b'{"kind":"run_info","x":' + number + b"}")
        assert message == "rows.ndjson, line 1: a number beyond the range of doubles"


# duplicates


def test_a_second_row_for_a_question_is_an_error_that_names_both_lines() -> None:
    message = refusal(b"\n", GENERIC, {"question_id": "b"}, b"\n\n", GENERIC)
    assert message == "rows.ndjson, line 6: question `a` was in line 2 already"


def test_the_contract_keeps_the_last_row_at_the_place_of_the_first() -> None:
    rows = (
        {
            "question_id": "a",
            "m": 1,
            "question_type": "x",
            "gold_rank": 1,
            "retrieved": ["d"],
            "content_hash": "h",
        },
        {"question_id": "b", "m": 2, "cluster_id": "c"},
        {"question_id": "a", "m": 3, "question_type": "y", "error": "late"},
    )
    table = read(*rows, duplicates="last-wins")
    assert table.ids == ("a", "b")
    assert values(table, "m") == [3.0, 2.0]
    assert table.types == ("y", None)
    assert table.clusters == ("a", "c")
    assert table.errored.tolist() == [True, False]
    assert table.gold_ranks is not None
    assert table.gold_ranks.tolist() == [-1, -1]
    assert table.notes.duplicate_ids == 1


def test_repeats_are_no_duplicates_unless_they_repeat_themselves() -> None:
    rows = [{"question_id": "a", "repeat": number} for number in (1, 2)]
    assert read(*rows).repeats == ("1", "2")
    message = refusal(*rows, rows[0])
    assert message == "rows.ndjson, line 3: question `a`, repeat `1`, was in line 1 already"
    assert read(*rows, rows[0], duplicates="last-wins").repeats == ("1", "2")


def test_repeats_where_one_row_has_no_number() -> None:
    assert "question `a` was in line 1" in refusal(
        {"question_id": "a"}, {"question_id": "a", "repeat": 1}, {"question_id": "a"}
    )


# bad input


def test_an_empty_file_has_no_rows() -> None:
    for blocks in ([], [b""], [b"", b""]):
        table = decode_rows(blocks, name="empty.ndjson")
        assert len(table) == 0
        assert not table.metrics


def test_a_file_of_blank_and_summary_lines_has_no_rows() -> None:
    table = read(b"\n  \n\r\n", {"kind": "by_type_summary"})
    assert len(table) == 0
    assert (table.notes.blank_lines, table.notes.run_info_lines) == (3, 1)


def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    data = b"\xef\xbb\xbf" + ndjson(GENERIC, {"question_id": "b"}).replace(b"\n", b"\r\n")
    for block in (1, 2, 1000):
        assert read(data, block=block).ids == ("a", "b")


def test_a_last_line_without_line_feed_is_a_line() -> None:
    assert read(ndjson(GENERIC).rstrip()).ids == ("a",)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000, "1e400"])
def test_what_is_no_finite_number_is_refused(number: str) -> None:
    line = f'{{"question_id":"b","m":{number}}}\n'.encode()
    for before in ((), (GENERIC, {"question_id": "c", "m": 1})):
        assert refusal(*before, line).startswith(f"rows.ndjson, line {len(before) + 1}: ")


def test_a_number_beyond_doubles_is_told_as_such() -> None:
    message = refusal(b'{"question_id":"b","m":1e999}')
    assert (
        message
        == "rows.ndjson, line 1: `m` must be a finite number, true or false, not a number beyond the range of doubles"
    )


@pytest.mark.parametrize("kept", [True, False])
def test_deep_nesting_is_refused(kept: bool) -> None:  # noqa: FBT001  # a parameter of the test
    nested = b"[" * 10_000 + b"]" * 10_000
    line = b'{"question_id":"b","x":' + nested + b"}\n"
    before = [{"question_id": "a", "x": []}] if kept else []
    assert refusal(*before, line).endswith("nested too deeply")


def test_a_line_of_twenty_megabytes_is_a_line_like_any_other() -> None:
    long = {"question_id": "b", "m": 2, "hypothesis": "x" * 20_000_000}
    assert read(GENERIC, long, {"question_id": "c"}, block=1 << 17).ids == ("a", "b", "c")


def test_an_endless_line_is_refused_before_it_fills_the_memory() -> None:
    piece = b"\0" * (1 << 20)
    blocks = (ndjson(GENERIC) if number == 0 else piece for number in range(10_000))
    with pytest.raises(EvidenceError, match=r"rows, line 2: longer than 64 MiB"):
        decode_rows(blocks, name="rows")
    assert MAX_LINE_BYTES == 64 << 20


@pytest.mark.parametrize(
    "line", [b'{"question_id":"\xff"}', b'{"question_id":"a","x":"\xff\xfe"}', b"\xff\xfe{\0"]
)
def test_invalid_utf8_is_refused_with_its_line(line: bytes) -> None:
    assert refusal(GENERIC, line + b"\n").startswith("rows.ndjson, line 2: not UTF-8 (byte 0xff at column ")


def test_text_in_every_script_is_fine() -> None:
    assert read('{"question_id":"große Frage 🦉","x":"日本語"}'.encode()).ids == ("große Frage 🦉",)


def test_half_a_character_in_a_text_does_not_cost_the_row() -> None:
    line = rb'{"question_id":"a","judge_raw":"cut \ud83d","x":"\\ud83d \ud83d\ude00 \udc00","m":1}'
    assert values(read(line), "m") == [1.0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1, 2]", "not a JSON object but a list"),
        (b'"text"', "not a JSON object but text"),
        (b"5", "not a JSON object but a number"),
        (b'{"question_id":"b"', "not JSON: it breaks off in the middle"),
        (b'{"question_id":"b",}', "not JSON: trailing comma in object (byte 19)"),
        (b'{"question_id":"b"} x', "not JSON: the object ends before the line does"),
        (b'{"question_id":"b"}{"question_id":"c"}', "not JSON: the object ends before the line does"),
        (b"\0\1\2", "not JSON: invalid character (byte 0)"),
        (
            b'{"question_id":"b","m":NaN}',
            "not JSON: NaN stands for no number: leave the field out where nothing was measured",
        ),
        (
            b'{"question_id":"b","m":Infinity}',
            "not JSON: Infinity stands for no number: leave the field out where nothing was measured",
        ),
        (
            b'{"question_id":"b","m":-Infinity}',
            "not JSON: -Infinity stands for no number: leave the field out where nothing was measured",
        ),
        (b'{"m":1}', "a row needs a text `question_id`"),
        (b'{"question_id":3}', "a row needs a text `question_id`"),
        (b'{"question_id":null}', "a row needs a text `question_id`"),
        (b'{"question_id":""}', "`question_id` must be a text that is not empty"),
        (
            b'{"question_id":"b","cluster_id":1.5}',
            "`cluster_id` must be a text that is not empty, or a whole number",
        ),
        (
            b'{"question_id":"b","cluster_id":""}',
            "`cluster_id` must be a text that is not empty, or a whole number",
        ),
        (
            b'{"question_id":"b","repeat":[]}',
            "`repeat` must be a text that is not empty, or a whole number, not a list",
        ),
        (
            b'{"question_id":"b","gold_rank":-1}',
            "`gold_rank` must be a whole number, 1 for the first place, 0 for not found",
        ),
        (b'{"question_id":"b","kind":7}{', "not JSON: the object ends before the line does"),
        (b'{"kind":7}', "a row needs a text `question_id`"),
        (
            rb'{"question_id":"b","a\"b":1}',
            "a field name with a quotation mark, a backslash or a control character",
        ),
    ],
)
def test_a_line_that_is_no_row_is_refused_with_the_reason(line: bytes, reason: str) -> None:
    for ending in (b"", b"\n"):
        assert refusal(GENERIC, line + ending) == f"rows.ndjson, line 2: {reason}"


def test_an_object_over_two_lines_and_two_on_one_are_refused() -> None:
    assert refusal(b'{"question_id":\n"a"}\n{"question_id":"b"}{"question_id":"c"}\n').startswith(
        "rows.ndjson, line 1"
    )


def test_the_contract_counts_and_skips_lines_that_are_no_rows() -> None:
    torn = (b"{\n", b'{"m":1}\n', b'{"question_id":7}\n', b"\xff\n", b"[]\n", b'{"question_id":"z","m"')
    table = read(GENERIC, *torn, duplicates="last-wins")
    assert table.ids == ("a",)
    assert table.notes.torn_lines == len(torn)


def test_the_contract_does_not_skip_a_row_with_a_wrong_value() -> None:
    rows = (GENERIC, {"question_id": "b", "recall_all_hit": "yes"})
    assert "line 2: `recall_all_hit`" in refusal(*rows, duplicates="last-wins")


def test_ids_in_field_names_are_refused_in_the_end() -> None:
    rows = [
        {"question_id": str(n), **{f"f{n * 100 + i}": 1 for i in range(100)}}
        for n in range(MAX_FIELDS // 100 + 1)
    ]
    assert refusal(*rows) == f"rows.ndjson, line {MAX_FIELDS // 100}: more than 2,000 different field names"


def test_untrusted_names_are_shown_short_and_printable() -> None:
    message = refusal(
        {"question_id": "a", "x" * 500 + "\u202e": "t"}, required=frozenset({"x" * 500 + "\u202e"})
    )
    assert "\u202e" not in message
    assert len(message) < 200


def test_of_a_key_that_comes_twice_the_last_value_counts() -> None:
    assert values(read(b'{"question_id":"a","m":1,"m":2}'), "m") == [2.0]


def test_a_key_may_be_escaped() -> None:
    assert read(rb'{"question\u005fid":"a"}').ids == ("a",)


def test_blank_lines_are_counted_wherever_they_stand() -> None:
    table = read(GENERIC, b"\n \t\r\n", {"question_id": "b"}, b"\n", block=25)
    assert table.ids == ("a", "b")
    assert table.notes.blank_lines == 3


# properties

numbers = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False)
)
rows = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "question_type": st.sampled_from(["x", "y"]),
            "cluster_id": st.integers(0, 3),
            "m": numbers,
            "n": numbers,
            "text": st.text(st.characters(exclude_categories=["Cs"])),
        },
    ),
    max_size=12,
)


@given(rows, st.integers(1, 200))
def test_the_size_of_the_blocks_never_matters(documents: list[dict[str, object]], block: int) -> None:
    data = ndjson(*({"question_id": f"q{n}", **document} for n, document in enumerate(documents)))
    assert content(read(data, block=block)) == content(read(data))


@given(rows)
def test_values_are_exactly_those_that_json_means(documents: list[dict[str, object]]) -> None:
    data = ndjson(*({"question_id": f"q{n}", **document} for n, document in enumerate(documents)))
    table = read(data)
    for name, column in table.metrics.items():
        meant = [json.loads(line).get(name) for line in data.splitlines()]
        assert values(table, name) == [None if value is None else float(value) for value in meant]
        assert column.values.flags.writeable is False


def test_a_run_that_wrote_fewer_rows_than_it_meant_to_was_cut_off() -> None:
    begun = {"kind": "run_info", "questions": 3}
    assert read(begun, {"question_id": "a", "m": 1}).shortfalls == {"cancelled": 2}
    whole = [{"question_id": name, "m": 1} for name in "abc"]
    assert read(begun, *whole).shortfalls == {}


def test_a_run_that_says_why_it_stopped_is_believed() -> None:
    begun = {"kind": "run_info", "questions": 9}
    said = {"kind": "run_info", "shortfalls": {"deadline": 8, "vector_degraded": 1, "cancelled": 0}}
    assert read(begun, {"question_id": "a", "m": 1}, said).shortfalls == {"deadline": 8, "vector_degraded": 1}


def test_parts_of_a_run_in_one_file_meant_to_write_the_sum_of_their_rows() -> None:
    part = {"kind": "run_info", "questions": 2}
    rows = [{"question_id": name, "m": 1} for name in "abc"]
    assert read(part, rows[0], rows[1], part, rows[2]).shortfalls == {"cancelled": 1}


def test_what_a_run_remarks_is_kept_once() -> None:
    table = read(
        {"kind": "run_info", "notes": ["a", "b"]}, {"question_id": "q"}, {"kind": "run_info", "notes": ["a"]}
    )
    assert table.notes.stated == ("a", "b")
