"""Passages found by the nearness of their vectors; vectors are computed once and kept on disk."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gate.core.records.system import Document
from gate.systems.keyword_index import Passage, passages_of
from gate.systems.vector_cache import VectorCache

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into a vector of length 1."""

    name: str
    """What it is, in words."""
    key: str
    """Changes whenever its vectors may."""
    dimensions: int

    def embed(self, text: str) -> Vector:
        """The vector of a text, of shape (dimensions,)."""
        ...


class Vectors:
    """Every passage's vector, searched one by one; not thread-safe.

    Similarities are rounded to four decimals, to which they are the same on every machine and number of
    threads; equal ones are ordered by id descending.
    """

    def __init__(self, embedder: Embedder, cache: VectorCache | None = None) -> None:
        self._embedder = embedder
        self._cache = cache
        self._passages: list[Passage] = []
        self._rows: list[Vector] = []
        self._matrix: NDArray[np.float32] | None = None

    @property
    def fingerprints(self) -> Mapping[str, str]:
        """The model, and the key that kept vectors are found by."""
        return {"embedder": self._embedder.name, "vector_cache": self._embedder.key}

    def reset(self) -> None:
        """Forget every passage; what is on disk stays."""
        self._passages, self._rows, self._matrix = [], [], None

    def add(self, documents: Sequence[Document]) -> None:
        """Take in the documents' passages; UnavailableError when the vectors on disk cannot be used."""
        for document in documents:
            for passage, text in passages_of(document):
                self._passages.append(passage)
                self._rows.append(self._vector(text))
        self._matrix = None
        if self._cache is not None:
            self._cache.save()

    def find(self, text: str, limit: int) -> list[tuple[Passage, float]]:
        """The nearest passages, best first."""
        if not self._passages:
            return []
        if self._matrix is None:
            self._matrix = np.vstack(self._rows)
        near = np.round((self._matrix @ self._embedder.embed(text)).astype(np.float64), 4).tolist()
        scored = list(zip(self._passages, near, strict=True))
        scored.sort(key=lambda pair: (pair[1], pair[0].document, -pair[0].number), reverse=True)
        return scored[:limit]

    def close(self) -> None:
        """Let go of the file."""
        self.reset()
        if self._cache is not None:
            self._cache.close()

    def _vector(self, text: str) -> Vector:
        kept = None if self._cache is None else self._cache.get(text)
        if kept is not None:
            return kept
        vector = self._embedder.embed(text)
        if self._cache is not None:
            self._cache.put(text, vector)
        return vector
