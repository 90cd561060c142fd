"""The built-in system: BM25 over passages, on request together with vectors, the same answer every time."""

import sqlite3
import threading
from collections.abc import Sequence
from typing import Final

from gate.core.records.system import Answer, Capabilities, Document, Flags, Hit, Query, SearchReply
from gate.ports import SystemFailed
from gate.systems.keyword_index import CHUNK_WORDS, KeywordIndex, Scored
from gate.systems.modes import MODES, Mode, tokens
from gate.systems.vectors import Vectors

DEPTH: Final = 100
"""How many passages of each ranking are merged."""
RANK_CONSTANT: Final = 60
"""Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet" (2009)."""


class ReferenceSystem:
    """Implements the gate's System without network or key; with `vectors`, keyword and vector search merged."""

    def __init__(self, vectors: Vectors | None = None) -> None:
        self._lock = threading.Lock()
        self._index = KeywordIndex()
        self._vectors = vectors

    def capabilities(self) -> Capabilities:
        """What it is: its fingerprints change whenever its results may."""
        words = f"bm25 fts5 porter, chunks of {CHUNK_WORDS} words"
        hybrid = {} if self._vectors is None else self._vectors.fingerprints
        return Capabilities(
            name="reference",
            version="1",
            modes=tuple(MODES),
            max_k=max(mode.limit for mode in MODES.values()),
            fingerprints={
                "retriever": words if self._vectors is None else f"{words}; rrf {RANK_CONSTANT} with vectors",
                "sqlite": sqlite3.sqlite_version,
                **hybrid,
            },
        )

    def reset(self) -> None:
        """Forget every document."""
        with self._lock:
            self._index.close()
            self._index = KeywordIndex()
            if self._vectors is not None:
                self._vectors.reset()

    def ingest(self, documents: Sequence[Document]) -> None:
        """Index more documents; SystemFailed, and none of them taken in, when an id is known already."""
        with self._lock:
            self._index.add(documents)
            if self._vectors is not None:
                self._vectors.add(documents)

    def search(self, query: Query) -> SearchReply:
        """The best passages: as many as the mode allows, asked for or not, and as its budget holds."""
        mode = MODES.get(query.mode)
        if mode is None:
            raise SystemFailed(
                "refused", f"there is no mode {query.mode!a}", remedy=f"the modes are {', '.join(MODES)}"
            )
        with self._lock:
            found = self._found(query, mode)
        hits, delivered = _within(found[: min(query.k, mode.limit)], mode.token_budget)
        flags = Flags(vector_enabled=self._vectors is not None, reranked=False, expansion_applied=False)
        return SearchReply(hits=hits, delivered_tokens=delivered, flags=flags)

    def answer(self, query: Query, hits: Sequence[Hit]) -> Answer:  # noqa: ARG002 - the port's signature
        """Always refuses: it retrieves and does not speak."""
        raise SystemFailed("refused", "the reference system does not answer", remedy="measure retrieval only")

    def close(self) -> None:
        """Give the memory back, once a call that is under way has ended."""
        with self._lock:
            self._index.close()
            if self._vectors is not None:
                self._vectors.close()

    def _found(self, query: Query, mode: Mode) -> Scored:
        if self._vectors is None:
            return self._index.find(query.text, min(query.k, mode.limit))
        return fused((self._index.find(query.text, DEPTH), self._vectors.find(query.text, DEPTH)))


def fused(rankings: Sequence[Scored]) -> Scored:
    """Several rankings merged: a passage scores 1 / (60 + rank) in each; equal ones by id descending."""
    scores: dict[object, float] = {}
    known = {}
    for ranking in rankings:
        for rank, (passage, _) in enumerate(ranking, 1):
            place = (passage.document, -passage.number)
            known[place] = passage
            scores[place] = scores.get(place, 0.0) + 1 / (RANK_CONSTANT + rank)
    ordered = sorted(known, key=lambda place: (scores[place], place), reverse=True)
    return [(known[place], scores[place]) for place in ordered]


def _within(found: Scored, budget: int | None) -> tuple[tuple[Hit, ...], int]:
    """The hits that fit the budget, the first in any case, and the tokens they hold."""
    hits: list[Hit] = []
    spent = 0
    for rank, (passage, score) in enumerate(found, 1):
        cost = tokens(passage.size)
        if budget is not None and hits and spent + cost > budget:
            break
        spent += cost
        chunk = f"{passage.document}#{passage.number}"
        hits.append(
            Hit(doc_id=passage.document, score=score, rank=rank, chunk_id=chunk, session_id=passage.session)
        )
    return tuple(hits), spent
