import json
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.objections import Objection
from gate.core.records.row_decoder import decode_rows
from gate.core.records.row_encoder import encode_rows
from gate.core.records.rows import RowTable
from tests.rows import content, read
from tests.tables import table

text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
value = st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
generic = st.fixed_dictionaries(
    {},
    optional={
        "question_type": text,
        "cluster_id": text,
        "repeat": text,
        "m": value,
        "recall@5": value,
        "error": st.sampled_from([None, "boom", {"a": 1}]),
        "gold_rank": st.one_of(st.none(), st.integers(0, 2**31 - 1)),
        "retrieved": st.lists(text, max_size=3),
        "ranking_digest": text,
        "content_hash": text,
        "question": text,
        "mode": st.sampled_from(["a", "b"]),
    },
)
native = st.fixed_dictionaries(
    {},
    optional={
        "question_type": text,
        "abstention": st.booleans(),
        "recall_all_hit": st.booleans(),
        "recall_any_hit": st.booleans(),
        "recall_hit": st.booleans(),
        "judge_correct": st.booleans(),
        "judge_error": st.sampled_from([None, "timeout", ""]),
        "retrieved_session_ids": st.lists(st.sampled_from("abc"), max_size=3),
        "answer_session_ids": st.lists(st.sampled_from("abc"), max_size=2),
        "hypothesis": text,
        "latency_ms": value,
        "judge_model": text,
    },
)
header = st.fixed_dictionaries(
    {"kind": st.just("run_info")},
    optional={"k": st.integers(1, 9), "note": text, "units": st.dictionaries(text, text, max_size=2)},
)


def again(original: RowTable) -> RowTable:
    return read(b"".join(encode_rows(original)))


@given(st.lists(generic, max_size=6), header)
def test_reading_the_slim_copy_of_generic_rows_gives_the_same_table(
    rows: list[dict[str, object]], info: dict[str, object]
) -> None:
    original = read(info, *({"question_id": f"q{n}", **row} for n, row in enumerate(rows)))
    assert content(again(original)) == content(original)


@given(st.lists(native, max_size=6))
def test_reading_the_slim_copy_of_native_rows_gives_the_same_table(rows: list[dict[str, object]]) -> None:
    documents = ({"question_id": f"q{n}" + "_abs" * (n % 2), **row} for n, row in enumerate(rows))
    original = read(*documents, required=frozenset({"latency_ms"}))
    assert content(again(original)) == content(original)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_value_survives_to_the_last_bit(number: float) -> None:
    copied = again(table(["q"], m=[number])).metrics["m"].values[0]
    assert copied == number
    assert math.isfinite(copied)


def test_the_slim_copy_holds_no_text_of_question_or_answer() -> None:
    row = {
        "question_id": "q",
        "question": "SECRET",
        "answer": "SECRET",
        "hypothesis": "SECRET",
        "judge_raw": "SECRET",
        "judge_error": "SECRET",
        "error": {"message": "SECRET"},
        "retrieved": ["SECRET"],
        "recall_all_hit": True,
    }
    assert b"SECRET" not in b"".join(encode_rows(read(row)))


def test_the_slim_copy_is_what_one_would_write_by_hand() -> None:
    lines = list(
        encode_rows(
            table(
                ["a", "b"],
                types=["x", None],
                errored=[1],
                abstentions=[0],
                gold_ranks=[2, -1],
                fingerprints={"z": "1", "k": "5"},
                units={"m": "ms"},
                m=[0.1, None],
                b=[True, 2],
            )
        )
    )
    assert [json.loads(line) for line in lines] == [
        {
            "kind": "run_info",
            "native": False,
            "metrics": ["m", "b"],
            "fingerprints": {"k": "5", "z": "1"},
            "units": {"m": "ms"},
        },
        {"question_id": "a", "question_type": "x", "b": 1, "m": 0.1, "abstention": True, "gold_rank": 2},
        {"question_id": "b", "b": 2, "error": True},
    ]
    assert (
        lines[1] == b'{"question_id":"a","question_type":"x","b":1,"m":0.1,"abstention":true,"gold_rank":2}\n'
    )


def test_an_empty_table_is_a_header() -> None:
    empty = again(table(0))
    assert len(empty) == 0
    assert np.array_equal(empty.errored, [])


def test_what_fell_short_is_in_the_slim_copy_too() -> None:
    short = table(1, m=[1.0], shortfalls={"deadline": 4})
    lines = list(encode_rows(short))
    assert json.loads(lines[0])["shortfalls"] == {"deadline": 4}
    assert decode_rows(lines, name="copy").shortfalls == {"deadline": 4}


def test_what_a_suite_holds_against_its_run_is_in_the_slim_copy_too() -> None:
    low = Objection("top-1 stability", "threshold_missed", "0.5 is below 0.8")
    lines = list(encode_rows(table(1, m=[1.0], objections=(low,))))
    assert decode_rows(lines, name="copy").objections == (low,)


def test_on_how_many_questions_a_metric_is_meant_to_be_measured_is_in_the_slim_copy_too() -> None:
    assert again(table(3, m=[1.0, None, None], applies_to={"m": 1})).applies_to == {"m": 1}
