"""The evidence behind a receipt: its row copies wherever they lie now, its sources where they still lie."""

from collections.abc import Iterator

from gate.core.plan import FileRef, Plan
from gate.core.records.rows import RowTable
from gate.errors import EvidenceError
from gate.ports import Files, RowSource


class KeptRows:
    """The rows a receipt names, beside the receipt or where they were written."""

    def __init__(self, files: Files, rows: RowSource, receipt: str) -> None:
        self._files = files
        self._rows = rows
        self._receipt = receipt

    def read(self, rows: FileRef) -> RowTable:
        """The rows; EvidenceError when they are missing or changed."""
        return self._rows.read(self._files.kept_rows(self._receipt, rows))


def check_sources(plan: Plan, files: Files) -> tuple[str, ...]:
    """Remarks on sources that are not here; EvidenceError when one is here and was changed."""
    return tuple(remark for source in _sources(plan) if (remark := _check(source, files)) is not None)


def _sources(plan: Plan) -> Iterator[FileRef]:
    named = [plan.config, *(suite.rows for suite in plan.suites)]
    if plan.baseline is not None:
        named += [rows.rows for rows in plan.baseline.rows]
    yield from dict.fromkeys(source for source in named if source is not None)


def _check(source: FileRef, files: Files) -> str | None:
    try:
        found = files.pin(source.path)
    except EvidenceError:
        return f"{source.path} is not here any more: only its copy was checked"
    if found != source:
        raise EvidenceError(
            f"{source.path}: changed since the receipt was written",
            remedy="restore the file the run used, or run the gate again",
        )
    return None
