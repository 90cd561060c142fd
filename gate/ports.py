"""What the pipeline needs from the world, as Protocols; wiring.py chooses who provides it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from gate.errors import EvidenceError, UnavailableError

if (
    TYPE_CHECKING
):  # names for the type checker alone: who needs one port does not import the records of all others
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from gate.core.chat import ChatRequest, Outcome
    from gate.core.findings import KeptPanel
    from gate.core.plan import FileRef, PlannedSuite
    from gate.core.records.ledger import Ledger
    from gate.core.records.new_record import NewRecord
    from gate.core.records.rows import RowTable
    from gate.core.records.run_records import Recordable
    from gate.core.records.system import Answer, Capabilities, Document, Hit, Query, SearchReply
    from gate.core.records.takes_receipt import TakesReceipt
    from gate.core.report import Report
    from gate.core.takes.corpus import Sample, Scope
    from gate.core.takes.sampling import Sampling
    from gate.core.takes.take import Take


class UnusableReceiptError(EvidenceError):
    """A receipt that cannot be trusted; `reason` is the closed code it stands for."""

    def __init__(self, message: str, *, remedy: str, reason: str) -> None:
        super().__init__(message, remedy=remedy)
        self.reason = reason


Failure = Literal["crash", "timeout", "garbage", "unknown_id", "refused"]
"""crash: it ended or hung up; garbage: no message of the protocol; refused: its own, honest error."""


class SystemFailed(UnavailableError):  # noqa: N818 - named for what happened, like Cancelled
    """The system under test did not answer properly; one question's failure is a row, not the end of a run.

    `message` holds none of the system's own words, which may repeat a question: they are its `detail`.
    """

    def __init__(self, kind: Failure, message: str, *, remedy: str, detail: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.kind: Failure = kind
        self.detail = detail


class NotHereError(UnavailableError):
    """A commit, or a file of it, that this source cannot tell about: a shallow clone, no repository at all."""

    def __init__(self, message: str) -> None:
        super().__init__(
            message,
            remedy="check out with `fetch-depth: 2` or more, or give the action its `token` to ask GitHub",
        )


class Clock(Protocol):
    """Time, passed in."""

    def now(self) -> datetime:
        """The present moment, timezone-aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...


class History(Protocol):
    """What git can tell about commits; every answer may be None, "git cannot tell"."""

    def head(self) -> str | None:
        """The full sha of the commit that is checked out."""
        ...

    def distance(self, ancestor: str, descendant: str) -> int | None:
        """How many first-parent steps lead from `descendant` back to `ancestor` (a full or short sha)."""
        ...

    def elsewhere(self, commit: str, descendant: str) -> bool:
        """Whether `commit` is known, and known to be no ancestor of `descendant`, by any parent."""
        ...


class Files(Protocol):
    """The workspace as planning sees it: files pinned by content, ledgers and receipts read."""

    def pin(self, path: str) -> FileRef:
        """A workspace-relative path with its digest; EvidenceError when it is no readable file inside."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is such a file, as far as these files may be trusted with it."""
        ...

    def pin_corpus(self, path: str) -> FileRef:
        """A corpus, be it a file or a folder, with the digest of all of it; EvidenceError when there is none."""
        ...

    def queries_beside(self, corpus: str) -> str | None:
        """The path of the queries that a corpus brings with it; None when it brings none."""
        ...

    def ledger(self, path: str) -> Ledger:
        """Every record of a ledger; one that is missing is empty and says so."""
        ...

    def receipt(self, path: str) -> Report:
        """A receipt of an earlier run; UnusableReceiptError when it cannot be trusted."""
        ...

    def kept_rows(self, receipt: str, rows: FileRef) -> FileRef:
        """Where the rows a receipt names lie now: in the workspace, or beside the receipt."""
        ...


class Tree(Protocol):
    """Files as commits have them."""

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's bytes at a commit; None where it has no such file; NotHereError when it cannot be told."""
        ...


class RowSource(Protocol):
    """Rows of a planned file, checked against its digest."""

    def read(self, rows: FileRef) -> RowTable:
        """The rows; EvidenceError when the file is missing, changed or invalid."""
        ...

    def panel(self, receipt: FileRef) -> TakesReceipt:
        """The receipt of a panel of judges; EvidenceError when the file is missing, changed or invalid."""
        ...


class QuestionTexts(Protocol):
    """The words of questions, for reports that may show them."""

    def texts(self, rows: FileRef, ids: frozenset[str]) -> Mapping[str, str]:
        """Question id → its text, of those asked for and found; EvidenceError when the file cannot be read."""
        ...


