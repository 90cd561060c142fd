"""The evidence behind a receipt: its row copies wherever they lie now, its sources where they still lie."""

import hashlib
from collections.abc import Iterator

from gate.core.plan import FileRef, Plan
from gate.core.records.rows import RowTable
from gate.core.records.takes_receipt import TakesReceipt
from gate.errors import EvidenceError
from gate.ports import Files, NotHereError, RowSource, Tree


class KeptRows:
    """The rows a receipt names, beside the receipt or where they were written."""

    def __init__(self, files: Files, rows: RowSource, receipt: str) -> None:
        self._files = files
        self._rows = rows
        self._receipt = receipt

    def read(self, rows: FileRef) -> RowTable:
        """The rows; EvidenceError when they are missing or changed."""
        return self._rows.read(self._files.kept_rows(self._receipt, rows))

    def panel(self, receipt: FileRef) -> TakesReceipt:
        """A panel's receipt; EvidenceError when it is missing or changed."""
        return self._rows.panel(self._files.kept_rows(self._receipt, receipt))


def check_sources(plan: Plan, files: Files, tree: Tree) -> tuple[str, ...]:
    """Remarks on sources that are not here; EvidenceError when one is here and was changed."""
    return tuple(remark for source in _sources(plan) if (remark := _check(source, files, tree)) is not None)


def _sources(plan: Plan) -> Iterator[FileRef]:
    named = [plan.config]
    for suite in plan.suites:
        named += [suite.rows, *suite.earlier]
    for baseline in (plan.baseline, plan.anchor):
        named += [rows.rows for rows in (() if baseline is None else baseline.rows)]
    yield from dict.fromkeys(source for source in named if source is not None)


def _check(source: FileRef, files: Files, tree: Tree) -> str | None:
    try:
        sha256 = files.pin(source.path).sha256 if source.commit is None else _in_tree(source, tree)
    except (EvidenceError, NotHereError):
        return f"{source.path} is not here any more: only its copy was checked"
    if sha256 != source.sha256:
        raise EvidenceError(
            f"{source.path}: changed since the receipt was written",
            remedy="restore the file the run used, or run the gate again",
        )
    return None


def _in_tree(source: FileRef, tree: Tree) -> str:
    data = tree.read(source.commit or "", source.path)
    if data is None:
        raise NotHereError(f"{source.path} is not here")
    return hashlib.sha256(data).hexdigest()
