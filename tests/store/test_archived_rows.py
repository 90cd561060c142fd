import hashlib

import pytest

from gate.core.plan import FileRef
from gate.core.records.takes_receipt import takes_receipt_bytes
from gate.errors import EvidenceError
from gate.store.archived_rows import ArchivedRows
from tests.takes_factories import receipt
from tests.workspaces import rows

DATA = rows([1, 0])
NAMED = FileRef(
    path="gate-out/rows/main.candidate.ndjson", sha256=hashlib.sha256(DATA).hexdigest(), bytes=len(DATA)
)


def test_rows_are_found_by_their_name_inside_the_archive() -> None:
    table = ArchivedRows({"rows/main.candidate.ndjson": DATA}, frozenset({"hit"})).read(NAMED)

    assert table.metrics["hit"].values.tolist() == [1, 0]


def test_a_panels_receipt_is_found_likewise() -> None:
    data = takes_receipt_bytes(receipt())
    named = FileRef(path="gate-out/takes/one.json", sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))

    assert ArchivedRows({"takes/one.json": data}, frozenset()).panel(named) == receipt()
    with pytest.raises(EvidenceError, match=r"the archive has no takes/one\.json"):
        ArchivedRows({}, frozenset()).panel(named)
    with pytest.raises(EvidenceError, match="not the rows"):
        ArchivedRows({"takes/one.json": data + b" "}, frozenset()).panel(named)


def test_rows_that_are_missing_or_other_than_the_receipt_says_are_refused() -> None:
    with pytest.raises(EvidenceError, match="the archive has no"):
        ArchivedRows({}, frozenset()).read(NAMED)
    with pytest.raises(EvidenceError, match="not the rows the receipt was made from"):
        ArchivedRows({"rows/main.candidate.ndjson": DATA + DATA}, frozenset()).read(NAMED)
