"""A sample of takes that depends on the seed and the corpus, and on nothing else.

Every take has a place in an order fixed by sha256 over the seed and the take's identity (which repository,
which page, which row); the sample is the first N in that order. So the order in which a source delivers its
takes does not matter, a larger sample begins with the smaller one, and a take that is edited, added or removed
moves no other take in or out but at the edge. The content is left out on purpose: nobody can edit a take until
it is no longer looked at, and runs before and after an edit judge the same takes.

Stratified by kind, the orders of the kinds are merged so that every stretch of the result holds the kinds in
the corpus's proportions: number i (from 0) of the s takes of a kind stands at (i + ½)/s.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, pairwise
from operator import itemgetter
from typing import Generic, Literal, NamedTuple, TypeVar

T = TypeVar("T")

Strata = Literal["none", "kind"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How many takes are drawn, from which seed, and whether kinds keep their proportions.

    Raises ValueError for a limit below one.
    """

    limit: int
    seed: int
    strata: Strata = "none"

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ValueError(f"a sample has at least one take, not {self.limit}")


class Candidate(NamedTuple, Generic[T]):
    """A take that may be drawn: its identity, its kind, and what the source needs to deliver it."""

    origin: str
    page: str
    row: int
    kind: str
    value: T


@dataclass(frozen=True, slots=True)
class Draw(Generic[T]):
    """What was drawn, in the order of the draw, and from how many."""

    drawn: tuple[T, ...]
    eligible: int


class RepeatedTakeError(ValueError):
    """Two takes with one identity: which of them is meant nobody can say."""


def draw(candidates: Iterable[Candidate[T]], sampling: Sampling) -> Draw[T]:
    """The first takes in the order that the seed gives; memory grows with the limit, not with the corpus.

    Raises RepeatedTakeError when two takes on the same row of the same page would be drawn, or nearly.
    """
    seeded = sha256(f"{sampling.seed}\n".encode())
    strata: dict[str, _Stratum[T]] = {}
    for candidate in candidates:
        digest = seeded.copy()
        digest.update(f"{candidate.origin}\0{candidate.page}\0{candidate.row}".encode())
        kind = candidate.kind if sampling.strata == "kind" else ""
        stratum = strata.get(kind)
        if stratum is None:
            stratum = strata[kind] = _Stratum(sampling.limit + 1)
        stratum.offer(digest.digest(), candidate)
    merged = heapq.merge(*(stratum.placed() for stratum in strata.values()), key=itemgetter(0, 1))
    drawn = tuple(place[2].value for place in islice(merged, sampling.limit))
    return Draw(drawn, eligible=sum(stratum.size for stratum in strata.values()))


class _Stratum(Generic[T]):
    """The first takes of one kind in the order of their digests, and how many takes it has in all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._first: list[tuple[int, int, Candidate[T]]] = []
        self._last = b"\xff" * 32
        self.size = 0

    def offer(self, digest: bytes, candidate: Candidate[T]) -> None:
        """Keep a take if it is among the first; the heap's top is the last of those kept."""
        self.size += 1
        if digest > self._last:
            return
        heapq.heappush(self._first, (-int.from_bytes(digest), self.size, candidate))
        if len(self._first) > self._limit:
            heapq.heappop(self._first)
        if len(self._first) == self._limit:
            self._last = (-self._first[0][0]).to_bytes(32)

    def placed(self) -> list[tuple[float, int, Candidate[T]]]:
        """The takes that were kept, in order, each with its place in (0, 1) and its digest."""
        ordered = sorted(self._first, key=itemgetter(0), reverse=True)
        for (rank, _, one), (next_rank, _, _) in pairwise(ordered):
            if rank == next_rank:
                raise RepeatedTakeError(f"there are two takes on row {one.row} of page {one.page}")
        return [((i + 0.5) / self.size, -rank, candidate) for i, (rank, _, candidate) in enumerate(ordered)]


def batches(drawn: Sequence[T], count: int) -> tuple[tuple[T, ...], ...]:
    """A sample cut into that many disjoint stretches whose sizes differ by one at most; none is empty.

    There are fewer when there are fewer takes. Raises ValueError when none is asked for.
    """
    if count < 1:
        raise ValueError(f"a sample is cut into at least one batch, not {count}")
    parts, size = min(count, len(drawn)), len(drawn)
    return tuple(tuple(drawn[i * size // parts : (i + 1) * size // parts]) for i in range(parts))
