"""The protocol between the gate and a system under test: what is asked, what is answered.

Unknown members of a message are left alone, so that additions break nobody. Numbers are finite: JSON holds no
other, and a score of 1e999 is refused.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

PROTOCOL: Final = "system-protocol.v1"
MAX_K: Final = 10_000

Name = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0)]

Degradation = Literal["reranker_fell_open", "vector_degraded", "expansion_failed"]
"""What a system may have gone without although it was configured to use it."""


class Document(Struct, frozen=True, kw_only=True):
    """One document to be found again; LongMemEval's are sessions, with a session id and a date."""

    id: Name
    text: str
    title: str | None = None
    session_id: str | None = None
    date: str | None = None
    metadata: Mapping[str, str] = {}


class Query(Struct, frozen=True, kw_only=True):
    """One search: at most `k` hits, found in the way that `mode` stands for."""

    id: Name
    text: str
    k: Annotated[int, Meta(ge=1, le=MAX_K)]
    mode: Name
    question_date: str | None = None


class Hit(Struct, frozen=True, kw_only=True):
    """One place found. `rank` is 1 for the best; several hits may be chunks of one document."""

    doc_id: Name
    score: float
    rank: Annotated[int, Meta(ge=1)]
    chunk_id: str | None = None
    session_id: str | None = None


class Usage(Struct, frozen=True, kw_only=True):
    """What a reply has cost; None = the system does not say, which is not zero."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost_usd: Amount | None = None


class Flags(Struct, frozen=True, kw_only=True):
    """How a search really went; None = the system does not say."""

    vector_enabled: bool | None = None
    reranked: bool | None = None
    expansion_applied: bool | None = None
    degraded: tuple[Degradation, ...] = ()


class SearchReply(Struct, frozen=True, kw_only=True):
    """The hits, best first. `latency_ms` is the system's own figure; None = measured from outside."""

    hits: tuple[Hit, ...]
    latency_ms: Amount | None = None
    delivered_tokens: Count | None = None
    """The size of what the hits hold, in tokens; None = the system does not say."""
    usage: Usage = Usage()
    flags: Flags = Flags()


class Answer(Struct, frozen=True, kw_only=True):
    """What the system says in its own words."""

    text: str
    latency_ms: Amount | None = None
    usage: Usage = Usage()


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a system says about itself before it is asked anything.

    `fingerprints` are identities that may explain a difference between two runs: embedder, config hash, …
    """

    name: Name
    version: str | None = None
    modes: tuple[Name, ...] = ("balanced",)
    answers: bool = False
    max_k: Annotated[int, Meta(ge=1)] | None = None
    concurrency: Annotated[int, Meta(ge=1)] = 1
    """How many searches it takes at the same time."""
    fingerprints: Mapping[str, str] = {}
