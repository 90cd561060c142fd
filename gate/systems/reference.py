"""The built-in system: BM25 over chunks by SQLite's FTS5, in memory, the same answer every time.

BM25 is Robertson's with k1 = 1.2 and b = 0.75, as FTS5 has it; words are stemmed after Porter.
"""

import re
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from gate.core.records.system import Answer, Capabilities, Document, Flags, Hit, Query, SearchReply
from gate.ports import SystemFailed
from gate.systems.modes import MODES, tokens

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


class ReferenceSystem:
    """Implements the gate's System without network, key or model."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database = _empty()

    def capabilities(self) -> Capabilities:
        """What it is: its fingerprints change whenever its results may."""
        return Capabilities(
            name="reference",
            version="1",
            modes=tuple(MODES),
            max_k=max(mode.limit for mode in MODES.values()),
            fingerprints={
                "retriever": f"bm25 fts5 porter, chunks of {CHUNK_WORDS} words",
                "sqlite": sqlite3.sqlite_version,
            },
        )

    def reset(self) -> None:
        """Forget every document."""
        with self._lock:
            self._database.close()
            self._database = _empty()

    def ingest(self, documents: Sequence[Document]) -> None:
        """Index more documents; SystemFailed, and none of them taken in, when an id is known already."""
        with self._lock, _transaction(self._database) as database:
            for document in documents:
                _add(database, document)

    def search(self, query: Query) -> SearchReply:
        """The best chunks: as many as the mode allows, asked for or not, and as its budget holds."""
        mode = MODES.get(query.mode)
        if mode is None:
            raise SystemFailed(
                "refused", f"there is no mode {query.mode!a}", remedy=f"the modes are {', '.join(MODES)}"
            )
        limit = min(query.k, mode.limit)
        with self._lock:
            rows = self._database.execute(_FIND, (_expression(query.text), limit)).fetchall()
        hits, delivered = _within(rows, mode.token_budget)
        flags = Flags(vector_enabled=False, reranked=False, expansion_applied=False)
        return SearchReply(hits=hits, delivered_tokens=delivered, flags=flags)

    def answer(self, query: Query, hits: Sequence[Hit]) -> Answer:  # noqa: ARG002 - the port's signature
        """Always refuses: it retrieves and does not speak."""
        raise SystemFailed("refused", "the reference system does not answer", remedy="measure retrieval only")

    def close(self) -> None:
        """Give the memory back, once a call that is under way has ended."""
        with self._lock:
            self._database.close()


def _empty() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    database.executescript(_TABLES)
    return database


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    database.execute("begin")
    try:
        yield database
    except BaseException:
        database.execute("rollback")
        raise
    database.execute("commit")


def _add(database: sqlite3.Connection, document: Document) -> None:
    try:
        database.execute("insert into documents values (?)", (document.id,))
    except sqlite3.IntegrityError as error:
        raise SystemFailed(
            "refused",
            f"the document {document.id!a} is there already",
            remedy="give every document its own id",
        ) from error
    for number, chunk in enumerate(_chunks(document)):
        row = (document.id, number, document.session_id, len(chunk))
        added = database.execute("insert into chunks values (null, ?, ?, ?, ?)", row)
        database.execute("insert into words (rowid, text) values (?, ?)", (added.lastrowid, chunk))


def _chunks(document: Document) -> Iterator[str]:
    """The text in pieces of CHUNK_WORDS words, the title before the first; at least one piece."""
    words = document.text.split()
    for start in range(0, max(len(words), 1), CHUNK_WORDS):
        piece = " ".join(words[start : start + CHUNK_WORDS])
        yield f"{document.title}\n{piece}" if document.title and start == 0 else piece


def _expression(text: str) -> str:
    """Any of the words. Each is quoted, so that none of them is read as an operator; no word finds nothing."""
    words = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    return " OR ".join(f'"{word}"' for word in list(words)[:MAX_QUERY_WORDS]) or '""'


def _within(
    rows: Sequence[tuple[str, int, str | None, int, float]], budget: int | None
) -> tuple[tuple[Hit, ...], int]:
    """The hits that fit the budget, the first in any case, and the tokens they hold."""
    hits: list[Hit] = []
    spent = 0
    for rank, (document, number, session, size, score) in enumerate(rows, 1):
        cost = tokens(size)
        if budget is not None and hits and spent + cost > budget:
            break
        spent += cost
        hits.append(
            Hit(doc_id=document, score=score, rank=rank, chunk_id=f"{document}#{number}", session_id=session)
        )
    return tuple(hits), spent
