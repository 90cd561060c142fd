"""A system behind HTTP: what `gate serve-reference` answers, and a model of what a service must."""

import hmac
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, Literal

from msgspec import Struct

from gate.core.records.system import Query
from gate.core.records.system_messages import (
    MAX_MESSAGE_BYTES,
    AnswerRequest,
    ErrorReply,
    Ingest,
    Nothing,
    Refusal,
    Stored,
    decode,
    encode,
)
from gate.ports import System, SystemFailed

Verb = Literal["GET", "POST"]
Operation = Callable[[bytes], Struct]

IDLE_SECONDS: Final = 60


@dataclass(frozen=True, slots=True)
class _Answer:
    status: HTTPStatus
    body: bytes
    headers: Mapping[str, str]


class SystemServer(ThreadingHTTPServer):
    """Serves one system; a client that is slow or silent keeps no other waiting."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, system: System, place: tuple[str, int], *, token: str | None = None) -> None:
        """Listen at host and port (0 = any); with a token, only those who bear it are answered."""
        self.routes = _Routes(system, token)
        super().__init__(place, _Handler)

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}"


class _Routes:
    """From a request to the system's answer, without any network."""

    def __init__(self, system: System, token: str | None) -> None:
        self._system = system
        self._token = token
        self._lock = threading.Lock()
        self._documents = 0
        self._operations: Mapping[str, tuple[Verb, Operation]] = {
            "/v1/capabilities": ("GET", lambda _: system.capabilities()),
            "/v1/reset": ("POST", self._reset),
            "/v1/documents": ("POST", self._ingest),
            "/v1/search": ("POST", lambda body: system.search(decode(body, Query))),
            "/v1/answer": ("POST", self._answer),
        }

    def answer(self, verb: str, path: str, body: bytes, authorization: str | None) -> _Answer:
        """What the system says to a request."""
        if path not in self._operations:
            return _error(HTTPStatus.NOT_FOUND, f"there is no {path}")
        if not self._may(authorization):
            return _error(HTTPStatus.UNAUTHORIZED, "a token is wanted", {"WWW-Authenticate": "Bearer"})
        expected, operation = self._operations[path]
        if verb != expected:
            return _error(HTTPStatus.METHOD_NOT_ALLOWED, f"use {expected}", {"Allow": expected})
        try:
            return _Answer(HTTPStatus.OK, encode(operation(body)), {})
        except ValueError as error:
            return _error(HTTPStatus.BAD_REQUEST, str(error))
        except SystemFailed as error:
            status = HTTPStatus.CONFLICT if error.kind == "refused" else HTTPStatus.BAD_GATEWAY
            return _error(status, f"{error.message}: {error.remedy}")

    def _may(self, authorization: str | None) -> bool:
        if self._token is None:
            return True
        given = (authorization or "").encode("latin-1", "replace")
        return hmac.compare_digest(given, f"Bearer {self._token}".encode())

    def _reset(self, body: bytes) -> Stored:
        decode(body or b"{}", Nothing)
        with self._lock:
            self._system.reset()
            self._documents = 0
        return Stored(documents=0)

    def _ingest(self, body: bytes) -> Stored:
        documents = decode(body, Ingest).documents
        with self._lock:
            self._system.ingest(documents)
            self._documents += len(documents)
            return Stored(documents=self._documents)

    def _answer(self, body: bytes) -> Struct:
        asked = decode(body, AnswerRequest)
        return self._system.answer(asked.query, asked.hits)


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "gate"
    sys_version = ""
    timeout = IDLE_SECONDS
    server: SystemServer
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        """Answer a request; a client that has left, or never finishes its sentence, is no error of ours."""
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def do_any(self) -> None:
        """Answer whatever the verb is."""
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") or not length.isdigit():
            self._refuse(_error(HTTPStatus.LENGTH_REQUIRED, "send a Content-Length"))
        elif int(length) > MAX_MESSAGE_BYTES:
            self._refuse(_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MAX_MESSAGE_BYTES:,} bytes"))
        else:
            body = self.rfile.read(int(length))
            path = self.path.partition("?")[0]
            self._send(self.server.routes.answer(self.command, path, body, self.headers.get("Authorization")))

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = do_TRACE = do_QUERY = do_any  # noqa: N815 - the base class looks them up by name

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing: requests hold questions."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - the base class's
        """What the base class refuses (no HTTP, lines without end) is refused in the protocol's shape."""
        self._refuse(_error(HTTPStatus(code), message or HTTPStatus(code).phrase))

    def _refuse(self, answer: _Answer) -> None:
        """Answer without having read the body: the connection cannot be used again."""
        self.close_connection = True
        self._send(answer)

    def _send(self, answer: _Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)


def _error(status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> _Answer:
    return _Answer(status, encode(ErrorReply(error=Refusal(message=message))), headers or {})
