import math

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, R, Success, nDCG

from gate.core.metrics import SMALL, best_scores, by_class, evaluate, gold_rank, metric_names, ranking

CUTS = (1, 3, 10)
TREC = {"mrr": "recip_rank", "map": "map"} | {
    f"{ours}@{cut}": f"{theirs}_{cut}"
    for cut in CUTS
    for ours, theirs in (("precision", "P"), ("recall", "recall"), ("ndcg", "ndcg_cut"), ("hit", "success"))
}
TREC_NAMES = {"recip_rank", "map"} | {
    f"{name}.{','.join(map(str, CUTS))}" for name in ("P", "recall", "ndcg_cut", "success")
}

documents = st.sampled_from([f"d{number}" for number in range(20)] + ["é", "z", "ü/ß", "\U0001f600"])
few_scores = st.sampled_from([0.0, 0.5, 1.0, 1.5, -2.0])
float32 = st.floats(-1e6, 1e6, width=32)
runs = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(documents, few_scores | float32, min_size=1),
    min_size=1,
)
grades = st.dictionaries(documents, st.integers(-1, 4), min_size=1)
qrels = st.fixed_dictionaries({"q1": grades, "q2": grades, "q3": grades})


def by_trec_eval(
    run: dict[str, dict[str, float]], judged: dict[str, dict[str, int]]
) -> dict[str, dict[str, float]]:
    return pytrec_eval.RelevanceEvaluator(judged, TREC_NAMES).evaluate(run)


