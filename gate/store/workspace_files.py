"""The workspace on disk: files pinned by content, rows read against their digest, receipts found again."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from gate.core.plan import FileRef
from gate.core.records.ledger import Ledger
from gate.core.records.row_decoder import decode_rows
from gate.core.records.rows import RowTable
from gate.core.records.takes_receipt import TakesReceipt
from gate.core.report import Report
from gate.errors import EvidenceError
from gate.ports import NotHereError, Tree
from gate.store.confinement import confine
from gate.store.corpora import beir_queries, pin_corpus
from gate.store.presence import is_missing
from gate.store.receipts import read_receipt
from gate.store.row_files import digest, read_rows_with_digest
from gate.store.takes_receipts import takes_receipt_of


class WorkspaceFiles:
    """Every file a plan may name, below one root; how a ledger is read is passed in."""

    def __init__(self, root: Path, read_ledger: Callable[[Path], Ledger]) -> None:
        self._root = root
        self._read_ledger = read_ledger

    def pin(self, path: str) -> FileRef:
        """The file and its digest now; EvidenceError when it is missing, unreadable or outside."""
        sha256, size = digest(confine(self._root, path), name=path)
        return FileRef(path=path, sha256=sha256, bytes=size)

    def has(self, path: str) -> bool:
        """Whether there is anything under that path; EvidenceError when it lies outside."""
        return not is_missing(confine(self._root, path))

    def pin_corpus(self, path: str) -> FileRef:
        """A corpus and the digest of everything in it; EvidenceError when there is none, or nothing in it."""
        return pin_corpus(self._root, path)

    def queries_beside(self, corpus: str) -> str | None:
        """The queries of a BEIR folder; None for any other corpus."""
        return beir_queries(self._root, corpus)

    def ledger(self, path: str) -> Ledger:
        """Every record of a ledger; one that is missing is empty and says so."""
        return self._read_ledger(confine(self._root, path))

    def receipt(self, path: str) -> Report:
        """A receipt of an earlier run; UnusableReceiptError when it cannot be trusted."""
        return read_receipt(confine(self._root, path), path)

    def kept_rows(self, receipt: str, rows: FileRef) -> FileRef:
        """Where a file a receipt names lies now: beside the receipt in a folder of that name, or where it was."""
        named = Path(rows.path)
        beside = (Path(receipt).parent / named.parent.name / named.name).as_posix()
        found = self.pin(rows.path if is_missing(self._root / beside) else beside)
        if found.sha256 != rows.sha256:
            raise EvidenceError(
                f"{found.path}: changed since the receipt {receipt} was written",
                remedy="fetch the receipt and its rows again, together",
            )
        return found


class RowFiles:
    """Rows of planned files, for a run that knows which metrics it needs.

    Rows that the run writes itself lie below `out`, where that is no part of the workspace.
    """

    def __init__(
        self, root: Path, metrics: frozenset[str], tree: Tree | None = None, out: Path | None = None
    ) -> None:
        self._root = root
        self._metrics = metrics
        self._tree = tree
        self._out = out

    def read(self, rows: FileRef) -> RowTable:
        """The rows; EvidenceError when the file is missing, invalid or no longer what the plan pinned."""
        table, sha256 = self._on_disk(rows) if rows.commit is None else self._in_tree(rows, rows.commit)
        if sha256 != rows.sha256:
            raise EvidenceError(
                f"{rows.path}: its content is not what was planned (sha256 {rows.sha256[:12]}…, now {sha256[:12]}…)",
                remedy="do not change rows while the gate runs; under `gate verify`: the evidence was changed",
            )
        return table

    def panel(self, receipt: FileRef) -> TakesReceipt:
        """A panel's receipt; EvidenceError when the file is missing, invalid or no longer what was pinned."""
        try:
            data = confine(self._root, receipt.path).read_bytes()
        except OSError as error:
            raise EvidenceError(
                f"{receipt.path}: cannot be read ({error.strerror or error})",
                remedy="keep the panel's receipt beside the gate's, in takes/",
            ) from error
        found = hashlib.sha256(data).hexdigest()
        if found != receipt.sha256:
            raise EvidenceError(
                f"{receipt.path}: changed since it was written (sha256 {receipt.sha256[:12]}…, now {found[:12]}…)",
                remedy="restore the file that the run wrote, or run the gate again",
            )
        return takes_receipt_of(data, receipt.path)

    def texts(self, rows: FileRef, ids: frozenset[str]) -> Mapping[str, str]:
        """The words of some questions, cut short; rows without words give none."""
        from gate.store.question_texts import question_texts

        place = confine(self._root, rows.path)
        if self._out is not None and is_missing(place):
            place = confine(self._out, rows.path)
        return question_texts(place, ids, name=rows.path)

    def _on_disk(self, rows: FileRef) -> tuple[RowTable, str]:
        path = confine(self._root, rows.path)
        table, sha256, _ = read_rows_with_digest(path, name=rows.path, required=self._metrics)
        return table, sha256

    def _in_tree(self, rows: FileRef, commit: str) -> tuple[RowTable, str]:
        data = None if self._tree is None else self._tree.read(commit, rows.path)
        if data is None:
            raise NotHereError(f"{rows.path} of {commit[:7]} is not here")
        name = f"{rows.path} at {commit[:7]}"
        return decode_rows([data], name=name, required=self._metrics), hashlib.sha256(data).hexdigest()
