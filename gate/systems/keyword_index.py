"""BM25 over passages by SQLite's FTS5, in memory; equal scores in the same order every time.

BM25 is Robertson's with k1 = 1.2 and b = 0.75, as FTS5 has it; words are stemmed after Porter.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from weakref import finalize

from gate.core.records.system import Document
from gate.ports import SystemFailed

CHUNK_WORDS: Final = 300
MAX_QUERY_WORDS: Final = 500
"""Only so many different words of a query are searched; a page pasted as a question stays answerable."""

_WORD: Final = re.compile(r"[^\W_]+")
_TABLES: Final = """
create virtual table words using fts5(text, content='', tokenize='porter unicode61');
create table chunks (id integer primary key, document text, number integer, session text, size integer);
create table documents (id text primary key) without rowid;
"""
_FIND: Final = """
select chunks.document, chunks.number, chunks.session, chunks.size, -bm25(words)
from words join chunks on chunks.id = words.rowid
where words match ?
order by 5 desc, chunks.document desc, chunks.number
limit ?
"""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document, counted from 0, and its size in characters."""

    document: str
    number: int
    session: str | None
    size: int


Scored = Sequence[tuple[Passage, float]]
"""Passages best first, with their scores."""


class KeywordIndex:
    """An index that grows by documents; not thread-safe."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        finalize(self, self._database.close).atexit = False  # at exit a thread may still be asking
        self._database.executescript(_TABLES)

    def add(self, documents: Sequence[Document]) -> None:
        """Take in more documents; SystemFailed, and none of them taken in, when an id is known already."""
        with _transaction(self._database) as database:
            for document in documents:
                _add(database, document)

    def find(self, text: str, limit: int) -> list[tuple[Passage, float]]:
        """The passages with any of the words, best first."""
        rows = self._database.execute(_FIND, (_expression(text), limit))
        return [
            (Passage(document, number, session, size), score)
            for document, number, session, size, score in rows
        ]

    def close(self) -> None:
        """Give the memory back; may be called again."""
        self._database.close()


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    database.execute("begin")
    try:
        yield database
    except BaseException:
        database.execute("rollback")
        raise
    database.execute("commit")


def passages_of(document: Document) -> Iterator[tuple[Passage, str]]:
    """The text in pieces of CHUNK_WORDS words, the title before the first; at least one piece."""
    words = document.text.split()
    for number, start in enumerate(range(0, max(len(words), 1), CHUNK_WORDS)):
        piece = " ".join(words[start : start + CHUNK_WORDS])
        text = f"{document.title}\n{piece}" if document.title and start == 0 else piece
        yield Passage(document.id, number, document.session_id, len(text)), text


def _add(database: sqlite3.Connection, document: Document) -> None:
    try:
        database.execute("insert into documents values (?)", (document.id,))
    except sqlite3.IntegrityError as error:
        raise SystemFailed(
            "refused",
            f"the document {document.id!a} is there already",
            remedy="give every document its own id",
        ) from error
    for passage, text in passages_of(document):
        row = (passage.document, passage.number, passage.session, passage.size)
        added = database.execute("insert into chunks values (null, ?, ?, ?, ?)", row)
        database.execute("insert into words (rowid, text) values (?, ?)", (added.lastrowid, text))


def _expression(text: str) -> str:
    """Any of the words. Each is quoted, so that none of them is read as an operator; no word finds nothing."""
    words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    return " OR ".join(f'"{word}"' for word in list(words)[:MAX_QUERY_WORDS]) or '""'