def random_collection(
    seed: int, queries: int, results: int, values: int | None
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    """A run with scores of 32 bits (`values` different ones, None = no limit) and its judgements."""
    source = np.random.default_rng(seed)
    run, judged = {}, {}
    for query in range(queries):
        found = [f"doc{number}" for number in source.choice(results * 3, results, replace=False)]
        scores = source.random(results) if values is None else source.integers(values, size=results)
        run[f"q{query}"] = dict(zip(found, scores.astype(np.float32).tolist(), strict=True))
        known = found[: min(results, 7)] + [f"missed{number}" for number in range(3)]
        judged[f"q{query}"] = dict(zip(known, source.integers(-1, 4, len(known)).tolist(), strict=True))
    return run, judged


@given(runs, qrels)
def test_every_metric_agrees_with_trec_eval_also_where_scores_tie(
    run: dict[str, dict[str, float]], judged: dict[str, dict[str, int]]
) -> None:
    theirs = by_trec_eval(run, judged)
    for query, ours in evaluate(run, judged, CUTS).items():
        if ours is None:
            assert max(judged[query].values()) <= 0
            continue
        assert ours == pytest.approx({name: theirs[query][trec] for name, trec in TREC.items()}, abs=1e-9)


@pytest.mark.parametrize("results", [5, SMALL, SMALL + 1, 700])
@pytest.mark.parametrize("values", [None, 4, 300, 1])
def test_long_rankings_agree_with_trec_eval(results: int, values: int | None) -> None:
    run, judged = random_collection(7, queries=12, results=results, values=values)

    theirs = by_trec_eval(run, judged)

    for query, ours in evaluate(run, judged, CUTS).items():
        if ours is not None:
            expected = {name: theirs[query][trec] for name, trec in TREC.items()}
            assert ours == pytest.approx(expected, abs=1e-9)


def test_the_metrics_agree_with_ir_measures() -> None:
    run, judged = random_collection(11, queries=20, results=30, values=None)
    measures = {"map": AP, "mrr": RR}
    measures |= {
        f"{n}@{k}": m @ k for k in CUTS for n, m in (("precision", P), ("recall", R), ("ndcg", nDCG))
    }
    measures |= {f"hit@{cut}": Success @ cut for cut in CUTS}
    ours = evaluate(run, judged, CUTS)

    theirs = ir_measures.iter_calc(list(measures.values()), judged, run)

    back = {measure: name for name, measure in measures.items()}
    compared = 0
    for found in theirs:
        measured = ours[found.query_id]
        if measured is not None:
            assert measured[back[found.measure]] == pytest.approx(found.value, abs=1e-9)
            compared += 1
    assert compared >= 18 * len(measures)


def test_values_worked_out_by_hand() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    judged = {"q": {"b": 2, "c": 1, "elsewhere": 3, "a": 0}}

    measured = evaluate(run, judged, (2,))["q"]

    assert measured == pytest.approx(
        {
            "mrr": 1 / 2,
            "map": (1 / 2 + 2 / 3) / 3,
            "precision@2": 1 / 2,
            "recall@2": 1 / 3,
            "ndcg@2": (2 / math.log2(3)) / (3 + 2 / math.log2(3)),
            "hit@2": 1.0,
        }
    )


def test_precision_is_divided_by_k_however_few_results_come_back() -> None:
    measured = evaluate({"q": {"a": 1.0}}, {"q": {"a": 1}}, (10,))["q"]
    assert measured is not None
    assert measured["precision@10"] == 0.1


def test_a_query_without_a_relevant_document_has_no_metrics_rather_than_zeros() -> None:
    run = {"unjudged": {"a": 1.0}, "nothing relevant": {"a": 1.0}, "fine": {"a": 1.0}}
    judged = {"nothing relevant": {"a": 0, "b": -1}, "fine": {"a": 1}}

    measured = evaluate(run, judged, (1,))

    assert measured["unjudged"] is None
    assert measured["nothing relevant"] is None
    assert measured["fine"] is not None


def test_a_query_that_found_nothing_is_measured_as_zero() -> None:
    measured = evaluate({"q": {}}, {"q": {"a": 1}}, (1, 3))["q"]
    assert measured == dict.fromkeys(metric_names((1, 3)), 0.0)


def test_an_empty_run_measures_nothing() -> None:
    assert evaluate({}, {"q": {"a": 1}}, CUTS) == {}


def test_equal_scores_are_ordered_by_id_descending() -> None:
    assert ranking({"a": 1.0, "c": 1.0, "b": 2.0}) == ("b", "c", "a")


def test_a_page_found_by_several_chunks_counts_once_with_its_best_score() -> None:
    assert best_scores([("page", 1.0), ("other", 2.0), ("page", 3.0), ("page", 2.0)]) == {
        "page": 3.0,
        "other": 2.0,
    }


@given(runs, qrels)
def test_metrics_lie_between_zero_and_one(
    run: dict[str, dict[str, float]], judged: dict[str, dict[str, int]]
) -> None:
    for measured in evaluate(run, judged, CUTS).values():
        assert measured is None or all(0 <= value <= 1 + 1e-12 for value in measured.values())


@given(grades)
def test_the_best_possible_ranking_has_an_ndcg_of_one(judged: dict[str, int]) -> None:
    run = {"q": {document: float(grade) for document, grade in judged.items()}}
    measured = evaluate(run, {"q": judged}, CUTS)["q"]
    assert measured is None or all(measured[f"ndcg@{cut}"] == pytest.approx(1) for cut in CUTS)


@given(runs, qrels, st.data())
def test_the_order_of_queries_and_results_changes_nothing(
    run: dict[str, dict[str, float]], judged: dict[str, dict[str, int]], data: st.DataObject
) -> None:
    shuffled = {
        query: dict(data.draw(st.permutations(list(run[query].items()))))
        for query in data.draw(st.permutations(list(run)))
    }
    assert evaluate(shuffled, judged, CUTS) == evaluate(run, judged, CUTS)


@given(runs, qrels)
def test_a_query_is_measured_alike_alone_and_among_others(
    run: dict[str, dict[str, float]], judged: dict[str, dict[str, int]]
) -> None:
    together = evaluate(run, judged, CUTS)
    for query, scores in run.items():
        assert evaluate({query: scores}, judged, CUTS)[query] == together[query]


@given(runs, grades)
def test_the_gold_rank_is_the_place_that_mrr_is_made_of(
    run: dict[str, dict[str, float]], judged: dict[str, int]
) -> None:
    for query, scores in run.items():
        measured = evaluate({query: scores}, {query: judged}, (1,))[query]
        rank = gold_rank(ranking(scores), judged)
        if measured is not None:
            assert measured["mrr"] == (0 if rank == 0 else 1 / rank)


def test_class_means_leave_out_what_was_not_measured_and_say_over_how_many_they_are() -> None:
    values = {"a": {"hit@1": 1.0}, "b": {"hit@1": 0.0}, "c": None, "d": {"hit@1": 1.0}, "e": {"hit@1": 1.0}}
    classes = {"a": "who", "b": "who", "c": "when", "d": "when"}

    assert by_class(values, classes, "hit@1") == {"when": (1.0, 1), "who": (0.5, 2)}
