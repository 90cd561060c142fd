"""LongMemEval datasets on disk: streamed, one question in memory at a time, digested in the same pass.

A JSON array is read by ijson (yajl): 250 MB take about 1.3 s and 19 MiB. JSON lines need no such library.
"""

import hashlib
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Protocol

from gate.core.longmemeval.question import (
    Listed,
    Question,
    QuestionError,
    question_of_line,
    question_of_object,
)
from gate.core.records.run_records import sha256_of
from gate.errors import EvidenceError, UnavailableError

BLOCK_BYTES: Final = 2**18
MAX_LINE_BYTES: Final = 2**28
_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r\n"
_REMEDY: Final = "name a LongMemEval file: a JSON array of questions, or one question a line"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that was read once from end to end: every question valid, every id there once.

    `corpus_sha256` is the digest of all haystacks, whatever is asked about them.
    """

    path: Path
    sha256: str
    corpus_sha256: str
    bytes: int
    questions: tuple[Listed, ...]


def read_dataset(path: Path, *, longest_line: int = MAX_LINE_BYTES) -> Dataset:
    """Read and pin the whole file; EvidenceError names the question that is wrong."""
    digest = _Digested()
    found: dict[str, Listed] = {}
    haystacks: dict[str, None] = {}
    for question in _questions(path, digest, longest_line):
        if question.id in found:
            raise _invalid(path, f"the question id {question.id!a} is there twice")
        found[question.id] = question.listed()
        haystacks[question.haystack_hash()] = None
    if not found:
        raise _invalid(path, "there is no question in it")
    return Dataset(
        path=path,
        sha256=digest.sha256.hexdigest(),
        corpus_sha256=sha256_of(haystacks),
        bytes=digest.size,
        questions=tuple(found.values()),
    )


class QuestionStream:
    """The wanted questions of a dataset, handed out from several threads while the file is read once more.

    They are wanted in about the order of the file; what is read before its turn waits, so that as many
    questions are in memory as there are threads that ask.
    """

    def __init__(self, dataset: Dataset, wanted: Collection[str]) -> None:
        self._dataset = dataset
        self._hashes = {each.id: each.content_hash for each in dataset.questions}
        self._left = set(wanted)
        self._ready: dict[str, Question] = {}
        self._stream = _questions(dataset.path, _Digested(), MAX_LINE_BYTES)
        self._lock = threading.Lock()

    def take(self, question_id: str) -> Question:
        """A wanted question, once; EvidenceError when the file is no longer what was read."""
        with self._lock:
            while question_id not in self._ready:
                self._read_one()
            return self._ready.pop(question_id)

    def _read_one(self) -> None:
        question = next(self._stream, None)
        if question is None or self._hashes.get(question.id) != question.content_hash():
            raise EvidenceError(
                f"{self._dataset.path}: changed while the suite was running",
                remedy="do not change the dataset while it is read; run again",
            )
        if question.id in self._left:
            self._left.discard(question.id)
            self._ready[question.id] = question


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Digested:
    """A reader that takes the digest of what passes."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()
        self.size = 0
        self._file: _Readable | None = None
        self._ahead = b""

    def opened(self, file: _Readable) -> "_Digested":
        self._file = file
        return self

    def starts_with_array(self) -> bool:
        """Whether the first thing in the file is a bracket; a byte order mark is passed over."""
        self._ahead = self._next(BLOCK_BYTES).removeprefix(_BOM)
        while not self._ahead.strip(_SPACE) and (more := self._next(BLOCK_BYTES)):
            self._ahead += more
        return self._ahead.lstrip(_SPACE)[:1] == b"["

    def read(self, size: int, /) -> bytes:
        if self._ahead:
            block, self._ahead = self._ahead[:size], self._ahead[size:]
            return block
        return self._next(size)

    def _next(self, size: int) -> bytes:
        if self._file is None:
            raise ValueError("nothing is open")
        block = self._file.read(size)
        self.sha256.update(block)
        self.size += len(block)
        return block


def _questions(path: Path, digest: _Digested, longest_line: int) -> Iterator[Question]:
    with _opened(path) as file:
        reader = digest.opened(file)
        try:
            yield from _elements(reader) if reader.starts_with_array() else _lines(reader, longest_line)
        except QuestionError as error:
            raise _invalid(path, str(error)) from error
        while reader.read(BLOCK_BYTES):  # what yajl did not need to see is digested too
            pass


def _elements(reader: _Readable) -> Iterator[Question]:
    import ijson

    number = 0
    try:
        for number, element in enumerate(
            ijson.items(reader, "item", use_float=True, buf_size=BLOCK_BYTES), 1
        ):
            yield question_of_object(element, number)
    except (ijson.JSONError, UnicodeDecodeError) as error:
        raise QuestionError(f"no valid JSON after question number {number}") from error


def _lines(reader: _Readable, longest: int) -> Iterator[Question]:
    number = 0
    for line in _whole_lines(reader, longest):
        if line.strip(_SPACE):
            number += 1
            yield question_of_line(line, number)


def _whole_lines(reader: _Readable, longest: int) -> Iterator[bytes]:
    pieces: list[bytes] = []
    size = 0
    while block := reader.read(BLOCK_BYTES):
        first, *rest = block.split(b"\n")
        pieces.append(first)
        size += len(first)
        if size > longest:
            raise QuestionError(f"a line is longer than {longest} bytes")
        if rest:
            yield b"".join(pieces)
            yield from rest[:-1]
            pieces, size = [rest[-1]], len(rest[-1])
    yield b"".join(pieces)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        if not path.is_file():
            raise EvidenceError(f"{path}: there is no such file", remedy=_REMEDY)
        with path.open("rb", buffering=0) as file:
            yield file
    except OSError as error:
        raise UnavailableError(
            f"{path}: cannot be read ({error.strerror or error})",
            remedy="check the path, its permissions and the disk",
        ) from error


def _invalid(path: Path, message: str) -> EvidenceError:
    return EvidenceError(f"{path}: {message}", remedy=_REMEDY)
