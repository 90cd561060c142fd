"""The retrieval suite: what asking costs beside the system's own time, a whole collection, and the metrics alone.

``python -m benchmarks.retrieval`` prints the table. The collection is made on the spot: 1,240 documents of about
200 words and 350 queries. pytrec_eval, trec_eval in C, is the peer of the metrics; both get the same dictionaries.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pytrec_eval

from benchmarks.table import Row, interleaved, table
from gate.core.metrics import evaluate
from gate.core.records.qrels import JudgedQuery
from gate.core.records.system import Document
from gate.process import SystemClock
from gate.suites.retrieval import Setting, Task, measure
from gate.systems.http import HttpSystem, Service
from tests.scripted_system import MemoryRows, ScriptedSystem, reply
from tests.systems.servers import place, served

DOCUMENTS: Final = 1_240
QUERIES: Final = 350
WORDS: Final = 200
VOCABULARY: Final = 20_000
LINES: Final = 1_000_000
CUTS: Final = (5, 10)

COLLECTION_BUDGET: Final = 5.0
OVERHEAD_BUDGET: Final = 1.0
SLOWEST_METRICS: Final = 1.5
"""At most so many times pytrec_eval's time."""

TREC: Final = {"map", "recip_rank", "P.5,10", "recall.5,10", "ndcg_cut.5,10", "success.5,10"}

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


class Nobody:
    """Nobody is told of any progress."""

    def stage(self, name: str) -> None:
        """Say nothing."""

    def step(self, done: int, total: int) -> None:
        """Say nothing."""


def rows() -> list[Row]:
    """Measure everything."""
    return [*_collection(), *_overhead(), *_metrics()]


def _collection() -> list[Row]:
    """The suite as a whole process on the built-in system."""
    documents, queries = _made()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _write(root, documents, queries)
        arguments = ["suite", "retrieval", "--corpus", "corpus.jsonl", "--qrels", "qrels.json"]
        started, before = time.perf_counter(), _busy()
        subprocess.run(
            [sys.executable, "-m", "gate", *arguments],
            cwd=root,
            env={"PYTHONPATH": str(Path(__file__).parents[1])},
            capture_output=True,
            check=True,
        )
        seconds, busy = time.perf_counter() - started, _busy() - before
    name = f"gate suite retrieval, {DOCUMENTS:,} documents × {QUERIES} queries, whole process"
    return [
        Row(name, seconds, "–", None, budget=COLLECTION_BUDGET),
        Row(
            "its processor time, which a busy machine does not lengthen",
            busy,
            "–",
            None,
            budget=COLLECTION_BUDGET,
        ),
    ]


def _busy() -> float:
    """The processor time of all ended children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _overhead() -> list[Row]:
    """Milliseconds a query beside a system that answers at once, in this process and over HTTP."""
    documents, queries = _made()
    hits = [(document.id, 1.0 / rank) for rank, document in enumerate(documents[:10], 1)]
    system = ScriptedSystem(lambda _: reply(*hits))
    task = Task(documents=documents, queries=queries, cuts=CUTS, mode="balanced")
    inside = _milliseconds(task, lambda: measure(task, system, MemoryRows(), _setting()))
    with served(system) as server:
        remote = HttpSystem(Service(address=place(server.server_port)))
        over_http = _milliseconds(task, lambda: measure(task, remote, MemoryRows(), _setting()))
        remote.close()
    return [
        Row("a query beside the system's own time", inside, "–", None, budget=OVERHEAD_BUDGET, unit="ms"),
        Row("likewise over HTTP, server and client in one process", over_http, "–", None, unit="ms"),
    ]


def _milliseconds(task: Task, job: Callable[[], object]) -> float:
    (seconds,) = interleaved(5, job)
    return seconds * 1000 / len(task.queries)


def _metrics() -> list[Row]:
    """Runs of a million lines, with and without ties, long and short, against pytrec_eval."""
    shapes = (
        ("1,000 queries of 1,000 results", 1_000, None),
        ("1,000 queries of 1,000 results with 50 different scores", 1_000, 50),
        ("10,000 queries of 100 results", 100, None),
    )
    made = []
    for name, results, values in shapes:
        run, qrels = _random(LINES // results, results, values)
        ours, theirs = interleaved(3, lambda: evaluate(run, qrels, CUTS), lambda: _by_trec_eval(run, qrels))  # noqa: B023 - called at once
        made.append(Row(f"metrics of {name}", ours, "pytrec_eval", theirs, least_ratio=1 / SLOWEST_METRICS))
    return made


def _by_trec_eval(run: Run, qrels: Qrels) -> Mapping[str, Mapping[str, float]]:
    evaluated: Mapping[str, Mapping[str, float]] = pytrec_eval.RelevanceEvaluator(qrels, TREC).evaluate(run)
    return evaluated


def _random(queries: int, results: int, values: int | None) -> tuple[Run, Qrels]:
    source = np.random.default_rng(20260101)
    run, qrels = {}, {}
    for query in range(queries):
        names = [f"doc{number:07}" for number in source.choice(LINES, results, replace=False)]
        scores = source.random(results) if values is None else source.integers(values, size=results)
        run[f"q{query}"] = dict(zip(names, scores.astype(float).tolist(), strict=True))
        known = names[:20] + [f"missed{number}" for number in range(5)]
        qrels[f"q{query}"] = dict(zip(known, source.integers(0, 4, len(known)).tolist(), strict=True))
    return run, qrels


def _made() -> tuple[list[Document], list[JudgedQuery]]:
    """Words drawn as often as words are: the first ones very often."""
    source = np.random.default_rng(20260101)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(source.choice(letters, source.integers(2, 10))) for _ in range(VOCABULARY)])
    often = 1 / np.arange(1, VOCABULARY + 1)
    texts = source.choice(words, (DOCUMENTS, WORDS), p=often / often.sum())
    documents = [Document(id=f"d{number}", text=" ".join(text)) for number, text in enumerate(texts)]
    queries = [
        JudgedQuery(id=f"q{number}", text=" ".join(texts[number][:12]), grades={f"d{number}": 1, "d0": 1})
        for number in range(QUERIES)
    ]
    return documents, queries


def _write(root: Path, documents: list[Document], queries: list[JudgedQuery]) -> None:
    lines = [json.dumps({"_id": document.id, "text": document.text}) for document in documents]
    (root / "corpus.jsonl").write_text("\n".join(lines))
    judged = [{"id": query.id, "query": query.text, "relevant": list(query.grades)} for query in queries]
    (root / "qrels.json").write_text(json.dumps({"version": 1, "queries": judged}))


def _setting() -> Setting:
    return Setting(clock=SystemClock(), progress=Nobody())


if __name__ == "__main__":
    print(table(rows()))
