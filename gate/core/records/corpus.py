"""Documents of a corpus, from JSON lines as BEIR and others write them, or from a page of text."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec import Struct, field

from gate.core.records.system import Document

TEXT_SUFFIXES: Final = (".md", ".markdown", ".txt")
"""The files of a folder that are pages of a corpus."""


class CorpusError(ValueError):
    """A document cannot be used; says where, and what was expected."""


class _Line(Struct):
    """A document as people write it: BEIR's `_id`, or `id`."""

    text: str
    beir_id: str | None = field(name="_id", default=None)
    id: str | None = None
    title: str | None = None
    session_id: str | None = None
    date: str | None = None


_DECODER: Final = msgspec.json.Decoder(_Line)


def documents_of_lines(lines: Iterable[bytes]) -> Iterator[Document]:
    """A document a line, in order; blank lines are passed over. CorpusError names the line."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _document(line, number)


def document_of_page(name: str, data: bytes) -> Document:
    """A page of text under its path without the suffix; CorpusError when it is not UTF-8."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{name}: not UTF-8 (at byte {error.start + 1})") from error
    return Document(id=name.rsplit(".", 1)[0], text=text)


def unique(documents: Iterable[Document]) -> tuple[Document, ...]:
    """All of them; CorpusError when two have one id."""
    found: dict[str, Document] = {}
    for document in documents:
        if document.id in found:
            raise CorpusError(f"the document id {document.id!a} is there twice")
        found[document.id] = document
    return tuple(found.values())


def _document(line: bytes, number: int) -> Document:
    try:
        read = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"line {number}: {_reason(error)}") from error
    name = read.beir_id or read.id
    if not name:
        raise CorpusError(f"line {number}: expected an `_id` (or `id`) that is a text and not empty")
    return Document(
        id=name, text=read.text, title=read.title or None, session_id=read.session_id, date=read.date
    )


def _reason(error: Exception) -> str:
    if isinstance(error, msgspec.ValidationError):
        return f"expected an object with `_id` and `text`, both texts ({error})"
    return "no JSON object"
