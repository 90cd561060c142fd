"""Rows that came inside an archive, in memory: each checked against the digest that the receipt names."""

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath

from gate.core.plan import FileRef
from gate.core.records.row_decoder import decode_rows
from gate.core.records.rows import RowTable
from gate.core.records.takes_receipt import TakesReceipt
from gate.errors import EvidenceError
from gate.store.takes_receipts import takes_receipt_of


class ArchivedRows:
    """Implements RowSource over the files of one archive: `rows/NAME.ndjson`, `takes/NAME.json` → bytes."""

    def __init__(self, files: Mapping[str, bytes], metrics: frozenset[str]) -> None:
        self._files = files
        self._metrics = metrics

    def read(self, rows: FileRef) -> RowTable:
        """The rows; EvidenceError when the archive does not hold them as the receipt says."""
        name = f"rows/{PurePosixPath(rows.path).name}"
        return decode_rows([self._found(name, rows)], name=name, required=self._metrics)

    def panel(self, receipt: FileRef) -> TakesReceipt:
        """A panel's receipt; EvidenceError when the archive does not hold it as the gate's receipt says."""
        name = f"takes/{PurePosixPath(receipt.path).name}"
        return takes_receipt_of(self._found(name, receipt), name)

    def _found(self, name: str, named: FileRef) -> bytes:
        data = self._files.get(name)
        if data is None:
            raise EvidenceError(f"the archive has no {name}", remedy="upload the whole output folder")
        if hashlib.sha256(data).hexdigest() != named.sha256:
            raise EvidenceError(
                f"{name}: not the rows the receipt was made from", remedy="run the workflow again"
            )
        return data
