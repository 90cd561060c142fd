"""Retrieval metrics of every query of a run, as trec_eval defines them.

Definitions: Manning, Raghavan, Schütze, "Introduction to Information Retrieval" (2008), §8.4; the gain of nDCG
is the grade itself (Järvelin, Kekäläinen 2002). A query without a relevant document has no metrics: None, not
zero. Results are ordered by score descending, then by id descending. Scores are compared as 64-bit numbers
(trec_eval rounds them to 32 bits first, which makes more ties).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

Grades = Mapping[str, int]
"""The judgements of one query: a document's grade; 1 and above is relevant, 0 and below is not."""
Scores = Mapping[str, float]
"""One query's results: a document's score, the higher the better."""
Metrics = Mapping[str, float]
"""The metrics of one query by name."""

SMALL: Final = 100
"""Up to this many results, sorting them all is faster than counting with arrays."""

_UNCUT: Final = ("mrr", "map")
_CUT: Final = ("precision", "recall", "ndcg", "hit")


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Relevant documents with their places, sorted by query and rank; three arrays of one shape.

    `query` counts from 0 and `rank` from 1; `grade` is 1 or more.
    """

    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    grade: NDArray[np.int64]


def metric_names(cuts: Sequence[int]) -> tuple[str, ...]:
    """The names of everything that is measured: mrr, map, and precision, recall, ndcg and hit at each cut."""
    return (*_UNCUT, *(f"{name}@{cut}" for cut in cuts for name in _CUT))


def best_scores(scored: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Each document once, with its best score: a page found by several of its chunks counts once."""
    best: dict[str, float] = {}
    for document, score in scored:
        best[document] = max(score, best.get(document, score))
    return best


def ranking(scores: Scores) -> tuple[str, ...]:
    """The documents best first."""
    ids = sorted(scores, reverse=True)
    ids.sort(key=scores.__getitem__, reverse=True)  # stable, also in reverse: ids still descend within a tie
    return tuple(ids)


def gold_rank(ranked: Sequence[str], grades: Grades) -> int:
    """The 1-based place of the first relevant document; 0 when none was found."""
    places = (place for place, document in enumerate(ranked, 1) if grades.get(document, 0) > 0)
    return next(places, 0)


def evaluate(
    run: Mapping[str, Scores], qrels: Mapping[str, Grades], cuts: Sequence[int]
) -> dict[str, Metrics | None]:
    """Every metric of every query of a run, in its order; None for a query without a relevant document.

    mrr and map look at the whole ranking; precision is divided by the cut, however many results there are.
    """
    judged = [qrels.get(query, {}) for query in run]
    ideal = _ideal(judged)
    relevant = np.bincount(ideal.query, minlength=len(judged))
    columns = _columns(_found(run.values(), judged), ideal, relevant, cuts)
    names = tuple(columns)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    known = (relevant > 0).tolist()
    return {
        query: dict(zip(names, row, strict=True)) if measured else None
        for query, row, measured in zip(run, rows, known, strict=True)
    }


def by_class(
    values: Mapping[str, Metrics | None], classes: Mapping[str, str], metric: str
) -> dict[str, tuple[float, int]]:
    """The mean of one metric and the number of queries it is over, per query class, classes sorted.

    Queries without the metric or without a class are in no mean.
    """
    groups: dict[str, list[float]] = {}
    for query, measured in values.items():
        if measured is not None and metric in measured and query in classes:
            groups.setdefault(classes[query], []).append(measured[metric])
    return {name: (math.fsum(group) / len(group), len(group)) for name, group in sorted(groups.items())}


def _found(run: Iterable[Scores], judged: Iterable[Grades]) -> _Ranked:
    """Where the relevant documents stand."""
    ranks: list[int] = []
    gained: list[int] = []
    lengths = []
    for scores, grades in zip(run, judged, strict=True):
        before = len(ranks)
        for rank, document in _places(scores, grades):
            ranks.append(rank)
            gained.append(grades[document])
        lengths.append(len(ranks) - before)
    return _Ranked(np.repeat(np.arange(len(lengths)), lengths), np.array(ranks, int), np.array(gained, int))


def _ideal(judged: Sequence[Grades]) -> _Ranked:
    """The relevant documents as the best ranking would have them."""
    best = [sorted((grade for grade in grades.values() if grade > 0), reverse=True) for grades in judged]
    lengths = np.fromiter(map(len, best), int, len(best))
    query = np.repeat(np.arange(len(best)), lengths)
    rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return _Ranked(query, rank, np.fromiter(chain.from_iterable(best), int, len(query)))


def _places(scores: Scores, grades: Grades) -> Iterable[tuple[int, str]]:
    """The relevant documents that were found and their ranks, best first."""
    gold = [document for document, grade in grades.items() if grade > 0 and document in scores]
    if not gold:
        return ()
    ranks = _ranks_without_ties(scores, gold) if len(scores) > SMALL else None
    if ranks is not None:
        return sorted(zip(ranks, gold, strict=True))
    wanted = frozenset(gold)
    return [pair for pair in enumerate(ranking(scores), 1) if pair[1] in wanted]


def _ranks_without_ties(scores: Scores, documents: Sequence[str]) -> list[int] | None:
    """The ranks of some documents by counting what stands above; None when one of them shares its score."""
    values = np.sort(np.fromiter(scores.values(), np.float64, len(scores)))
    wanted = np.array([scores[document] for document in documents])
    not_above = values.searchsorted(wanted, "right")
    if np.any(not_above - values.searchsorted(wanted, "left") > 1):
        return None
    return [len(scores) - count + 1 for count in not_above.tolist()]


def _columns(
    found: _Ranked, ideal: _Ranked, relevant: NDArray[np.int64], cuts: Sequence[int]
) -> dict[str, NDArray[np.float64]]:
    """One array a metric, with one value a query; a query without a relevant document gets a meaningless one."""
    queries = len(relevant)
    divisor = np.maximum(relevant, 1)
    first = np.searchsorted(found.query, found.query)
    place = np.arange(1, len(found.query) + 1) - first
    columns = {
        "mrr": _sum(found, (place == 1) / found.rank, queries),
        "map": _sum(found, place / found.rank, queries) / divisor,
    }
    gains = found.grade / np.log2(found.rank + 1)
    ideal_gains = ideal.grade / np.log2(ideal.rank + 1)
    for cut in cuts:
        within, best = found.rank <= cut, ideal.rank <= cut
        hits = _sum(found, within, queries)
        columns[f"precision@{cut}"] = hits / cut
        columns[f"recall@{cut}"] = hits / divisor
        most = np.where(relevant > 0, _sum(ideal, ideal_gains * best, queries), 1)
        columns[f"ndcg@{cut}"] = _sum(found, gains * within, queries) / most
        columns[f"hit@{cut}"] = np.minimum(hits, 1)
    return columns


def _sum(
    ranked: _Ranked, weights: NDArray[np.float64] | NDArray[np.bool_], queries: int
) -> NDArray[np.float64]:
    sums = np.bincount(ranked.query, weights=weights, minlength=queries)
    return sums.astype(np.float64, copy=False)  # without any pair bincount forgets its weights' type
