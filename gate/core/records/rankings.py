"""What a row says about its ranking: where the gold document stands, and a digest to see changes by."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from gate.core.records.rows import NOT_FOUND, UNKNOWN_RANK

DIGEST_BYTES: Final = 8
_EMPTY_DIGEST: Final = hashlib.blake2b(digest_size=DIGEST_BYTES)


class _Hit(Struct, gc=False):
    """A retrieved document or chunk, by whichever of its names the system writes."""

    id: str | int | None = None
    doc_id: str | int | None = None
    page_id: str | int | None = None
    slug: str | int | None = None
    chunk_id: str | int | None = None


_encode: Final = msgspec.json.Encoder().encode
_HITS: Final = msgspec.json.Decoder(list[str | _Hit])


def ranking_digests(rankings: Iterable[Sequence[str] | None]) -> list[str | None]:
    """For each ranking sixteen hexadecimal digits: BLAKE2b over its ids in order, as compact JSON."""
    digests: list[str | None] = []
    for ids in rankings:
        if ids is None:
            digests.append(None)
            continue
        digest = _EMPTY_DIGEST.copy()  # much faster than a new one
        digest.update(_encode(ids))
        digests.append(digest.hexdigest())
    return digests


def retrieved_ids(retrieved: Raw) -> tuple[str, ...] | None:
    """The ids of a `retrieved` list in order; None when it is no list of ids or of objects that carry one."""
    try:
        hits = _HITS.decode(retrieved)
    except msgspec.DecodeError:
        return None
    ids = tuple(map(_hit_id, hits))
    return None if None in ids else tuple(map(str, ids))


def gold_ranks(retrieved: Iterable[list[str] | None], gold: Iterable[list[str] | None]) -> list[int]:
    """For each row the best 1-based rank of a gold document; UNKNOWN_RANK without a ranking or without gold."""
    return [
        _best_rank(found, wanted)
        if found is None
        or wanted is None
        or len(wanted) != 1  # one gold document, the usual case, is inlined
        else (found.index(wanted[0]) + 1 if wanted[0] in found else NOT_FOUND)
        for found, wanted in zip(retrieved, gold, strict=True)
    ]


def _best_rank(retrieved: list[str] | None, gold: list[str] | None) -> int:
    if retrieved is None or not gold:
        return UNKNOWN_RANK
    return min(
        (retrieved.index(document) + 1 for document in gold if document in retrieved), default=NOT_FOUND
    )


def stated_ranks(ranks: Iterable[float | UnsetType | None]) -> list[int]:
    """The rows' own `gold_rank`: null and 0 say that the document was not found."""
    return [UNKNOWN_RANK if rank is UNSET else int(rank) if rank else NOT_FOUND for rank in ranks]


def _hit_id(hit: str | _Hit) -> str | None:
    if isinstance(hit, str):
        return hit
    names = (hit.id, hit.doc_id, hit.page_id, hit.slug)
    name = next((name for name in names if name is not None), None)
    if name is None:
        return None
    return str(name) if hit.chunk_id is None else f"{name}#{hit.chunk_id}"
