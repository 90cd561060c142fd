import json
import socket
import threading
import time
from collections.abc import Callable

import pytest

from gate.core.records.system import Capabilities, Document, Hit, Query, SearchReply
from gate.core.records.system_messages import BATCH_BYTES, MAX_MESSAGE_BYTES
from gate.ports import SystemFailed
from gate.systems.http import HttpSystem, Patience, Service
from gate.systems.reference import ReferenceSystem
from tests.scripted_system import ScriptedSystem, failed, reply
from tests.systems.conformance import check
from tests.systems.servers import QUICK, answering, client, place, raw, read_request, served

ASKED = Query(id="q", text="private words", k=2, mode="balanced")
HITS = json.dumps({"hits": [{"doc_id": "a", "score": 1.0, "rank": 1}]}).encode()


def search(port: int, patience: Patience = QUICK, naps: list[float] | None = None) -> SearchReply:
    with client(port, patience=patience, naps=naps) as system:
        return system.search(ASKED)


def ingest(port: int, *documents: Document) -> None:
    with client(port) as system:
        system.ingest(documents)


def failure(port: int, patience: Patience = QUICK) -> SystemFailed:
    with pytest.raises(SystemFailed) as caught:
        search(port, patience)
    assert "private" not in caught.value.message
    return caught.value


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def test_a_service_keeps_the_protocol_like_any_other_system() -> None:
    with served(ReferenceSystem()) as server, client(server.server_port) as system:
        check(system)


def test_the_service_is_asked_no_more_at_once_than_configured_and_than_it_takes() -> None:
    for takes, configured in ((8, 2), (2, 8)):
        said = Capabilities(name="s", concurrency=takes)
        with (
            served(ScriptedSystem(said=said)) as server,
            client(server.server_port, concurrency=configured) as system,
        ):
            assert system.capabilities().concurrency == 2


