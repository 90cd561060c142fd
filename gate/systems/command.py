"""A system under test that is a program: it reads a call a line and writes a reply a line."""

import threading
from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec import UNSET, Raw, Struct
from msgspec.structs import replace

from gate.core.records.system import Answer, Capabilities, Document, Hit, Query, SearchReply
from gate.core.records.system_messages import (
    AnswerRequest,
    Call,
    Ingest,
    Method,
    Nothing,
    Return,
    Stored,
    batches,
    decode,
    encode,
)
from gate.ports import SystemFailed
from gate.systems.process import Command, Program

CLOSE_SECONDS: Final = 10
RESTARTS: Final = 3
"""How often a program that ended is started again, with the documents it had."""

_Result = TypeVar("_Result", Capabilities, Stored, SearchReply, Answer)


class CommandSystem:
    """Implements the gate's System on a program's standard input and output.

    One call at a time. A program that ended, hung or wrote nonsense costs the question it was asked: before
    the next one it is started again and given its documents, RESTARTS times at most.
    """

    def __init__(self, command: Command, *, seconds: float, setup_seconds: float) -> None:
        """`seconds` is the patience for a search or an answer, `setup_seconds` for everything else."""
        self._command = command
        self._seconds = seconds
        self._setup_seconds = setup_seconds
        self._lock = threading.Lock()
        self._program: Program | None = None
        self._documents: list[Document] = []
        self._calls = 0
        self._starts = 0
        self._closed = False

    def capabilities(self) -> Capabilities:
        """What the program says about itself; it is asked one thing at a time, whatever it says."""
        with self._lock:
            said = self._call("capabilities", Nothing(), Capabilities, self._setup_seconds)
        return replace(said, concurrency=1)

    def reset(self) -> None:
        """Forget every document."""
        with self._lock:
            self._documents.clear()
            self._reset()

    def ingest(self, documents: Sequence[Document]) -> None:
        """Hand over more documents, in messages of a few megabytes."""
        with self._lock:
            self._hand_over(documents, before=len(self._documents))
            self._documents.extend(documents)

    def search(self, query: Query) -> SearchReply:
        """Ask for hits."""
        with self._lock:
            self._revive()
            return self._call("search", query, SearchReply, self._seconds)

    def answer(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """Ask for an answer."""
        with self._lock:
            self._revive()
            return self._call("answer", AnswerRequest(query=query, hits=tuple(hits)), Answer, self._seconds)

    def close(self) -> None:
        """End the program and everything it started, also while it is being asked something."""
        self._closed = True
        if self._program is None:
            return
        self._program.hang_up()
        if self._lock.acquire(timeout=CLOSE_SECONDS):  # whoever is asking notices the end and lets go
            try:
                self._program.kill()
            finally:
                self._lock.release()

    def _reset(self) -> None:
        self._stored(self._call("reset", Nothing(), Stored, self._setup_seconds), 0)

    def _hand_over(self, documents: Sequence[Document], before: int) -> None:
        handed = before
        for batch in batches(documents):
            handed += len(batch)
            said = self._call("ingest", Ingest(documents=batch), Stored, self._setup_seconds)
            self._stored(said, handed)

    def _stored(self, said: Stored, expected: int) -> None:
        if said.documents != expected:
            raise SystemFailed(
                "garbage",
                f"the system says it holds {said.documents} documents; {expected} were handed over",
                remedy="count documents, not chunks, and take in every one of them",
            )

    def _revive(self) -> None:
        """A program that is gone gets a successor that knows the same documents."""
        if self._program is None or self._program.alive:
            return
        self._reset()
        self._hand_over(self._documents, before=0)

    def _call(self, method: Method, params: Struct, kind: type[_Result], seconds: float) -> _Result:
        program = self._running()
        self._calls += 1
        call = Call(id=self._calls, method=method, params=Raw(encode(params)))
        line = program.exchange(encode(call) + b"\n", seconds=seconds)
        try:
            return self._result(line, kind)
        except ValueError as error:
            program.kill()
            raise SystemFailed(
                "garbage",
                f"the reply to {method} is not of the protocol ({error})",
                remedy="answer with one line of JSON as schemas/system-protocol.v1.schema.json says; "
                "write logs to standard error",
            ) from error

    def _result(self, line: bytes, kind: type[_Result]) -> _Result:
        """The result in a reply; ValueError when it is none, SystemFailed when it is an honest error."""
        reply = decode(line, Return)
        if reply.id != self._calls:
            raise ValueError(f"it answers call {reply.id}, not call {self._calls}")
        if reply.error is not UNSET:
            raise SystemFailed(
                "refused",
                "the system answered with an error",
                remedy="see the system's own log",
                detail=reply.error.message,
            )
        if reply.result is UNSET:
            raise ValueError("neither `result` nor `error`")
        return decode(reply.result, kind)

    def _running(self) -> Program:
        if self._closed:
            raise SystemFailed("crash", "the system was closed", remedy="do not ask after closing")
        if self._program is None or not self._program.alive:
            if self._starts > RESTARTS:
                raise SystemFailed(
                    "crash",
                    f"the system has ended {self._starts} times and is not started again",
                    remedy="find out why it ends",
                )
            if self._program is not None:
                self._program.kill()
            self._starts += 1
            self._program = Program(self._command)
        return self._program
