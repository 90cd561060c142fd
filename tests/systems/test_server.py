import http.client
import json
import socket
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from docs.generate_system_schema import OPENAPI
from gate.core.records.system import Document
from gate.core.records.system_messages import MAX_MESSAGE_BYTES
from gate.systems.reference import ReferenceSystem
from tests.scripted_system import ScriptedSystem, failed
from tests.systems.servers import served

SEARCH = {"id": "q", "text": "water", "k": 3, "mode": "balanced"}


def ask(
    port: int, verb: str, path: str, body: object = None, **headers: str
) -> tuple[int, dict[str, object]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        connection.request(verb, path, data, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")
    finally:
        connection.close()


def test_every_message_has_its_path() -> None:
    pages = {"documents": [{"id": "a", "text": "salt water"}]}
    with served(ReferenceSystem()) as server:
        port = server.server_port
        assert ask(port, "GET", "/v1/capabilities")[1]["name"] == "reference"
        assert ask(port, "POST", "/v1/documents", pages) == (200, {"documents": 1})
        status, found = ask(port, "POST", "/v1/search?trace=1", SEARCH)
        assert (status, [hit["doc_id"] for hit in found["hits"]]) == (200, ["a"])  # type: ignore[attr-defined]  # a list
        assert ask(port, "POST", "/v1/reset", {}) == (200, {"documents": 0})
        assert ask(port, "POST", "/v1/reset") == (200, {"documents": 0})


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "said"),
    [
        ("GET", "/", None, 404, "there is no /"),
        ("POST", "/v1/capabilities", {}, 405, "use GET"),
        ("GET", "/v1/search", None, 405, "use POST"),
        ("DELETE", "/v1/documents", None, 405, "use POST"),
        ("POST", "/v1/search", b"{", 400, "no valid JSON"),
        ("POST", "/v1/search", {**SEARCH, "k": 0}, 400, "Query: "),
        ("POST", "/v1/search", {**SEARCH, "mode": "turbo"}, 409, "there is no mode"),
        ("POST", "/v1/documents", {"documents": [{"id": ""}]}, 400, "Ingest: "),
        ("POST", "/v1/documents", {"documents": [{"id": "a", "text": ""}] * 2}, 409, "is there already"),
        ("POST", "/v1/answer", {"query": SEARCH, "hits": []}, 409, "does not answer"),
    ],
)
def test_what_cannot_be_done_is_said_in_the_protocols_shape(
    verb: str, path: str, body: object, status: int, said: str
) -> None:
    with served(ReferenceSystem()) as server:
        code, answer = ask(server.server_port, verb, path, body)
        assert code == status
        assert said in answer["error"]["message"]  # type: ignore[index]  # an object


def test_a_system_that_breaks_is_a_bad_gateway() -> None:
    with served(ScriptedSystem({"q": failed("crash")})) as server:
        assert ask(server.server_port, "POST", "/v1/search", SEARCH)[0] == 502


@pytest.mark.parametrize("given", [None, "Bearer wrong", "Basic c2VjcmV0", "Bearer sécret"])
def test_without_the_right_token_nothing_is_answered(given: str | None) -> None:
    headers = {} if given is None else {"Authorization": given.encode("utf-8").decode("latin-1")}
    with served(ScriptedSystem(), token="s" * 8) as server:
        assert ask(server.server_port, "GET", "/v1/capabilities", None, **headers)[0] == 401
        assert (
            ask(server.server_port, "GET", "/v1/capabilities", None, Authorization="Bearer ssssssss")[0]
            == 200
        )


def test_a_body_must_announce_its_length_and_not_be_endless() -> None:
    with served(ScriptedSystem()) as server:
        too_long = {"Content-Length": str(MAX_MESSAGE_BYTES + 1)}
        assert ask(server.server_port, "POST", "/v1/search", None, **too_long)[0] == 413
        assert (
            ask(server.server_port, "POST", "/v1/search", None, **{"Transfer-Encoding": "chunked"})[0] == 411
        )
        assert ask(server.server_port, "POST", "/v1/search", None, **{"Content-Length": "-1"})[0] == 411


def test_whoever_speaks_no_http_and_whoever_leaves_disturbs_nobody() -> None:
    with served(ScriptedSystem()) as server:
        for words in (
            b"SSH-2.0\r\n\r\n",
            b"POST /v1/search HTTP/1.1\r\nContent-Length: 99\r\n\r\n{",
            b"",
            b"\xff" * 99_999,
        ):
            with socket.create_connection(("127.0.0.1", server.server_port)) as connection:
                connection.sendall(words)
        assert ask(server.server_port, "GET", "/v1/capabilities")[0] == 200


def test_a_failed_batch_leaves_the_count_as_it_was() -> None:
    with served(ReferenceSystem()) as server:
        port = server.server_port
        ask(port, "POST", "/v1/documents", {"documents": [{"id": "a", "text": ""}]})
        assert (
            ask(port, "POST", "/v1/documents", {"documents": [{"id": n, "text": ""} for n in "ba"]})[0] == 409
        )
        assert ask(port, "POST", "/v1/documents", {"documents": [{"id": "c", "text": ""}]}) == (
            200,
            {"documents": 2},
        )


def test_its_url_can_be_used() -> None:
    with served(ScriptedSystem()) as server:
        assert server.url == f"http://127.0.0.1:{server.server_port}"


schema = schemathesis.openapi.from_dict(json.loads(Path(OPENAPI).read_text()))


@pytest.fixture(scope="module")
def reference_url() -> object:
    system = ReferenceSystem()
    system.ingest([Document(id="a", text="salt water")])
    with served(system) as server:
        yield server.url


@schema.parametrize()
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_server_does_what_its_description_says(case: Any, reference_url: str) -> None:
    case.call_and_validate(base_url=reference_url)
