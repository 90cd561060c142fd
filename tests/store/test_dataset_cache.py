import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gate.errors import EvidenceError, UnavailableError, UsageError
from gate.store.dataset_cache import DatasetCache, commit_note
from gate.store.dataset_commit import dataset_commit
from tests.fakes import Stages

DATA = b"[" + b"x" * 3_000_000 + b"]"
SHA256 = hashlib.sha256(DATA).hexdigest()


@dataclass
class Origin:
    """A server that answers each request as told; what is not told is the dataset."""

    statuses: list[int] = field(default_factory=list)
    short: list[bool] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(origin: Origin) -> Iterator[Origin]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            origin.requests.append(self.path)
            status = origin.statuses.pop(0) if origin.statuses else 200
            cut = bool(origin.short) and origin.short.pop(0)
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/moved.json")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write(DATA[:1000] if cut else DATA)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    origin.url = f"http://127.0.0.1:{server.server_address[1]}/files/data%20set.json?token=secret-value"
    try:
        yield origin
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def cache(folder: Path, pauses: list[float] | None = None) -> DatasetCache:
    return DatasetCache(folder=folder, progress=Stages(), sleep=(pauses if pauses is not None else []).append)


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_dataset_is_fetched_once_and_found_by_its_digest(tmp_path: Path) -> None:
    with serving(Origin()) as origin:
        first = cache(tmp_path).fetch(origin.url, SHA256.upper())
        again = cache(tmp_path).fetch(origin.url, SHA256)
    assert first == again == tmp_path / SHA256 / "data-set.json"
    assert first.read_bytes() == DATA
    assert len(origin.requests) == 1


def test_progress_is_told_in_megabytes(tmp_path: Path) -> None:
    stages = Stages()
    with serving(Origin()) as origin:
        DatasetCache(folder=tmp_path, progress=stages, sleep=[].append).fetch(origin.url, SHA256)
    assert stages.said == ["fetching data-set.json, MiB"]
    assert stages.steps[-1] == (2, 2)


def test_other_bytes_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    with (
        serving(Origin()) as origin,
        pytest.raises(EvidenceError, match=f"its sha256 is {SHA256}") as refused,
    ):
        cache(tmp_path).fetch(origin.url, "0" * 64)
    assert "secret-value" not in refused.value.message
    assert list(tmp_path.rglob("*")) == []


def test_a_damaged_copy_in_the_cache_is_fetched_again(tmp_path: Path) -> None:
    with serving(Origin()) as origin:
        found = cache(tmp_path).fetch(origin.url, SHA256)
        found.write_bytes(b"damaged")
        assert cache(tmp_path).fetch(origin.url, SHA256).read_bytes() == DATA
    assert len(origin.requests) == 2


def test_redirects_are_followed(tmp_path: Path) -> None:
    with serving(Origin(statuses=[302])) as origin:
        cache(tmp_path).fetch(origin.url, SHA256)
    assert origin.requests[-1] == "/moved.json"


def test_a_passing_trouble_is_waited_for(tmp_path: Path) -> None:
    pauses: list[float] = []
    with serving(Origin(statuses=[503, 200], short=[False, True])) as origin:
        cache(tmp_path, pauses).fetch(origin.url, SHA256)
    assert pauses == [1.0, 5.0]
    assert files(tmp_path) == [f"{SHA256}/data-set.json"]


def test_a_lasting_trouble_is_told_without_the_secrets_of_the_address(tmp_path: Path) -> None:
    pauses: list[float] = []
    with (
        serving(Origin(statuses=[503] * 3)) as origin,
        pytest.raises(UnavailableError, match="status 503") as told,
    ):
        cache(tmp_path, pauses).fetch(origin.url, SHA256)
    assert len(pauses) == 2
    assert "secret-value" not in told.value.message
    assert files(tmp_path) == []


def test_what_is_not_there_is_not_asked_for_again(tmp_path: Path) -> None:
    with serving(Origin(statuses=[404])) as origin, pytest.raises(UnavailableError, match="status 404"):
        cache(tmp_path).fetch(origin.url, SHA256)
    assert len(origin.requests) == 1


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot be fetched"):
        cache(tmp_path).fetch("http://127.0.0.1:9/data.json", SHA256)


def test_a_file_is_copied_into_the_cache_and_checked_alike(tmp_path: Path) -> None:
    source = tmp_path / "mount" / "data.json"
    source.parent.mkdir()
    source.write_bytes(DATA)
    found = cache(tmp_path / "cache").fetch(str(source), SHA256)
    assert (found.read_bytes(), found.name) == (DATA, "data.json")
    with pytest.raises(EvidenceError, match="its sha256 is"):
        cache(tmp_path / "cache").fetch(str(source), "1" * 64)
    with pytest.raises(EvidenceError, match="no such file"):
        cache(tmp_path / "cache").fetch(str(source) + "x", SHA256)


def test_a_digest_that_is_none_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    for text in ("", "abc", "g" * 64, "../" + "0" * 61):
        with pytest.raises(UsageError, match="no SHA-256 digest"):
            cache(tmp_path).fetch("http://127.0.0.1:9/", text)


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    source = tmp_path / "data.json"
    source.write_bytes(DATA)
    with pytest.raises(UnavailableError, match="cannot be written"):
        cache(tmp_path / "file").fetch(str(source), SHA256)


def test_an_address_that_names_a_commit_says_where_the_bytes_come_from(tmp_path: Path) -> None:
    commit = "98d7416c24c778c2fee6e6f3006e7a073259d48f"
    with serving(Origin()) as origin:
        base = origin.url.rpartition("/files/")[0]
        for address, expected in (
            (f"{base}/datasets/resolve/{commit}/lme.json", commit),
            (f"{base}/datasets/resolve/main/lme.json", None),
            (f"{base}/{commit}/{'a' * 40}/lme.json", None),
        ):
            cache = tmp_path / address.rpartition("/resolve/")[2][:5]
            fetched = DatasetCache(folder=cache, progress=Stages(), sleep=lambda _: None).fetch(
                address, SHA256
            )
            assert dataset_commit([fetched]) == expected
        commit_note(fetched).write_text("main\n")
        assert dataset_commit([fetched]) is None
