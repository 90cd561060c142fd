"""Stand-ins for the world, annotated with the Protocols they keep."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from gate.core.plan import FileRef
from gate.core.records.ledger import Ledger, read_ledger
from gate.core.records.rows import RowTable
from gate.core.records.takes_receipt import TakesReceipt
from gate.core.report import Report
from gate.errors import EvidenceError
from gate.ports import Clock, Files, History, Output, Progress, RowSource, UnusableReceiptError

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class FixedClock:
    """A clock on which every look takes a quarter of a second."""

    def __init__(self, now: datetime = NOON) -> None:
        self._now = now
        self._seconds = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        self._seconds += 0.25
        return self._seconds

    def wait(self, seconds: float) -> None:
        """Sleep without sleeping."""
        self._now += timedelta(seconds=seconds)
        self._seconds += seconds


@dataclass
class MemoryFiles:
    """Files that exist because a test says so."""

    paths: frozenset[str] = frozenset()
    ledgers: Mapping[str, bytes] = field(default_factory=dict)
    receipts: Mapping[str, Report | UnusableReceiptError] = field(default_factory=dict)
    lost_rows: bool = False

    def pin(self, path: str) -> FileRef:
        if path not in self.paths:
            raise EvidenceError(f"{path}: there is no such file", remedy="write it")
        return FileRef(path=path, sha256=f"{len(path):064x}", bytes=len(path))

    def has(self, path: str) -> bool:
        return path in self.paths

    def pin_corpus(self, path: str) -> FileRef:
        return self.pin(path)

    def queries_beside(self, corpus: str) -> str | None:
        beside = f"{corpus}/queries.jsonl"
        return beside if beside in self.paths else None

    def ledger(self, path: str) -> Ledger:
        data = self.ledgers.get(path)
        return Ledger(missing=True) if data is None else read_ledger(data)

    def receipt(self, path: str) -> Report:
        found = self.receipts[path]
        if isinstance(found, UnusableReceiptError):
            raise found
        return found

    def kept_rows(self, receipt: str, rows: FileRef) -> FileRef:
        if self.lost_rows:
            raise EvidenceError(f"{rows.path}: changed since {receipt}", remedy="fetch it again")
        return rows


@dataclass
class LineHistory:
    """A first-parent line of commits, newest first."""

    commits: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    """Commits of other lines that git has too."""

    def head(self) -> str | None:
        return self.commits[0] if self.commits else None

    def distance(self, ancestor: str, descendant: str) -> int | None:
        if ancestor not in self.commits or descendant not in self.commits:
            return None
        steps = self.commits.index(ancestor) - self.commits.index(descendant)
        return steps if steps >= 0 else None

    def elsewhere(self, commit: str, descendant: str) -> bool:
        return commit in self.others and descendant in self.commits


@dataclass
class MemoryRows:
    """Tables by path."""

    tables: Mapping[str, RowTable]
    interrupt_with: BaseException | None = None
    panels: Mapping[str, TakesReceipt] = field(default_factory=dict)

    def read(self, rows: FileRef) -> RowTable:
        if self.interrupt_with is not None:
            raise self.interrupt_with
        return self.tables[rows.path]

    def panel(self, receipt: FileRef) -> TakesReceipt:
        return self.panels[receipt.path]


@dataclass
class MemoryOutput:
    """What was written, in the order it was written."""

    opened: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    rows: dict[str, RowTable] = field(default_factory=dict)

    def open(self) -> None:
        self.opened = True

    def keep_rows(self, name: str, table: RowTable) -> FileRef:
        self.rows[f"rows/{name}.ndjson"] = table
        return FileRef(path=f"rows/{name}.ndjson", sha256="0" * 64, bytes=1)

    def write(self, name: str, data: bytes) -> None:
        self.files[name] = data


@dataclass
class Stages:
    """Every stage and step that was announced."""

    said: list[str] = field(default_factory=list)
    steps: list[tuple[int, int]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def stage(self, name: str) -> None:
        self.said.append(name)

    def step(self, done: int, total: int) -> None:
        self.steps.append((done, total))

    def overheard(self, words: str) -> None:
        self.words.append(words)


def _fakes_keep_their_protocols() -> tuple[Clock, Files, History, RowSource, Output, Progress]:
    """Checked by mypy: a fake with another signature is no fake."""
    return FixedClock(), MemoryFiles(), LineHistory(), MemoryRows({}), MemoryOutput(), Stages()
