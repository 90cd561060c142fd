"""Messages of the system protocol as bytes: one call and one reply a line, or one body of a request."""

from collections.abc import Sequence
from typing import Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from gate.core.records.system import Answer, Capabilities, Count, Document, Hit, Query, SearchReply

Method = Literal["capabilities", "reset", "ingest", "search", "answer"]

MAX_MESSAGE_BYTES: Final = 64 * 2**20
"""A longer reply is no reply: reading it would cost the memory of the run."""
BATCH_BYTES: Final = 4 * 2**20
"""Documents are handed over in messages of about this size."""

_NO_WHOLE_NUMBER: Final = "Expected `int`, got `float`"
_LARGEST_WHOLE: Final = 2**53


class Nothing(Struct, frozen=True):
    """A call that needs no more than its name: `{}`."""


class Ingest(Struct, frozen=True, kw_only=True):
    """Documents to be taken in, besides those that are there already."""

    documents: tuple[Document, ...]


class Stored(Struct, frozen=True, kw_only=True):
    """How many documents (not chunks) the system now holds, all of which can be found."""

    documents: Count


class AnswerRequest(Struct, frozen=True, kw_only=True):
    """The question to be answered, and the hits to answer it from."""

    query: Query
    hits: tuple[Hit, ...]


class Refusal(Struct, frozen=True, kw_only=True):
    """An honest error: what went wrong, in a sentence that holds no secret and no text of a question."""

    message: str


class ErrorReply(Struct, frozen=True, kw_only=True):
    """The body of an answer that is an error."""

    error: Refusal


class Call(Struct, frozen=True, kw_only=True):
    """One line to a program: `params` is the message that belongs to the method."""

    id: Count
    method: Method
    params: Raw


class Return(Struct, frozen=True, kw_only=True):
    """One line back, with the id of its call: `result`, or `error` in its place."""

    id: Count
    result: Raw | UnsetType = UNSET
    error: Refusal | UnsetType = UNSET


Message = TypeVar(
    "Message",
    Capabilities,
    Nothing,
    Ingest,
    Stored,
    SearchReply,
    AnswerRequest,
    Answer,
    Query,
    Call,
    Return,
    ErrorReply,
)


def encode(message: Struct) -> bytes:
    """The message as JSON, without a line feed; members that hold their default are written too."""
    return msgspec.json.encode(message)


def decode(data: bytes | Raw, kind: type[Message]) -> Message:
    """The message; ValueError says where it does not follow the protocol, without quoting any of it.

    1.0 is the whole number 1, as JSON Schema has it and as some languages write it.
    """
    try:
        try:
            return msgspec.json.decode(data, type=kind)
        except msgspec.ValidationError as error:
            if _NO_WHOLE_NUMBER not in str(error):
                raise
            return msgspec.json.decode(_with_whole_numbers(data), type=kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{kind.__name__}: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{kind.__name__}: no valid JSON ({type(error).__name__})") from error


def _with_whole_numbers(data: bytes | Raw) -> bytes:
    return msgspec.json.encode(_whole(msgspec.json.decode(data)))


def _whole(value: object) -> object:
    match value:
        case float() if value.is_integer() and abs(value) <= _LARGEST_WHOLE:
            return int(value)
        case dict():
            return {name: _whole(member) for name, member in value.items()}
        case list():
            return [_whole(member) for member in value]
        case _:
            return value


def batches(documents: Sequence[Document]) -> tuple[tuple[Document, ...], ...]:
    """The documents in order, cut so that each message stays near BATCH_BYTES; one longer text goes alone."""
    made: list[list[Document]] = []
    size = BATCH_BYTES
    for document in documents:
        more = len(document.text) + 200
        if size + more > BATCH_BYTES:
            made.append([])
            size = 0
        made[-1].append(document)
        size += more
    return tuple(map(tuple, made))
