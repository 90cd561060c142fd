"""Services on this machine's loopback: our own, and ones that behave badly on purpose."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from gate.ports import System
from gate.systems.address import Address
from gate.systems.http import HttpSystem, Patience, Service
from gate.systems.server import SystemServer

QUICK = Patience(ask=5, setup=10, start=0.2, attempts=3, pause=0.01)


def place(port: int, path: str = "") -> Address:
    return Address(secure=False, host="127.0.0.1", port=port, path=path)


@contextmanager
def client(
    port: int,
    *,
    patience: Patience = QUICK,
    concurrency: int = 4,
    token: str | None = None,
    naps: list[float] | None = None,
) -> Iterator[HttpSystem]:
    """A client of whatever listens there, that notes its naps instead of taking them."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    service = Service(address=place(port), headers=headers, concurrency=concurrency, patience=patience)
    system = HttpSystem(service, sleep=(naps if naps is not None else []).append)
    try:
        yield system
    finally:
        system.close()


@contextmanager
def served(system: System, token: str | None = None) -> Iterator[SystemServer]:
    """Our own server, on any free port."""
    with SystemServer(system, ("127.0.0.1", 0), token=token) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def raw(*behaviours: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port where each connection in turn is treated by one function, the last of them for ever."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def accept() -> None:
        for number in range(10_000):
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            if ended.is_set():
                connection.close()
                return
            treat = behaviours[min(number, len(behaviours) - 1)]
            with connection, suppress(OSError):
                treat(connection)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        ended.set()
        with suppress(OSError), socket.create_connection(listener.getsockname(), timeout=1):
            pass
        listener.close()
        thread.join(5)


def answering(
    body: bytes, status: str = "200 OK", headers: str = "", length: int | None = None
) -> Callable[[socket.socket], None]:
    """Reads one request and sends one answer, whose announced length may be a lie; then hangs up."""

    def treat(connection: socket.socket) -> None:
        read_request(connection)
        announced = len(body) if length is None else length
        head = f"HTTP/1.1 {status}\r\nContent-Length: {announced}\r\n{headers}\r\n"
        connection.sendall(head.encode() + body)

    return treat


def read_request(connection: socket.socket) -> bytes:
    """The whole of one request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65_536) or b"\r\n\r\n"
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    left = int(lengths[0].split(b":")[1]) - len(body) if lengths else 0
    while left > 0:
        more = connection.recv(65_536)
        body += more
        left = left - len(more) if more else 0
    return data + body
