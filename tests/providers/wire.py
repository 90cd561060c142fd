"""A server that answers as told, byte by byte: what the ready-made fakes of model providers cannot do."""

import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """One answer. `cut` sends half of the body and hangs up; `hang` says nothing; `drip` sends a byte at a time."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    delay: float = 0.0
    cut: bool = False
    drop: bool = False
    hang: bool = False
    drip: float | None = None


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Any


class Wire:
    """The answers still to be given, and every request that came; the last answer is given for ever."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = list(answers)
        self._lock = threading.Lock()
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self.url = ""

    def answer_to(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.wire.answer_to(Asked(self.path, headers, json.loads(data or b"null")))
        self.server.wire.closing.wait(answer.delay)
        if answer.hang:
            self.server.wire.closing.wait(60)
        if answer.hang or answer.drop:
            self._hang_up()
            return
        self._head(answer)
        self._body(answer)

    def _head(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        self.send_header("content-length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _body(self, answer: Answer) -> None:
        if answer.cut:
            self.wfile.write(answer.body[: len(answer.body) // 2])
            self._hang_up()
        elif answer.drip is not None:
            for byte in answer.body:
                if self.server.wire.closing.wait(answer.drip):
                    return
                self.wfile.write(bytes([byte]))
        else:
            self.wfile.write(answer.body)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    wire: Wire

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that is gone is no error of the test."""


@contextmanager
def wire(*answers: Answer) -> Iterator[Wire]:
    """A server on a free port of the loopback interface for as long as the block lasts."""
    script = Wire(answers)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.wire = script
    script.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def unused_url() -> str:
    """An address nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def body(document: object) -> bytes:
    return json.dumps(document).encode()


def openai_body(text: str | None = "hello", **overrides: Any) -> bytes:
    message = {"role": "assistant", "content": text, "refusal": overrides.pop("refusal", None)}
    choice = {"index": 0, "message": message, "finish_reason": overrides.pop("finish", "stop")}
    usage = {"prompt_tokens": 1200, "completion_tokens": 345, "total_tokens": 1545}
    held = {
        "id": "c1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "gpt-5.2-2026-01-01",
        "choices": [choice],
        "usage": usage,
    }
    return body(held | overrides)


def anthropic_body(text: str = "hello", **overrides: Any) -> bytes:
    held = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-7-20260101",
        "content": [{"type": "text", "text": text}],
        "stop_reason": overrides.pop("finish", "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 345, "cache_read_input_tokens": 200},
    }
    return body(held | overrides)


def google_body(text: str = "hello", **overrides: Any) -> bytes:
    parts = overrides.pop("parts", [{"text": text}])
    candidate = {
        "content": {"role": "model", "parts": parts},
        "finishReason": overrides.pop("finish", "STOP"),
        "index": 0,
    }
    usage = {
        "promptTokenCount": 1200,
        "candidatesTokenCount": 300,
        "thoughtsTokenCount": 45,
        "totalTokenCount": 1545,
    }
    held = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.0-flash-001"}
    return body(held | overrides)