class System(Protocol):
    """A system under test. Every call may raise SystemFailed; `search` may be called from several threads.

    After SystemFailed the next call starts afresh as far as it can: a program that ended is not asked again
    before `reset`.
    """

    def capabilities(self) -> Capabilities:
        """What the system says about itself; the same for its whole life."""
        ...

    def reset(self) -> None:
        """Forget every document."""
        ...

    def ingest(self, documents: Sequence[Document]) -> None:
        """Take in more documents, all of them or none; they can be found when this returns."""
        ...

    def search(self, query: Query) -> SearchReply:
        """At most `query.k` hits, best first."""
        ...

    def answer(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """An answer from these hits; only where capabilities say `answers`."""
        ...

    def close(self) -> None:
        """End everything that belongs to it; never raises, may be called twice."""
        ...


class ChatModel(Protocol):
    """A model that answers one question; may be called from several threads at once."""

    def complete(self, request: ChatRequest) -> Outcome:
        """The reply or, as a value too, why there is none; one attempt within `request.timeout` per read."""
        ...


class GrowingRows(Protocol):
    """A file of rows while a run writes it: a line that was written stays, whatever happens next."""

    def write(self, line: bytes) -> None:
        """Add one line, whole or not at all; UnavailableError when it cannot be written."""
        ...

    def close(self) -> FileRef:
        """The finished file and its digest."""
        ...


class Progress(Protocol):
    """Who is told how far long work has come."""

    def stage(self, name: str) -> None:
        """A new stage begins."""
        ...

    def step(self, done: int, total: int) -> None:
        """So many of the stage's parts are done; called often, and also while nothing ends."""
        ...

    def overheard(self, words: str) -> None:
        """What a system that failed said itself; it may repeat a question, and is kept nowhere."""
        ...


class Output(Protocol):
    """The folder a run writes to."""

    def open(self) -> None:
        """Make sure the folder can be written, before any work is done; UnavailableError when it cannot."""
        ...

    def keep_rows(self, name: str, table: RowTable) -> FileRef:
        """Write a slim copy of a table (ids and values, no text) and say where it lies."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Write a file below the folder, atomically."""
        ...


class RunLedger(Protocol):
    """Where runs are recorded; many processes may append at once."""

    def read(self) -> Ledger:
        """Every record in the order it was stored, and what was none; a ledger nobody has written to is missing."""
        ...

    def append(self, record: NewRecord) -> None:
        """Add one record, whole or not at all, safe from a crash once this returns; secrets are taken out.

        EvidenceError when the record is not valid, UnavailableError when it cannot be stored.
        """
        ...


class TakesSource(Protocol):
    """Where takes are kept."""

    kind: Literal["fs", "db"]
    """The word a takes-quality receipt has for it."""

    def sample(self, scope: Scope, sampling: Sampling) -> Sample:
        """Takes of the scope, drawn as `gate.core.takes.sampling` says; the same takes from every source that
        holds the same corpus. EvidenceError when the source is not what it should be, UnavailableError when it
        cannot be reached.
        """
        ...

    def find(self, scope: Scope, places: Sequence[tuple[str, int]]) -> tuple[Take, ...]:
        """The takes of the scope on those pages and rows, in no particular order; what is not there is left out."""
        ...


@dataclass(frozen=True, slots=True)
class Ran:
    """What a suite that was run has left: its rows, and where it is a panel of judges that was asked, its receipt."""

    rows: FileRef
    table: RowTable
    panel: KeptPanel | None = None
    recordable: Recordable | None = None
    """What a ledger could say of it; None = there was no run."""


class SuiteRuns(Protocol):
    """Who runs the suites that have no rows yet."""

    def run(self, suite: PlannedSuite) -> Ran:
        """Ask everything, write the rows, read them back; what went wrong with the system is in the rows.

        EvidenceError and ConfigError when there is nothing to ask, or not that system.
        """
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Every collaborator of one run."""

    clock: Clock
    rows: RowSource
    output: Output
    progress: Progress
    suites: SuiteRuns | None = None
    """None = every suite of the plan has its rows."""
    texts: QuestionTexts | None = None
    """None = nobody's words are shown, whatever the plan says."""


class Stopwatch:
    """How long each stage took, in whole milliseconds of a clock that is passed in."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.monotonic()
        self.laps: dict[str, int] = {}

    def lap(self, stage: str) -> None:
        """The stage that has just ended."""
        now = self._clock.monotonic()
        self.laps[stage] = round((now - self._since) * 1000)
        self._since = now
