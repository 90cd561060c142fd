"""Runs of other tools are measured as trec_eval measures them, and nothing is dropped unseen."""

import json

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from gate.core.imports.made import ImportProblem
from gate.core.imports.trec import ReadRun, measured, read_run
from gate.core.records.qrels import JudgedQuery, read_qrels

RUN = b"q1 Q0 d1 1 3.5 tag\nq1 Q0 d2 2 2.5 tag\n\nq2 Q0 d9 1 1 tag\n"

scores = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3).map(float), max_size=8)


def test_six_columns_are_a_run() -> None:
    assert read_run(RUN) == ReadRun(scores={"q1": {"d1": 3.5, "d2": 2.5}, "q2": {"d9": 1.0}}, repeats=0)


def test_nested_json_is_a_run() -> None:
    assert read_run(b' {"q1": {"default::d1": 3, "d2": 0.5}}').scores == {"q1": {"d1": 3, "d2": 0.5}}


def test_a_document_named_twice_keeps_its_best_score_and_is_counted() -> None:
    assert read_run(b"q Q0 d 1 1 t\nq Q0 d 2 2 t\n") == ReadRun(scores={"q": {"d": 2.0}}, repeats=1)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no result in it"),
        (b"{}", "no result in it"),
        (b"q1 Q0 d1 1 3.5\n", "line 1: expected query, Q0"),
        (b"\nq1 Q0 d1 1 high t\n", "line 2: the score must be a finite number"),
        (b"q1 Q0 d1 1 nan t\n", "line 1: the score must be a finite number"),
        (b"q\xff Q0 d1 1 1 t\n", "not UTF-8"),
        (b'{"q1": ["d1"]}', "'q1': expected an object"),
        (b'{"q1": {"d1": true}}', "'q1': every score must be a number"),
        (b'{"q1": {"d1": NaN}}', "no valid JSON"),
    ],
)
def test_what_is_no_run_is_named_with_its_place(data: bytes, said: str) -> None:
    with pytest.raises(ImportProblem, match=said):
        read_run(data)


def test_each_judged_query_gets_a_row_and_everything_else_is_counted() -> None:
    queries = (
        JudgedQuery(id="q1", grades={"d2": 1}, type="who"),
        JudgedQuery(id="q3", grades={"d1": 1}),
        JudgedQuery(id="q4", grades={"d1": 0}),
    )
    run = read_run(RUN + b"q1 Q0 d1 3 0 t\n")
    made = measured(run, queries, (1, 2))
    assert [row.id for row in made.rows] == ["q1", "q3", "q4"]
    first, silent, unjudged = (row.members for row in made.rows)
    assert (first["mrr"], first["hit@1"], first["gold_rank"], first["question_type"]) == (0.5, 0.0, 2, "who")
    assert first["retrieved"] == ("d1", "d2")
    assert (silent["mrr"], silent["gold_rank"]) == (0.0, 0)
    assert "mrr" not in unjudged
    assert made.notes == (
        "2 judged queries are not in the run: they found nothing",
        "1 queries of the run are not judged: left out",
        "no metrics, because no document is relevant: 1 query",
        "1 results name a document twice: the best score counts",
    )
    assert made.k == "2"


@given(scores.filter(bool), st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 1), min_size=1))
def test_a_query_has_the_metrics_of_trec_eval(found: dict[str, float], grades: dict[str, int]) -> None:
    queries = read_qrels("".join(f"q 0 {name} {grade}\n" for name, grade in grades.items()).encode())
    run = read_run(json.dumps({"q": found}).encode())
    members = measured(run, queries, (5,)).rows[0].members
    expected = pytrec_eval.RelevanceEvaluator({"q": grades}, {"map", "recip_rank", "P.5"}).evaluate(
        {"q": found}
    )["q"]
    if any(grades.values()):
        assert members["map"] == pytest.approx(expected["map"], abs=1e-9)
        assert members["mrr"] == pytest.approx(expected["recip_rank"], abs=1e-9)
        assert members["precision@5"] == pytest.approx(expected["P_5"], abs=1e-9)
    else:
        assert "map" not in members