def test_concurrent_questions_are_bounded() -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def slow(_query: Query) -> SearchReply:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return reply(("a", 1.0))

    with served(ScriptedSystem(slow)) as server, client(server.server_port, concurrency=3) as system:
        threads = [threading.Thread(target=system.search, args=(ASKED,)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most[0] == 3


def test_connections_are_used_again() -> None:
    seen: set[int] = set()

    def treat(connection: socket.socket) -> None:
        for _ in range(5):
            read_request(connection)
            seen.add(connection.getpeername()[1])
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(HITS) + HITS)

    with raw(treat) as port, client(port) as system:
        for _ in range(5):
            system.search(ASKED)
    assert len(seen) == 1


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced_without_counting() -> None:
    once = Patience(ask=5, attempts=1)
    with raw(answering(HITS)) as port, client(port, patience=once) as system:
        for _ in range(3):
            assert len(system.search(ASKED).hits) == 1
            time.sleep(0.05)


def test_the_token_is_sent_and_never_shown() -> None:
    right, wrong = "t0ken", "wr0ng"
    with served(ScriptedSystem({"q": reply(("a", 1.0))}), token=right) as server:
        with client(server.server_port, token=right) as system:
            assert len(system.search(ASKED).hits) == 1
        with client(server.server_port, token=wrong) as system, pytest.raises(SystemFailed) as caught:
            system.search(ASKED)
    assert "answered with status 401" in caught.value.message
    assert "token-env" in caught.value.remedy
    assert wrong not in str(caught.value)


def test_a_corpus_of_any_size_is_handed_over_in_parts() -> None:
    system = ScriptedSystem()
    with served(system) as server:
        ingest(server.server_port, *(Document(id=str(n), text="x" * (BATCH_BYTES // 2)) for n in range(5)))
    assert [document.id for document in system.documents] == ["0", "1", "2", "3", "4"]
    assert system.calls.count("ingest") > 1


def test_a_text_of_ten_megabytes_goes_through() -> None:
    system = ScriptedSystem()
    with served(system) as server:
        ingest(server.server_port, Document(id="big", text="x" * 10_000_000))
    assert len(system.documents[0].text) == 10_000_000


def test_documents_that_get_lost_are_noticed() -> None:
    with (
        raw(answering(b'{"documents": 0}')) as port,
        pytest.raises(SystemFailed, match="it holds 0 documents; 1 were"),
    ):
        ingest(port, Document(id="a", text="b"))


def test_an_answer_may_be_asked_for() -> None:
    with served(ScriptedSystem()) as server, client(server.server_port) as system:
        found = system.answer(ASKED, [Hit(doc_id="a", score=1.0, rank=1)])
    assert found.text == "q from 1"


def test_nobody_there_is_a_crash_after_as_many_attempts_as_configured() -> None:
    naps: list[float] = []
    with pytest.raises(SystemFailed, match=r"cannot be reached \(Connection refused\)") as caught:
        search(free_port(), naps=naps)
    assert caught.value.kind == "crash"
    assert naps == [0.01, 0.02]


def test_a_host_that_does_not_exist_cannot_be_reached() -> None:
    error = failure(free_port())
    assert error.kind == "crash"
    assert "`url`" in error.remedy


def test_a_service_that_is_not_up_yet_is_waited_for() -> None:
    port = free_port()
    patience = Patience(start=20, attempts=1, pause=0.05)

    def appear() -> None:
        time.sleep(0.3)
        with socket.create_server(("127.0.0.1", port)) as listener:
            connection, _ = listener.accept()
            with connection:
                answering(b'{"name": "late"}')(connection)

    thread = threading.Thread(target=appear)
    thread.start()
    system = HttpSystem(Service(address=place(port), patience=patience))
    assert system.capabilities().name == "late"
    system.close()
    thread.join()


def test_a_service_that_never_comes_up_is_given_up_on() -> None:
    naps: list[float] = []
    began = time.monotonic()
    patience = Patience(start=0.2, attempts=1, pause=0.01)
    with (
        client(free_port(), patience=patience, naps=naps) as system,
        pytest.raises(SystemFailed, match="cannot be reached"),
    ):
        system.capabilities()
    assert time.monotonic() - began < 10
    assert naps


def test_not_now_is_asked_again_as_late_as_the_service_says() -> None:
    naps: list[float] = []
    busy = answering(b"", "503 Service Unavailable", "Retry-After: 2\r\n")
    with raw(busy, answering(b"", "429 Too Many Requests"), answering(HITS)) as port:
        assert len(search(port, naps=naps).hits) == 1
    assert naps == [2.0, 0.02]


def test_not_now_for_ever_is_a_refusal() -> None:
    with raw(answering(b"", "503 Service Unavailable")) as port:
        error = failure(port)
    assert (error.kind, error.message) == ("refused", f"http://127.0.0.1:{port} answered with status 503")


def test_a_wait_that_is_longer_than_the_patience_is_not_begun() -> None:
    naps: list[float] = []
    busy = answering(b"", "503 Service Unavailable", "Retry-After: 60\r\n")
    with raw(busy) as port, pytest.raises(SystemFailed, match="status 503"):
        search(port, naps=naps)
    assert naps == []


def test_an_honest_error_is_not_asked_again_and_its_words_are_kept_apart() -> None:
    asked = ScriptedSystem({"q": failed("refused", "no index for private words")})
    with served(asked) as server:
        error = failure(server.server_port)
    assert (error.kind, len(asked.asked)) == ("refused", 1)
    assert error.detail == "no index for private words: mend it"


def hang(connection: socket.socket) -> None:
    read_request(connection)
    connection.recv(1)


def trickle(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(200):
        connection.sendall(b" ")
        time.sleep(0.02)


def trickle_headers(connection: socket.socket) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for _ in range(200):
        connection.sendall(b"X: y\r\n")
        time.sleep(0.02)


@pytest.mark.parametrize("behaviour", [hang, trickle, trickle_headers])
def test_silence_and_trickling_end_with_the_patience(behaviour: Callable[[socket.socket], None]) -> None:
    with raw(behaviour) as port:
        began = time.monotonic()
        error = failure(port, Patience(ask=0.3, attempts=1))
    assert error.kind == "timeout"
    assert "did not answer within 0.3 s" in error.message
    assert time.monotonic() - began < 5


def hang_up(connection: socket.socket) -> None:
    read_request(connection)


def reset(connection: socket.socket) -> None:
    connection.recv(1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


@pytest.mark.parametrize(
    "behaviour",
    [
        hang_up,
        reset,
        answering(HITS[:10], length=len(HITS)),
        answering(HITS, "nonsense"),
        lambda connection: connection.sendall(b"SSH-2.0-OpenSSH\r\n"),
    ],
    ids=["closes", "resets", "closes mid-message", "bad status", "another protocol"],
)
def test_whoever_breaks_off_is_a_crash(behaviour: Callable[[socket.socket], None]) -> None:
    with raw(behaviour) as port:
        error = failure(port)
    assert error.kind == "crash"
    assert "broke off before it had answered" in error.message


def test_a_question_that_was_broken_off_is_asked_again() -> None:
    with raw(hang_up, answering(HITS[:10], length=len(HITS)), answering(HITS)) as port:
        assert len(search(port).hits) == 1


def test_documents_that_were_broken_off_are_not_handed_over_twice() -> None:
    with raw(hang_up, answering(b'{"documents": 1}')) as port, pytest.raises(SystemFailed, match="broke off"):
        ingest(port, Document(id="a", text="b"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b'{"hits": 3}',
        b"[]",
        b'{"hits": [{"doc_id": "a", "score": NaN, "rank": 1}]}',
        b"\xff\xfe",
    ],
)
def test_what_is_not_of_the_protocol_is_garbage(body: bytes) -> None:
    with raw(answering(body)) as port:
        error = failure(port)
    assert error.kind == "garbage"
    assert "the answer to /v1/search is not of the protocol" in error.message


def test_an_answer_without_end_is_garbage() -> None:
    def flood(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while True:
            connection.sendall(b" " * 1_000_000)

    with raw(flood) as port:
        error = failure(port, Patience(ask=60, attempts=1))
    assert error.kind == "garbage"
    assert MAX_MESSAGE_BYTES == 64 * 2**20


@pytest.mark.parametrize(
    "status", ["301 Moved Permanently", "404 Not Found", "500 Internal Server Error", "204 No Content"]
)
def test_another_status_is_a_refusal_and_redirects_are_not_followed(status: str) -> None:
    with raw(answering(b"", status, "Location: http://elsewhere/\r\n")) as port:
        error = failure(port)
    assert error.kind == "refused"
    assert status[:3] in error.message


def test_an_answer_in_chunks_is_read() -> None:
    def chunked(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for part in (HITS[:7], HITS[7:], b""):
            connection.sendall(b"%x\r\n" % len(part) + part + b"\r\n")

    with raw(chunked) as port:
        assert len(search(port).hits) == 1


def test_a_closed_system_hangs_up() -> None:
    with served(ScriptedSystem()) as server, client(server.server_port) as system:
        system.search(ASKED)
        system.close()
