"""A GitHub of our own on 127.0.0.1: it keeps state, enforces the real limits, and holds everything it sees and
says against GitHub's own description of its API."""

import io
import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.github.contract import Exchange
from tests.github.fake_answers import ROUTES, Call, Refused, Reply, decoded, scope_of
from tests.github.fake_world import START, Fault, World

CONTENT_WRITES_A_MINUTE = 80
ENTERPRISE = "/api/v3"  # the same API, below the prefix of an Enterprise Server


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    verb: str
    target: str
    headers: dict[str, str]
    body: bytes
    at: float

    def __str__(self) -> str:
        return f"{self.verb} {self.target}"


@dataclass
class FakeGitHub:
    """The server's face to a test: the world behind it, what it was asked, and what broke the contract."""

    world: World
    url: str = ""
    storage_url: str = ""
    seen: list[Seen] = field(default_factory=list)
    stored: list[Seen] = field(default_factory=list)
    storage_faults: list[int] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def reads(self) -> list[str]:
        return [str(one) for one in self.seen if one.verb == "GET"]

    @property
    def writes(self) -> list[str]:
        return [str(one) for one in self.seen if one.verb != "GET"]

    def answer(self, seen: Seen) -> tuple[Reply, Fault | None]:
        """The answer to one request, and the fault to commit with it."""
        self.seen.append(seen)
        for hook in [hook for hook in self.world.hooks if hook[0] in str(seen)][:1]:
            self.world.hooks.remove(hook)
            hook[1]()
        fault = self._fault(seen)
        if fault is not None and not fault.after_applying:
            return Reply(fault.status or 500, fault.body, tuple(fault.headers.items())), fault
        self.world.remaining -= 1
        exchange = Exchange(seen.verb, seen.target.removeprefix(ENTERPRISE), seen.body)
        self.violations += exchange.problems_of_request()
        reply = self._reply(seen)
        self.violations += exchange.problems_of_answer(reply.status, dict(reply.headers), encoded(reply))
        return reply, fault

    def _fault(self, seen: Seen) -> Fault | None:
        for entry in self.world.faults:
            if entry[0] in str(seen):
                self.world.faults.remove(entry)
                return entry[1]
        return None

    def _reply(self, seen: Seen) -> Reply:
        try:
            self._limits(seen)
            return self._handled(seen)
        except Refused as refused:
            return refused.reply

    def _limits(self, seen: Seen) -> None:
        if seen.at >= self.world.reset_at:
            self.world.remaining, self.world.reset_at = 1000, self.world.reset_at + 3600
        if self.world.remaining < 0:
            raise Refused(403, "API rate limit exceeded for installation ID 1.")
        if seen.verb == "POST":
            recent = [at for at in self.world.content_writes if at > seen.at - 60]
            self.world.content_writes = [*recent, seen.at]
            if len(recent) >= CONTENT_WRITES_A_MINUTE:
                raise Refused(403, "You have exceeded a secondary rate limit. Please wait a few minutes.")

    def _handled(self, seen: Seen) -> Reply:
        url = urlsplit(seen.target.removeprefix(ENTERPRISE))
        identity = self.world.tokens.get(seen.headers.get("Authorization", "").removeprefix("token "))
        if identity is None:
            raise Refused(401, "Bad credentials")
        for verb, pattern, asked, handler in ROUTES:
            found = pattern.fullmatch(url.path)
            if found and verb == seen.verb:
                needed = "read" if verb == "GET" else "write"
                parts = {key: unquote(value) for key, value in found.groupdict().items()}
                scope = scope_of(asked, self.world, parts)
                if identity.permissions.get(scope) not in {needed, "write"}:
                    raise Refused(403, "Resource not accessible by integration")
                query = dict(parse_qsl(url.query))
                base, storage = self.url, self.storage_url
                return handler(
                    Call(self.world, base, storage, identity, query, decoded(seen.body), parts, seen.target)
                )
        raise Refused(404, "Not Found")


def encoded(reply: Reply) -> bytes:
    if reply.data is None:
        return b""
    return (reply.data if isinstance(reply.data, str) else json.dumps(reply.data)).encode()


@contextmanager
def github(world: World | None = None) -> Iterator[FakeGitHub]:
    """A running fake; at the end every request and answer must have kept GitHub's contract."""
    fake = FakeGitHub(world or World())
    with (
        _serving(_api_handler(fake), "127.0.0.1") as port,
        _serving(_storage_handler(fake), "127.0.0.1") as store,
    ):
        fake.url, fake.storage_url = f"http://127.0.0.1:{port}", f"http://localhost:{store}"
        yield fake
    assert not fake.violations, "\n".join(fake.violations)


@contextmanager
def _serving(handler: type[BaseHTTPRequestHandler], host: str) -> Iterator[int]:
    server = ThreadingHTTPServer((host, 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _api_handler(fake: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(_Quiet):
        def respond(self, body: bytes) -> None:
            seen = Seen(
                self.command,
                self.path,
                {name.title(): value for name, value in self.headers.items()},
                body,
                fake.world.time.monotonic(),
            )
            with fake.lock:
                reply, fault = fake.answer(seen)
            if fault is not None and fault.line_breaks:
                self.break_line()
                return
            self.send(reply, self._common(fake))

        def _common(self, fake: FakeGitHub) -> tuple[tuple[str, str], ...]:
            reset = START.timestamp() + fake.world.reset_at
            return (
                ("Date", format_datetime(fake.world.time.now(), usegmt=True)),
                ("X-RateLimit-Limit", "1000"),
                ("X-RateLimit-Remaining", str(max(fake.world.remaining, 0))),
                ("X-RateLimit-Reset", f"{reset:.0f}"),
            )

    return Handler


def _storage_handler(fake: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(_Quiet):
        def respond(self, body: bytes) -> None:
            fake.stored.append(
                Seen(
                    self.command,
                    self.path,
                    {name.title(): value for name, value in self.headers.items()},
                    body,
                    0,
                )
            )
            status = fake.storage_faults.pop(0) if fake.storage_faults else 200
            if status != 200:
                self.fail(status)
                return
            number = int(self.path.split("?")[0].rsplit("/", 1)[1])
            data = next(one.data for one in fake.world.artifacts if one.id == number)
            self.send_response_only(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self, body: bytes) -> None:
        raise NotImplementedError

    def _any(self) -> None:
        self.respond(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815  # http.server's names

    def send(self, reply: Reply, common: tuple[tuple[str, str], ...]) -> None:
        data = encoded(reply)
        told = {"Content-Type": "application/json; charset=utf-8", **dict(common), **dict(reply.headers)}
        self.send_response_only(reply.status)
        for name, value in told.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def fail(self, status: int) -> None:
        if not status:
            self.break_line()
            return
        self.send_response_only(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def break_line(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.wfile = io.BytesIO()
        self.connection.close()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the standard library's name
        pass
