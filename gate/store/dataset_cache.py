"""Datasets fetched once and kept by their digest: whatever the source says, only the named bytes are accepted."""

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO, Final, Protocol
from urllib.parse import unquote, urlsplit

from gate.core.records.redaction import redact_text
from gate.errors import EvidenceError, UnavailableError, UsageError
from gate.ports import Progress
from gate.store.atomic import write_atomic

BLOCK_BYTES: Final = 2**20
TIMEOUT_SECONDS: Final = 60
PAUSES: Final = (1.0, 5.0)
"""How long is waited before a second and a third attempt."""
WORTH_ANOTHER_TRY: Final = frozenset({408, 425, 429, 500, 502, 503, 504})

_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}", re.ASCII)
_COMMIT: Final = re.compile(r"(?<=/)[0-9a-f]{40}(?=/)", re.ASCII)
_PLAIN: Final = re.compile(r"[^A-Za-z0-9._-]+")


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetCache:
    """A folder of datasets, each at DIGEST/NAME; safe for several processes at once."""

    folder: Path
    progress: Progress
    sleep: Callable[[float], None]

    def fetch(self, source: str, sha256: str) -> Path:
        """Where the dataset lies, fetched unless it is there already.

        EvidenceError when the source has other bytes, UnavailableError when it cannot be reached or the cache
        not be written; in either case the cache is as before.
        """
        wanted = _checked(sha256)
        target = self.folder / wanted / _name(source)
        if target.is_file() and self._digest(target) == wanted:
            return target
        for pause in (*PAUSES, None):
            try:
                self._store(source, wanted, target)
            except _TemporaryError as error:
                if pause is None:
                    raise error.final from error
                self.sleep(pause)
            else:
                break
        return target

    def _digest(self, path: Path) -> str:
        self.progress.stage(f"checking {path.name}")
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _store(self, source: str, wanted: str, target: Path) -> None:
        temporary = target.with_name(f".gate-{secrets.token_hex(8)}.tmp")
        try:
            try:
                self._accept(source, self._copied(source, temporary), wanted)
                temporary.replace(target)
                _note_commit(source, target)
            finally:
                temporary.unlink(missing_ok=True)
                _remove_empty(target.parent)
        except OSError as error:
            raise UnavailableError(
                f"{target}: cannot be written ({error.strerror or error})",
                remedy="free space there, or choose another folder with --cache",
            ) from error

    @staticmethod
    def _accept(source: str, found: str, wanted: str) -> None:
        if found != wanted:
            raise EvidenceError(
                f"{redact_text(source)}: its sha256 is {found}, not {wanted}",
                remedy="name the digest of the version you mean, or the source that still has it",
            )

    def _copied(self, source: str, temporary: Path) -> str:
        """Write the source's bytes and return their digest."""
        digest, done = hashlib.sha256(), 0
        self.progress.stage(f"fetching {_name(source)}, MiB")
        with _opened(source) as (stream, size), _created(temporary) as file:
            for block in _blocks(stream, source):
                digest.update(block)
                file.write(block)
                done += len(block)
                self.progress.step(done // BLOCK_BYTES, max(size or 0, done) // BLOCK_BYTES)
            file.flush()
            os.fsync(file.fileno())
        if size is not None and done < size:
            raise _TemporaryError(_unreachable(source, f"ended after {done} of {size} bytes"))
        return digest.hexdigest()


def _created(path: Path) -> BinaryIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("xb")


def _remove_empty(folder: Path) -> None:
    """A refused dataset leaves nothing, not even its folder; one that holds something stays."""
    with suppress(OSError):
        folder.rmdir()


def commit_note(target: Path) -> Path:
    """Where a cached dataset's commit is noted, if its address names one."""
    return target.with_name(f"{target.name}.commit")


def _note_commit(source: str, target: Path) -> None:
    """An address with one full commit in its path (`…/resolve/<sha>/…`) says which commit the bytes come from."""
    found = set(_COMMIT.findall(urlsplit(source).path)) if _is_url(source) else set()
    if len(found) == 1:
        write_atomic(commit_note(target), f"{found.pop()}\n".encode())


class _TemporaryError(Exception):
    """Worth another attempt; `final` is what to raise when that was the last."""

    def __init__(self, final: UnavailableError) -> None:
        super().__init__(final.message)
        self.final = final


def _checked(sha256: str) -> str:
    if not _SHA256.fullmatch(sha256):
        raise UsageError(
            f"--sha256: {sha256!a} is no SHA-256 digest", remedy="write its 64 hexadecimal digits"
        )
    return sha256.lower()


def _is_url(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _name(source: str) -> str:
    last = unquote(urlsplit(source).path if _is_url(source) else source).rstrip("/").rpartition("/")[2]
    return _PLAIN.sub("-", last).strip("-.") or "dataset"


@contextmanager
def _opened(source: str) -> Iterator[tuple[_Stream, int | None]]:
    if _is_url(source):
        with _requested(source) as opened:
            yield opened
        return
    path = Path(source)
    if not path.is_file():
        raise EvidenceError(
            f"{source}: there is no such file", remedy="name a file, or a URL with http(s)://"
        )
    try:
        file = path.open("rb")
    except OSError as error:
        raise _unreachable(source, error.strerror or str(error)) from error
    with file:
        yield file, path.stat().st_size


@contextmanager
def _requested(url: str) -> Iterator[tuple[_Stream, int | None]]:
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    request = Request(url, headers={"User-Agent": "retrieval-quality-gate"})  # noqa: S310 - http(s) only, see _is_url
    try:
        response = urlopen(request, timeout=TIMEOUT_SECONDS)  # noqa: S310 - likewise
    except HTTPError as error:
        with error:
            final = _unreachable(url, f"status {error.code}")
        raise (_TemporaryError(final) if error.code in WORTH_ANOTHER_TRY else final) from error
    except (URLError, TimeoutError, ConnectionError, HTTPException, ValueError) as error:
        raise _TemporaryError(_unreachable(url, str(getattr(error, "reason", error)))) from error
    with response:
        length = response.headers.get("Content-Length")
        yield response, int(length) if length and length.isdecimal() else None


def _blocks(stream: _Stream, source: str) -> Iterator[bytes]:
    while True:
        try:
            block = stream.read(BLOCK_BYTES)
        except (TimeoutError, ConnectionError, HTTPException) as error:
            raise _TemporaryError(_unreachable(source, f"broke off ({error})")) from error
        if not block:
            return
        yield block


def _unreachable(source: str, why: str) -> UnavailableError:
    return UnavailableError(
        redact_text(f"{source}: cannot be fetched: {why}"),
        remedy="check the address and the network, try again",
    )
