"""Vectors kept on disk, found again by the digest of model and text; no text is kept."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from gate.errors import UnavailableError

WAIT_SECONDS: Final = 60
FILE_NAME: Final = "vectors.sqlite"


class VectorCache:
    """One file that several runs may use at once; vectors of another length are as good as missing."""

    def __init__(self, folder: Path, *, key: str, dimensions: int) -> None:
        """Open or make the file; UnavailableError when it cannot be used."""
        self._folder = folder
        self._key = key
        self._dimensions = dimensions
        with self._told():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ".gitignore").write_text("*\n")
            self._database = sqlite3.connect(
                folder / FILE_NAME, timeout=WAIT_SECONDS, check_same_thread=False
            )
            finalize(self, self._database.close).atexit = False  # at exit a thread may still be asking
            self._database.execute(
                "create table if not exists vectors (key blob primary key, vector blob) without rowid"
            )

    def get(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a text, if it was ever kept."""
        with self._told():
            row = self._database.execute(
                "select vector from vectors where key = ?", (self._name(text),)
            ).fetchone()
        if row is None or len(row[0]) != 4 * self._dimensions:
            return None
        return np.frombuffer(row[0], dtype="<f4")

    def put(self, text: str, vector: NDArray[np.float32]) -> None:
        """Keep a vector, for good once `save` was called."""
        with self._told():
            self._database.execute(
                "insert or replace into vectors values (?, ?)",
                (self._name(text), vector.astype("<f4").tobytes()),
            )

    def save(self) -> None:
        """Write down what was put."""
        with self._told():
            self._database.commit()

    def close(self) -> None:
        """Let go of the file; may be called again."""
        self._database.close()

    def _name(self, text: str) -> bytes:
        return hashlib.sha256(f"{self._key}\0{text}".encode()).digest()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise UnavailableError(
                f"{self._folder}: the kept vectors cannot be used ({error})",
                remedy="delete the folder, free space, or name another one under `vectors`",
            ) from error
