"""Decoded rows, block by block, into columns."""

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from gate.core.records.rankings import gold_ranks, ranking_digests, retrieved_ids, stated_ranks
from gate.core.records.row_columns import FlagColumn, NumberColumn, RankColumn, TextColumn
from gate.core.records.row_fields import NATIVE_HITS
from gate.core.records.row_shape import ID, TYPE, RowShape
from gate.core.records.rows import UNKNOWN_RANK

ABSTENTION_SUFFIX: Final = "_abs"


class RowCollector:
    """Grows one column per field that matters. Rows are what a RowShape's decoder made."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.numbers: dict[str, NumberColumn] = {}
        self.types = TextColumn()
        self.clusters = TextColumn()
        self.repeats = TextColumn()
        self.content_hashes = TextColumn()
        self.rankings = TextColumn()
        self.gold_ranks = RankColumn()
        self.abstentions = FlagColumn()
        self.errored = FlagColumn()
        self.judge_errors = FlagColumn()

    def add(self, rows: list[Any], shape: RowShape) -> None:
        """Append a block of rows, decoded by the shape as it is now."""
        before = len(self.ids)
        block = _Block(rows, shape)
        self.ids.extend(block.values(ID))
        for name in (*shape.metric_fields(), *filter(block.has, NATIVE_HITS)):
            self.numbers.setdefault(name, NumberColumn()).extend(block.values(name), before=before)
        self._add_texts(block, before)
        self._add_flags(block, before)

    def _add_texts(self, block: "_Block", before: int) -> None:
        if block.has(TYPE):
            self.types.extend(block.values(TYPE), before=before)
        if block.has("cluster_id"):
            self.clusters.extend(block.names("cluster_id"), before=before)
        if block.has("repeat"):
            self.repeats.extend(block.names("repeat"), before=before)
        if block.has("content_hash"):
            self.content_hashes.extend(block.values("content_hash"), before=before)
        if block.has("retrieved_session_ids", "retrieved", "ranking_digest"):
            self.rankings.extend(_rankings(block), before=before)
        if block.has("retrieved_session_ids", "gold_rank"):
            self.gold_ranks.extend(_gold_ranks(block), before=before)

    def _add_flags(self, block: "_Block", before: int) -> None:
        self.abstentions.extend(_abstentions(block), before=before)
        if block.has("error"):
            self.errored.extend(block.flags("error", bool), before=before)
        if block.has("judge_error"):
            self.judge_errors.extend(block.flags("judge_error", is_judge_error), before=before)


class _Block:
    """Decoded rows and the way to their fields."""

    def __init__(self, rows: list[Any], shape: RowShape) -> None:
        self._rows = rows
        self._shape = shape

    def has(self, *names: str) -> bool:
        """Whether any of the fields was ever seen."""
        return any(self._shape.reader(name) for name in names)

    def values(self, name: str, instead: object = None) -> list[Any]:
        """The field of every row; `instead` where no row ever had it."""
        read = self._shape.reader(name)
        return [instead] * len(self._rows) if read is None else read(self._rows)

    def flags(self, name: str, holds: Callable[[Any], bool]) -> bytes:
        """Whether something holds of each value of a field; it never does where there is none."""
        values = self.values(name)
        if values.count(None) == len(values):
            return bytes(len(values))
        return bytes(map(holds, values))

    def names(self, field: str) -> list[str | None]:
        """A field that is a text or a whole number, as text."""
        values = self.values(field)
        return values if self._shape.only_texts(field) else list(map(_name, values))


def _name(value: str | float | None) -> str | None:
    return str(int(value)) if isinstance(value, float) else value


def _rankings(block: _Block) -> list[str | None]:
    sessions = block.values("retrieved_session_ids")
    if not block.has("retrieved", "ranking_digest"):
        return ranking_digests(sessions)
    retrieved = block.values("retrieved")
    ids = [
        retrieved_ids(hits) if own is None and hits is not None else own
        for own, hits in zip(sessions, retrieved, strict=True)
    ]
    stated = block.values("ranking_digest")
    return [digest or own for digest, own in zip(ranking_digests(ids), stated, strict=True)]


def _gold_ranks(block: _Block) -> list[int]:
    stated = stated_ranks(block.values("gold_rank", UNSET))
    if not block.has("retrieved_session_ids"):
        return stated
    ranks = gold_ranks(block.values("retrieved_session_ids"), block.values("answer_session_ids"))
    if not block.has("gold_rank"):
        return ranks
    return [own if rank == UNKNOWN_RANK else rank for rank, own in zip(ranks, stated, strict=True)]


def _abstentions(block: _Block) -> bytes:
    flags = block.flags("abstention", bool)
    ids = block.values(ID)
    if ABSTENTION_SUFFIX not in "".join(ids):  # hardly any block has one, and this is ten times as fast
        return flags
    return bytes(flag or own.endswith(ABSTENTION_SUFFIX) for flag, own in zip(flags, ids, strict=True))


def is_judge_error(value: object) -> bool:
    """Any text, also an empty one, is an error of the judge (§2.5); true is what the slim copy writes."""
    return value is True or isinstance(value, str)
