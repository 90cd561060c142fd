"""Baselines as the base of a pull request has them: a pull request cannot bring its own."""

import hashlib
import posixpath
from pathlib import PurePosixPath

from gate.core.plan import FileRef
from gate.core.records.ledger import Ledger, read_ledger
from gate.core.report import Report
from gate.errors import EvidenceError
from gate.ports import Files, Tree, UnusableReceiptError
from gate.store.receipts import receipt_of


class BaseFiles:
    """Files of the base's tree, and of the disk where neither the base nor the pull request tracks them.

    What is untracked was put there by the workflow (a downloaded artifact, a restored cache). What the pull
    request tracks and the base does not is the pull request's own word about itself, and refused.
    """

    def __init__(self, tree: Tree, *, base: str, head: str, disk: Files) -> None:
        self._tree = tree
        self._base = base
        self._head = head
        self._disk = disk

    def pin(self, path: str) -> FileRef:
        """The file as the base has it, or as the workflow put it there; EvidenceError otherwise."""
        data = self._tracked(path)
        if data is None:
            return self._disk.pin(path)
        sha256 = hashlib.sha256(data).hexdigest()
        return FileRef(path=_plain(path), sha256=sha256, bytes=len(data), commit=self._base)

    def has(self, path: str) -> bool:
        """Whether the base has it, or the workflow put it there; what only the pull request has does not count."""
        plain = _plain(path)
        if self._tree.read(self._base, plain) is not None:
            return True
        return self._tree.read(self._head, plain) is None and self._disk.has(path)

    def pin_corpus(self, path: str) -> FileRef:
        """What the suites ask is the change's own: the corpus on disk."""
        return self._disk.pin_corpus(path)

    def queries_beside(self, corpus: str) -> str | None:
        """Likewise the queries that it brings with it."""
        return self._disk.queries_beside(corpus)

    def ledger(self, path: str) -> Ledger:
        """The ledger as the base has it; one that only the pull request has is as good as missing."""
        try:
            data = self._tracked(path)
        except EvidenceError:
            return Ledger(missing=True)
        return self._disk.ledger(path) if data is None else read_ledger(data)

    def receipt(self, path: str) -> Report:
        """The receipt as the base has it; UnusableReceiptError when it cannot be trusted."""
        try:
            data = self._tracked(path)
        except EvidenceError as error:
            raise UnusableReceiptError(error.message, remedy=error.remedy, reason="no_baseline") from error
        return self._disk.receipt(path) if data is None else receipt_of(data, path)

    def kept_rows(self, receipt: str, rows: FileRef) -> FileRef:
        """The rows of a receipt, beside it in the same tree."""
        if self._tracked(receipt) is None:
            return self._disk.kept_rows(receipt, rows)
        beside = posixpath.join(posixpath.dirname(receipt), "rows", PurePosixPath(rows.path).name)
        found = self.pin(beside)
        if found.sha256 != rows.sha256:
            raise EvidenceError(
                f"{beside}: changed since the receipt {receipt} was written",
                remedy="accept the baseline again, so that receipt and rows belong together",
            )
        return found

    def _tracked(self, path: str) -> bytes | None:
        plain = _plain(path)
        data = self._tree.read(self._base, plain)
        if data is None and self._tree.read(self._head, plain) is not None:
            raise EvidenceError(
                f"{plain}: only this pull request has it, and a pull request cannot bring its own baseline",
                remedy="merge the baseline first, then open the pull request that it is to judge",
            )
        return data


def _plain(path: str) -> str:
    return posixpath.normpath(path)
