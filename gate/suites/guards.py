"""What a run was asked to use and silently went without."""

from collections.abc import Collection, Iterator

from gate.core.plan import Feature
from gate.core.records.system import Degradation, SearchReply

__all__ = ["Feature", "degradations"]


def degradations(reply: SearchReply, required: Collection[Feature]) -> frozenset[Degradation]:
    """The reasons why a reply is not what was asked for; empty = it is.

    A reply says itself that something failed, or a required part is not affirmed: silence proves nothing.
    Without hits there was nothing to rerank.
    """
    return frozenset((*reply.flags.degraded, *_unaffirmed(reply, required)))


def _unaffirmed(reply: SearchReply, required: Collection[Feature]) -> Iterator[Degradation]:
    if "vector" in required and reply.flags.vector_enabled is not True:
        yield "vector_degraded"
    if "reranker" in required and reply.flags.reranked is not True and reply.hits:
        yield "reranker_fell_open"
    if "expansion" in required and reply.flags.expansion_applied is not True:
        yield "expansion_failed"
