"""Connections to one service, kept and used again; every exchange ends in time."""

import http.client
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from gate.core.records.system_messages import MAX_MESSAGE_BYTES
from gate.systems.address import Address


class NotReachedError(Exception):
    """There is nobody: nothing was sent."""


class BrokenOffError(Exception):
    """It hung up on the way: it may or may not have begun."""


class OversizedError(Exception):
    """The body is longer than any message."""


@dataclass(frozen=True, slots=True)
class Response:
    """A complete answer; `retry_after` in seconds, where it was given in seconds."""

    status: int
    body: bytes
    retry_after: float | None


class Connections:
    """As many connections as there are exchanges at once; safe from several threads."""

    def __init__(self, address: Address, headers: Mapping[str, str]) -> None:
        self._address = address
        self._headers = {"Accept": "application/json", "Content-Type": "application/json", **headers}
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False

    def exchange(self, verb: str, path: str, body: bytes, seconds: float, *, fresh: bool) -> Response:
        """One request and its answer; NotReachedError, BrokenOffError, OversizedError, TimeoutError.

        On a `fresh` connection nobody can have hung up already. One that was kept and turns out to be closed
        is replaced once.
        """
        kept = None if fresh else self._kept()
        if kept is not None:
            with suppress(BrokenOffError):
                return self._on(kept, verb, path, body, seconds)
        return self._on(self._opened(seconds), verb, path, body, seconds)

    def close(self) -> None:
        """Close those that wait for use; those in use are closed after it."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _kept(self) -> http.client.HTTPConnection | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _opened(self, seconds: float) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._address.secure else http.client.HTTPConnection
        connection = kind(self._address.host, self._address.port, timeout=max(seconds, 0.001))
        try:
            connection.connect()
        except TimeoutError:
            raise
        except OSError as error:
            raise NotReachedError(error.strerror or type(error).__name__) from error
        return connection

    def _on(
        self, connection: http.client.HTTPConnection, verb: str, path: str, body: bytes, seconds: float
    ) -> Response:
        try:
            with _limited(connection, seconds):
                connection.request(verb, self._address.path + path, body or None, self._headers)
                answer = connection.getresponse()
                data = _body(answer)
        except BaseException:
            connection.close()
            raise
        self._keep(connection, answer)
        return Response(answer.status, data, _seconds(answer.headers.get("Retry-After")))

    def _keep(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        with self._lock:
            if answer.isclosed() and not answer.will_close and not self._closed:
                self._idle.append(connection)
                return
        connection.close()


def _body(answer: http.client.HTTPResponse) -> bytes:
    """All of it; a body that ends before its announced length is broken off, which read() does not say."""
    data = answer.read(MAX_MESSAGE_BYTES + 1)
    if len(data) > MAX_MESSAGE_BYTES:
        answer.close()
        raise OversizedError
    if answer.length:
        answer.close()
        raise http.client.IncompleteRead(data, answer.length)
    return data


@contextmanager
def _limited(connection: http.client.HTTPConnection, seconds: float) -> Iterator[None]:
    """TimeoutError when the block takes longer, however slowly bytes trickle; BrokenOffError when it breaks."""
    late = threading.Event()

    def hang_up() -> None:
        late.set()
        with suppress(OSError, AttributeError):  # it may be closed, or about to be
            connection.sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
        if late.is_set():
            raise TimeoutError
    except (OSError, http.client.HTTPException) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            raise TimeoutError from error
        raise BrokenOffError(type(error).__name__) from error
    finally:
        timer.cancel()


def _seconds(retry_after: str | None) -> float | None:
    return float(retry_after) if retry_after is not None and retry_after.strip().isdigit() else None
