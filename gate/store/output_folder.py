"""The folder a run writes to: checked before any work, every file atomic, nothing outside it."""

import hashlib
from pathlib import Path

from gate.core.plan import FileRef
from gate.core.records.rows import RowTable
from gate.errors import UnavailableError
from gate.store.atomic import write_atomic
from gate.store.row_files import rows_bytes
from gate.store.workspace import relative

PROBE = ".gate-probe"


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
        inside = path.resolve().is_relative_to(self._root)
        return FileRef(
            path=relative(self._root, path) if inside else beside,
            sha256=hashlib.sha256(data).hexdigest(),
            bytes=len(data),
        )

    def write(self, name: str, data: bytes) -> None:
        """Write a file below the folder."""
        write_atomic(self._folder / name, data)
