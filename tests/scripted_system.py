"""A system under test that does what a test tells it to, and the rows that come of it."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gate.core.plan import FileRef
from gate.core.records.system import Answer, Capabilities, Document, Flags, Hit, Query, SearchReply
from gate.ports import Failure, GrowingRows, System, SystemFailed

Reply = SearchReply | SystemFailed


def failed(kind: Failure, message: str = "it broke", detail: str | None = None) -> SystemFailed:
    return SystemFailed(kind, message, remedy="mend it", detail=detail)


def hits(*scored: tuple[str, float], chunks: bool = False) -> tuple[Hit, ...]:
    """Hits in the order given, ranked from one."""
    return tuple(
        Hit(doc_id=name, score=score, rank=rank, chunk_id=f"{name}#{rank}" if chunks else None)
        for rank, (name, score) in enumerate(scored, 1)
    )


def reply(
    *scored: tuple[str, float], flags: Flags | None = None, latency_ms: float | None = 5.0
) -> SearchReply:
    return SearchReply(hits=hits(*scored), flags=flags or Flags(), latency_ms=latency_ms)


@dataclass
class ScriptedSystem:
    """Answers each query as told, by id or by a function; remembers what it was asked."""

    replies: Mapping[str, Reply] | Callable[[Query], Reply] = field(default_factory=dict)
    said: Capabilities = field(
        default_factory=lambda: Capabilities(name="scripted", fingerprints={"embedder": "none"})
    )
    down: SystemFailed | None = None
    """What `ingest` raises."""
    calls: list[str] = field(default_factory=list)
    asked: list[Query] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)

    def capabilities(self) -> Capabilities:
        self.calls.append("capabilities")
        return self.said

    def reset(self) -> None:
        self.calls.append("reset")
        self.documents.clear()

    def ingest(self, documents: Sequence[Document]) -> None:
        self.calls.append("ingest")
        if self.down is not None:
            raise self.down
        self.documents.extend(documents)

    def search(self, query: Query) -> SearchReply:
        self.asked.append(query)
        replies = self.replies
        answer = replies(query) if callable(replies) else replies.get(query.id, reply())
        if isinstance(answer, SystemFailed):
            raise answer
        return answer

    def answer(self, query: Query, hits: Sequence[Hit]) -> Answer:
        return Answer(text=f"{query.id} from {len(hits)}")

    def close(self) -> None:
        self.calls.append("close")


@dataclass
class MemoryRows:
    """The lines of a file that exists in memory."""

    lines: list[bytes] = field(default_factory=list)

    def write(self, line: bytes) -> None:
        assert line.endswith(b"\n")
        self.lines.append(line)

    def close(self) -> FileRef:
        data = b"".join(self.lines)
        return FileRef(path="rows.ndjson", sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))

    @property
    def objects(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.lines]

    @property
    def rows(self) -> dict[str, dict[str, object]]:
        return {str(line["question_id"]): line for line in self.objects if "question_id" in line}

    @property
    def stated(self) -> list[dict[str, object]]:
        return [line for line in self.objects if "kind" in line]


def _fakes_keep_their_protocols() -> tuple[System, GrowingRows]:
    return ScriptedSystem(), MemoryRows()
