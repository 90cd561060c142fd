"""Columns that grow block by block; a field that appears late was absent before."""

from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gate.core.records.rows import UNKNOWN_RANK, Column

_T = TypeVar("_T", bound=np.generic)


class NumberColumn:
    """Numbers or booleans, None where a row has no value."""

    def __init__(self) -> None:
        self._values = array("d")
        self._present = bytearray()

    def extend(self, values: list[float | bool | None], *, before: int) -> None:
        """Append the values of a block that begins at row `before`."""
        self._pad(before)
        try:
            self._values.frombytes(_doubles(values))
        except TypeError:  # a None among them
            self._values.fromlist([0.0 if value is None else value for value in values])
            self._present.extend(value is not None for value in values)
        else:
            self._present.extend(b"\x01" * len(values))

    def column(self, rows: int) -> Column:
        """The finished column, read-only, of shape (rows,)."""
        self._pad(rows)
        return Column(
            values=_read_only(np.frombuffer(self._values, dtype=np.float64)),
            present=_read_only(np.frombuffer(self._present, dtype=np.bool_)),
        )

    def _pad(self, rows: int) -> None:
        missing = rows - len(self._present)
        self._values.frombytes(bytes(missing * self._values.itemsize))
        self._present.extend(bytes(missing))


class FlagColumn:
    """True or false; False where a row says nothing."""

    def __init__(self) -> None:
        self._flags = bytearray()

    def extend(self, flags: Iterable[int], *, before: int) -> None:
        """Append the flags of a block that begins at row `before`."""
        self._flags.extend(bytes(before - len(self._flags)))
        self._flags.extend(flags)

    def flags(self, rows: int) -> NDArray[np.bool_]:
        """The finished flags, read-only, of shape (rows,)."""
        self._flags.extend(bytes(rows - len(self._flags)))
        return _read_only(np.frombuffer(self._flags, dtype=np.bool_))


class RankColumn:
    """Ranks of gold documents, UNKNOWN_RANK where a row says nothing."""

    def __init__(self) -> None:
        self._ranks = array("i")
        self._known = False

    def extend(self, ranks: list[int], *, before: int) -> None:
        """Append the ranks of a block that begins at row `before`."""
        self._pad(before)
        self._ranks.fromlist(ranks)
        self._known = self._known or any(rank != UNKNOWN_RANK for rank in ranks)

    def ranks(self, rows: int) -> NDArray[np.int32] | None:
        """The finished ranks, read-only, of shape (rows,); None when every one is unknown."""
        if not self._known:
            return None
        self._pad(rows)
        return _read_only(np.frombuffer(self._ranks, dtype=np.int32))

    def _pad(self, rows: int) -> None:
        self._ranks.extend([UNKNOWN_RANK] * (rows - len(self._ranks)))


class TextColumn:
    """Texts, None where a row says nothing."""

    def __init__(self) -> None:
        self._texts: list[str | None] = []

    def extend(self, texts: Iterable[str | None], *, before: int) -> None:
        """Append the texts of a block that begins at row `before`."""
        self._pad(before)
        self._texts.extend(texts)

    def texts(self, rows: int) -> tuple[str | None, ...] | None:
        """The finished texts, one per row; None when no row says anything."""
        self._pad(rows)
        return tuple(self._texts) if self._texts.count(None) < rows else None

    def filled(self, instead: Sequence[str]) -> tuple[str, ...] | None:
        """Like `texts`, with another text where a row says nothing."""
        texts = self.texts(len(instead))
        if texts is None or None not in texts:
            return texts  # type: ignore[return-value]  # no None is left in it
        return tuple(own if text is None else text for text, own in zip(texts, instead, strict=True))

    def _pad(self, rows: int) -> None:
        self._texts.extend([None] * (rows - len(self._texts)))


def _doubles(values: list[Any]) -> bytes:
    """The numbers as doubles in memory; TypeError when there is a None."""
    if values and isinstance(values[0], bool):
        with suppress(TypeError):  # not all are booleans; when they are, this is five times as fast
            return np.frombuffer(bytes(values), dtype=np.uint8).astype(np.float64).tobytes()
    return array("d", values).tobytes()


def _read_only(values: NDArray[_T]) -> NDArray[_T]:
    values.flags.writeable = False
    return values
