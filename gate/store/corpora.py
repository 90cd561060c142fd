"""Corpora on disk: a folder of pages, a file of JSON lines, or a folder as BEIR lays it out."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from gate.core.plan import FileRef
from gate.core.records.corpus import (
    TEXT_SUFFIXES,
    CorpusError,
    document_of_page,
    documents_of_lines,
    unique,
)
from gate.core.records.system import Document
from gate.errors import EvidenceError
from gate.store.confinement import confine
from gate.store.row_files import digest

BEIR_CORPUS: Final = "corpus.jsonl"
BEIR_QUERIES: Final = "queries.jsonl"

_REMEDY: Final = (
    "name a folder of .md or .txt pages, a .jsonl file with `_id` and `text` a line, or a BEIR folder"
)


def pin_corpus(root: Path, path: str) -> FileRef:
    """A corpus and the digest of everything in it: of the file, or of its pages' names and digests, sorted.

    EvidenceError when there is none, or nothing in it.
    """
    place = _located(root, path)
    if not place.is_dir():
        sha256, size = digest(place, name=path)
        return FileRef(path=path, sha256=sha256, bytes=size)
    pages = [(name, *digest(place / name, name=f"{path}/{name}")) for name in _pages(place, path)]
    return FileRef(
        path=path,
        sha256=_listing_digest((name, sha256) for name, sha256, _ in pages),
        bytes=sum(size for _, _, size in pages),
    )


def read_corpus(root: Path, corpus: FileRef) -> tuple[Document, ...]:
    """The documents of a pinned corpus; EvidenceError when it is no longer what was pinned, or invalid."""
    place = _located(root, corpus.path)
    try:
        sha256, documents = _pages_read(place, corpus.path) if place.is_dir() else _lines_read(place)
        if sha256 == corpus.sha256:
            return unique(documents)
    except CorpusError as error:
        raise EvidenceError(f"{corpus.path}: {error}", remedy=_REMEDY) from error
    except OSError as error:
        raise _unreadable(corpus.path, error) from error
    raise EvidenceError(
        f"{corpus.path}: changed since the run was planned",
        remedy="do not change the corpus while the gate runs",
    )


def beir_queries(root: Path, corpus: str) -> str | None:
    """The path of the queries that a BEIR folder holds beside its corpus; None when it is no such folder."""
    place = _located(root, corpus)
    folder = place if place.is_dir() else place.parent
    if not (folder / BEIR_CORPUS).is_file() or not (folder / BEIR_QUERIES).is_file():
        return None
    return folder.joinpath(BEIR_QUERIES).relative_to(os.path.realpath(root)).as_posix()


def _located(root: Path, path: str) -> Path:
    place = confine(root, path)
    beir = place / BEIR_CORPUS
    if place.is_dir() and beir.is_file():
        return beir
    if not place.exists():
        raise EvidenceError(f"{path}: there is no such corpus", remedy=_REMEDY)
    return place


def _lines_read(place: Path) -> tuple[str, Iterator[Document]]:
    data = place.read_bytes()
    return hashlib.sha256(data).hexdigest(), documents_of_lines(data.split(b"\n"))


def _pages_read(place: Path, path: str) -> tuple[str, Iterator[Document]]:
    contents = {name: (place / name).read_bytes() for name in _pages(place, path)}
    digests = ((name, hashlib.sha256(data).hexdigest()) for name, data in contents.items())
    return _listing_digest(digests), (document_of_page(name, data) for name, data in contents.items())


def _listing_digest(pages: Iterable[tuple[str, str]]) -> str:
    return hashlib.sha256("".join(f"{sha256}  {name}\n" for name, sha256 in pages).encode()).hexdigest()


def _pages(folder: Path, path: str) -> list[str]:
    """The names of all pages below a folder, sorted. Links are not followed, hidden names left out."""
    try:
        found = sorted(
            (above / name).relative_to(folder).as_posix()
            for above, names in _walk(folder)
            for name in names
            if name.endswith(TEXT_SUFFIXES) and not (above / name).is_symlink()
        )
    except OSError as error:
        raise _unreadable(path, error) from error
    if not found:
        raise EvidenceError(f"{path}: no page ({', '.join(TEXT_SUFFIXES)}) below it", remedy=_REMEDY)
    return found


def _walk(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    for above, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield Path(above), [name for name in names if not name.startswith(".")]


def _raise(error: OSError) -> None:
    raise error


def _unreadable(path: str, error: OSError) -> EvidenceError:
    return EvidenceError(
        f"{path}: cannot be read ({error.strerror or error})", remedy="check the permissions and the disk"
    )
