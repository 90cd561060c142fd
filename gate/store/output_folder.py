"""The folder a run writes to: checked before any work, every file atomic, nothing outside it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gate.core.plan import FileRef, Plan, SuiteInputs
from gate.core.records.rows import RowTable
from gate.errors import UnavailableError, UsageError
from gate.store.atomic import write_atomic
from gate.store.row_files import rows_bytes
from gate.store.workspace import relative_or

PROBE: Final = ".gate-probe"
OWN: Final = (
    "receipt.json",
    "report.json",
    "comment.md",
    "summary.md",
    "junit.xml",
    "release.md",
    "modes.md",
    "modes.json",
)
STALE: Final = "stale"


@contextmanager
def nothing_stale(folder: Path) -> Iterator[None]:
    """A run leaves no verdict and no page of an earlier run beside its own: such files are set aside in stale/.

    Where the call itself was wrong (UsageError) nothing has begun, and everything stays.
    """
    before = {name: _identity(folder / name) for name in OWN}
    try:
        yield
    except UsageError:
        raise
    except BaseException:
        _set_aside(folder, before)
        raise
    if _identity(folder / OWN[0]) != before[OWN[0]]:
        _set_aside(folder, before)


def _set_aside(folder: Path, before: Mapping[str, tuple[int, int] | None]) -> None:
    """Move whatever is still the file that it was before."""
    for name, known in before.items():
        if known is not None and _identity(folder / name) == known:
            move_aside(folder, folder / name)


def set_aside(folder: Path) -> None:
    """Verdicts of earlier runs go to stale/, where this run will come to none."""
    for name in OWN:
        if _identity(folder / name) is not None:
            move_aside(folder, folder / name)


def move_aside(folder: Path, path: Path) -> None:
    """What an earlier run left there goes to stale/ of the folder; UnavailableError where it cannot be moved."""
    try:
        (folder / STALE).mkdir(exist_ok=True)
        path.replace(folder / STALE / path.name)
    except OSError as error:
        raise UnavailableError(
            f"{path}: what an earlier run left cannot be moved to {folder / STALE} ({error.strerror})",
            remedy="remove both, since nothing there is about this run, and run again",
        ) from error


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file lies at a path: every write of ours puts a new one there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def refuse_inputs(folder: Path, root: Path, plan: Plan, *, besides: Sequence[Path] = ()) -> None:
    """UsageError when a file that the plan reads is one that the run would write; `besides` are other such files."""
    taken = {path.resolve() for path in (*besides, *written_by(plan, folder))}
    for read in _inputs(plan):
        if (root / read).resolve() in taken:
            raise UsageError(
                f"--out {folder}: {read} is read by this run, and would be overwritten by it",
                remedy="choose another --out, or keep what the run reads somewhere else",
            )


def written_by(plan: Plan, folder: Path) -> tuple[Path, ...]:
    """Every file that a run of the plan may write below its folder."""
    rows = (
        folder / "rows" / f"{suite.name}{side}.ndjson"
        for suite in plan.suites
        for side in ((".candidate", ".baseline") if suite.rows else ("", ".candidate", ".baseline"))
    )
    return (*(folder / name for name in OWN), *rows)


def _inputs(plan: Plan) -> Iterator[str]:
    sources = [source for source in (plan.baseline, plan.anchor) if source is not None]
    refs = [ref for suite in plan.suites for ref in (suite.rows, *suite.earlier) if ref is not None]
    refs += [rows.rows for source in sources for rows in source.rows]
    refs += [ref for suite in plan.suites for ref in _read_by(suite.inputs)]
    yield from (ref.path for ref in refs if ref.commit is None)
    yield from (source.source for source in sources if source.source)


def _read_by(inputs: SuiteInputs | None) -> Iterator[FileRef]:
    """The files that a suite reads while it runs."""
    for name in () if inputs is None else inputs.__struct_fields__:
        value = getattr(inputs, name)
        if isinstance(value, FileRef):
            yield value


class OutputFolder:
    """Implements the pipeline's Output below one folder of the workspace."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._root = root

    def open(self) -> None:
        """Create the folder and prove that a file can be written; UnavailableError when it cannot."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnavailableError(
                f"{self._folder}: the output folder cannot be made ({error.strerror})",
                remedy="choose another folder with --out, or check the permissions",
            ) from error
        write_atomic(self._folder / PROBE, b"")
        (self._folder / PROBE).unlink(missing_ok=True)

    def keep_rows(self, name: str, table: RowTable) -> FileRef:
        """Write rows/NAME.ndjson: ids and values, no text.

        Its path is relative to the workspace, or to the folder itself where that lies elsewhere.
        """
        beside = f"rows/{name}.ndjson"
        path = self._folder / beside
        data = rows_bytes(table)
        write_atomic(path, data)
        return FileRef(
            path=relative_or(self._root, path, beside),
            sha256=hashlib.sha256(data).hexdigest(),
            bytes=len(data),
        )

    def write(self, name: str, data: bytes) -> None:
        """Write a file below the folder."""
        write_atomic(self._folder / name, data)
