"""One question to a chat model and what came of it; every provider speaks in these words."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

Finish = Literal["stop", "length", "refused", "other"]
"""stop: the model had said it all; length: cut at the output cap; refused: it, or its filter, would not."""

FailureKind = Literal[
    "rate_limited",
    "overloaded",
    "server",
    "timeout",
    "conflict",
    "connection",
    "garbage",
    "auth",
    "unknown_model",
    "rejected",
    "budget",
    "cancelled",
    "not_recorded",
]
"""garbage: no message of the protocol; rejected: the request itself was found wrong; budget: never sent."""

PASSING: Final[frozenset[FailureKind]] = frozenset(
    {"rate_limited", "overloaded", "server", "timeout", "conflict", "connection"}
)
"""Failures that may pass by themselves: worth another try."""


class Usage(Struct, frozen=True, kw_only=True):
    """What a provider says it counted; reasoning counts as output."""

    input_tokens: int
    output_tokens: int


class ChatRequest(Struct, frozen=True, kw_only=True):
    """One question. `schema` is the JSON Schema the reply should keep, where the provider can enforce one."""

    system: str
    prompt: str
    max_tokens: int
    timeout: float
    """Seconds the provider may take over one attempt."""
    schema: Mapping[str, object] | None = None


class Completion(Struct, frozen=True, kw_only=True):
    """A reply. `usage` None = the provider did not say; `model` is the snapshot that answered, where it says so."""

    text: str
    finish: Finish
    usage: Usage | None
    model: str | None = None
    replayed: bool = False
    """True where a cassette answered and nothing was spent."""
    remarks: tuple[str, ...] = ()
    """What the provider did not take (a temperature, a schema), in a few words each."""


class ModelFailure(Struct, frozen=True, kw_only=True):
    """No reply. `lost` says that the provider may have worked, and charged, all the same."""

    kind: FailureKind
    message: str
    retry_after: float | None = None
    """Seconds the provider asked to be left alone."""
    lost: bool = False


Outcome = Completion | ModelFailure
