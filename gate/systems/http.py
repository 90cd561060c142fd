"""A system under test that is a service: the messages of the protocol as bodies of requests."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from gate.core.records.system import Answer, Capabilities, Document, Hit, Query, SearchReply
from gate.core.records.system_messages import (
    AnswerRequest,
    ErrorReply,
    Ingest,
    Nothing,
    Stored,
    batches,
    decode,
    encode,
)
from gate.ports import SystemFailed
from gate.systems.address import Address
from gate.systems.connections import BrokenOffError, Connections, NotReachedError, OversizedError, Response

_NOT_NOW: Final = frozenset({429, 502, 503, 504})
_LONGEST_WAIT: Final = 30.0
_DOCUMENTS: Final = "/v1/documents"
_SETUP: Final = ("/v1/reset", _DOCUMENTS)

_Result = TypeVar("_Result", Capabilities, Stored, SearchReply, Answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a service is waited for, in seconds, and how often it is asked again.

    `start` is for a service that is not up yet, `setup` for one message of documents, `ask` for one question with
    all its attempts. The wait before another attempt doubles from `pause`, or is what Retry-After says.
    """

    ask: float = 30
    setup: float = 300
    start: float = 60
    attempts: int = 3
    pause: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Where the service is and how to speak to it; `headers` hold the secret, if there is one."""

    address: Address
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    concurrency: int = 4
    patience: Patience = field(default_factory=Patience)


class _TryAgain(Exception):  # noqa: N818 - what to do about it, not what it is
    """Nothing was done, or doing it twice does no harm."""

    def __init__(self, failed: SystemFailed) -> None:
        super().__init__(failed.message)
        self.failed = failed


class HttpSystem:
    """Implements the gate's System over HTTP, with as many connections as questions at once.

    What was certainly not begun is tried again, and so is every call but the handing over of documents.
    """

    def __init__(self, service: Service, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._address = service.address
        self._patience = service.patience
        self._concurrency = service.concurrency
        self._connections = Connections(service.address, service.headers)
        self._room = threading.BoundedSemaphore(service.concurrency)
        self._sleep = sleep
        self._documents = 0

    def capabilities(self) -> Capabilities:
        """What the service says about itself; one that is not up yet is waited for."""
        until = time.monotonic() + self._patience.start
        while True:
            try:
                said = self._asked("GET", "/v1/capabilities", None, Capabilities)
            except SystemFailed as error:
                if error.kind != "crash" or time.monotonic() >= until:
                    raise
                self._sleep(self._patience.pause)
            else:
                return replace(said, concurrency=min(said.concurrency, self._concurrency))

    def reset(self) -> None:
        """Forget every document."""
        self._documents = 0
        self._stored(self._asked("POST", "/v1/reset", Nothing(), Stored))

    def ingest(self, documents: Sequence[Document]) -> None:
        """Hand over more documents, in messages of a few megabytes."""
        for batch in batches(documents):
            self._documents += len(batch)
            self._stored(self._asked("POST", _DOCUMENTS, Ingest(documents=batch), Stored))

    def search(self, query: Query) -> SearchReply:
        """Ask for hits."""
        with self._room:
            return self._asked("POST", "/v1/search", query, SearchReply)

    def answer(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """Ask for an answer."""
        with self._room:
            return self._asked("POST", "/v1/answer", AnswerRequest(query=query, hits=tuple(hits)), Answer)

    def close(self) -> None:
        """Hang up."""
        self._connections.close()

    def _stored(self, said: Stored) -> None:
        if said.documents != self._documents:
            raise SystemFailed(
                "garbage",
                f"the system says it holds {said.documents} documents; {self._documents} were handed over",
                remedy="count documents, not chunks, and take in every one of them",
            )

    def _asked(self, verb: str, path: str, message: Struct | None, kind: type[_Result]) -> _Result:
        seconds = self._patience.setup if path in _SETUP else self._patience.ask
        body = b"" if message is None else encode(message)
        response = self._answered(verb, path, body, seconds)
        if response.status != HTTPStatus.OK:
            raise self._refused(response)
        try:
            return decode(response.body, kind)
        except ValueError as error:
            raise self._garbage(path, str(error)) from error

    def _answered(self, verb: str, path: str, body: bytes, seconds: float) -> Response:
        """An answer that is not "not now", or the last one; SystemFailed when there is none."""
        until = time.monotonic() + seconds
        for attempt in range(1, self._patience.attempts + 1):
            pause = self._patience.pause * 2 ** (attempt - 1)
            try:
                response = self._attempt(verb, path, body, until - time.monotonic(), seconds)
            except _TryAgain as error:
                if attempt == self._patience.attempts or time.monotonic() + pause >= until:
                    raise error.failed from error
            else:
                pause = min(response.retry_after or pause, _LONGEST_WAIT)
                if response.status not in _NOT_NOW or attempt == self._patience.attempts:
                    return response
                if time.monotonic() + pause >= until:
                    return response
            self._sleep(pause)
        raise AssertionError("there is at least one attempt")

    def _attempt(self, verb: str, path: str, body: bytes, left: float, seconds: float) -> Response:
        try:
            return self._connections.exchange(verb, path, body, left, fresh=path == _DOCUMENTS)
        except NotReachedError as error:
            raise _TryAgain(self._crash(f"cannot be reached ({error})")) from error
        except BrokenOffError as error:
            failed = self._crash(f"broke off before it had answered ({error})")
            raise (failed if path == _DOCUMENTS else _TryAgain(failed)) from error
        except TimeoutError as error:
            raise self._timeout(seconds) from error
        except OversizedError as error:
            raise self._garbage(path, "it is too long") from error

    def _refused(self, response: Response) -> SystemFailed:
        detail = None
        with suppress(ValueError):
            detail = decode(response.body, ErrorReply).error.message
        wants_token = response.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        return SystemFailed(
            "refused",
            f"{self._address} answered with status {response.status}",
            remedy="name the variable that holds its token with `token-env`"
            if wants_token
            else "see the system's log",
            detail=detail,
        )

    def _crash(self, how: str) -> SystemFailed:
        return SystemFailed(
            "crash",
            f"{self._address} {how}",
            remedy="check that the service runs, and its `url` in the configuration",
        )

    def _timeout(self, seconds: float) -> SystemFailed:
        return SystemFailed(
            "timeout",
            f"{self._address} did not answer within {seconds:g} s",
            remedy="give it more time (`timeout`), or find out what it waits for",
        )

    def _garbage(self, path: str, why: str) -> SystemFailed:
        return SystemFailed(
            "garbage",
            f"the answer to {path} is not of the protocol ({why})",
            remedy="answer as schemas/system-protocol.v1.openapi.json says",
        )
