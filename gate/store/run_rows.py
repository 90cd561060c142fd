"""The per-question rows that a run record names, kept below the repository root."""

from collections.abc import Callable
from pathlib import Path

from gate.core.mode_comparison import RowsOf, Unavailable
from gate.core.records.ledger import RunRecord
from gate.core.records.rows import RowTable
from gate.errors import EvidenceError
from gate.store.confinement import OutsideRoot, confine
from gate.store.presence import has_git, is_missing
from gate.store.row_files import digest, read_rows


def repository_root(folder: Path) -> Path:
    """The nearest folder at or above this one that holds a .git, else the folder itself."""
    here = folder.resolve()
    return next((above for above in (here, *here.parents) if has_git(above)), here)


def rows_below(root: Path) -> RowsOf:
    """Look up the rows of a record; what names none, none that exist, others than it was made of, or none below
    `root` is Unavailable.

    EvidenceError when there is a file and it cannot be read as rows.
    """

    def look_up(record: RunRecord) -> RowTable | Unavailable:
        if record.output is None:
            return Unavailable("record has no params.output per-query file")
        try:
            path = confine(root, record.output)
        except OutsideRoot as refused:
            return Unavailable(refused.reason)
        if is_missing(path):
            return Unavailable(f"per-query file not found: {record.output}")
        replaced = _replaced(record, path)
        if replaced is not None:
            return Unavailable(replaced)
        table = read_rows(path, name=record.output, duplicates="last-wins")
        return table if len(table) else Unavailable(f"per-query file has no question rows: {record.output}")

    return look_up


def _replaced(record: RunRecord, path: Path) -> str | None:
    """Why these are not the record's rows; a record that states no digest costs no second reading."""
    if record.params.get("output_sha256") is None:
        return None
    return record.replaced(digest(path, name=str(record.output))[0])


def tolerant(rows_of: RowsOf) -> Callable[[RunRecord], RowTable | Unavailable]:
    """The same, but a file that cannot be read as rows is Unavailable too: a table of runs goes on without it."""

    def look_up(record: RunRecord) -> RowTable | Unavailable:
        try:
            return rows_of(record)
        except EvidenceError as error:
            return Unavailable(error.message)

    return look_up
