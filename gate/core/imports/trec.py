"""Runs of other tools (TREC's six columns, BEIR's nested JSON) measured against judgements, query by query.

A judged query that a run does not name has found nothing: its metrics are 0, and it is counted.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.imports.made import Imported, ImportProblem, Row
from gate.core.metrics import best_scores, evaluate, gold_rank, metric_names, ranking
from gate.core.records.qrels import JudgedQuery, without_default
from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.wording import counted

_COLUMNS: Final = 6

Run = Mapping[str, Mapping[str, float]]
"""Query → document → score, the higher the better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRun:
    """A run and what reading it left out: documents that a query names twice keep their best score."""

    scores: Run
    repeats: int


def read_run(data: bytes) -> ReadRun:
    """A run in either shape; ImportProblem with the line when it is none."""
    return _of_json(data) if data.lstrip()[:1] == b"{" else _of_lines(data)


def measured(run: ReadRun, queries: Sequence[JudgedQuery], cuts: Sequence[int]) -> Imported:
    """A row a judged query, in the order of the judgements."""
    scores = {query.id: run.scores.get(query.id, {}) for query in queries}
    found = evaluate(scores, {query.id: query.grades for query in queries}, cuts)
    rows = []
    for query in queries:
        ranked = ranking(scores[query.id])
        rows.append(
            Row(
                id=query.id,
                members={
                    "question_type": query.type,
                    "content_hash": query.content_hash(),
                    **(found[query.id] or {}),
                    "gold_rank": gold_rank(ranked, query.grades),
                    "retrieved": ranked[: max(cuts)],
                },
            )
        )
    return Imported(
        rows=tuple(rows), metrics=metric_names(cuts), notes=_notes(run, queries), k=str(max(cuts))
    )


def _notes(run: ReadRun, queries: Sequence[JudgedQuery]) -> tuple[str, ...]:
    judged = {query.id for query in queries}
    silent = len(judged - run.scores.keys())
    strangers = len(run.scores.keys() - judged)
    nothing = sum(all(grade <= 0 for grade in query.grades.values()) for query in queries)
    said = (
        (silent, f"{silent} judged queries are not in the run: they found nothing"),
        (strangers, f"{strangers} queries of the run are not judged: left out"),
        (nothing, f"no metrics, because no document is relevant: {counted(nothing, 'query', 'queries')}"),
        (run.repeats, f"{run.repeats} results name a document twice: the best score counts"),
    )
    return tuple(text for count, text in said if count)


def _of_lines(data: bytes) -> ReadRun:
    scored: dict[str, list[tuple[str, float]]] = {}
    for number, line in enumerate(_text(data).split("\n"), 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != _COLUMNS:
            raise ImportProblem(f"line {number}: expected query, Q0, document, rank, score and tag")
        score = _score(fields[4], f"line {number}")
        scored.setdefault(fields[0], []).append((without_default(fields[2]), score))
    if not scored:
        raise ImportProblem("no result in it")
    best = {query: best_scores(results) for query, results in scored.items()}
    repeats = sum(len(results) - len(best[query]) for query, results in scored.items())
    return ReadRun(scores=best, repeats=repeats)


def _of_json(data: bytes) -> ReadRun:
    try:
        document = strict_loads(data)
    except StrictJsonError as error:
        raise ImportProblem(f"no valid JSON: {error}") from error
    assert isinstance(document, dict)  # noqa: S101 - it begins with a brace
    runs: dict[str, dict[str, float]] = {}
    for query, results in document.items():
        if not isinstance(results, dict):
            raise ImportProblem(f"{query!a}: expected an object of document and score")
        runs[query] = {without_default(name): _number(score, query) for name, score in results.items()}
    if not runs:
        raise ImportProblem("no result in it")
    return ReadRun(scores=runs, repeats=0)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportProblem(f"not UTF-8 (at byte {error.start + 1})") from error


def _score(text: str, place: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise ImportProblem(f"{place}: the score must be a finite number")
    return score


def _number(value: object, query: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ImportProblem(f"{query!a}: every score must be a number")
    return value
