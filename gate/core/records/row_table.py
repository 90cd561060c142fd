"""Finished columns become a table: which of them are metrics, and what the run states about itself."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gate.core.records.objections import Objection
from gate.core.records.row_collector import RowCollector
from gate.core.records.row_columns import NumberColumn
from gate.core.records.row_fields import FINGERPRINT_FIELDS, QA_ACCURACY, RECALL_ALL, RECALL_ANY
from gate.core.records.row_shape import RowShape
from gate.core.records.rows import Column, RowNotes, RowTable
from gate.core.records.run_info import SUMMARY, RunInfo, RunInfoError, merged
from gate.core.records.stopped import STOPPED

MAX_STATEMENTS: Final = 200
"""Fingerprints beside those the gate knows; more is no description of a run but data."""


@dataclass(slots=True)
class RunLines:
    """The lines of a file that speak of the run."""

    infos: list[RunInfo] = field(default_factory=list)
    summary: RunInfo | None = None
    count: int = 0
    _names: set[str] = field(default_factory=set)

    def add(self, info: RunInfo) -> None:
        """Take in one more; a later summary replaces an earlier one, as its writer meant it.

        RunInfoError when the lines state more than MAX_STATEMENTS fingerprints.
        """
        self.count += 1
        if info.kind == SUMMARY:
            self.summary = info
        else:
            self.infos.append(info)
        self._names |= info.fingerprints.keys() - FINGERPRINT_FIELDS
        if len(self._names) > MAX_STATEMENTS:
            raise RunInfoError(f"more than {MAX_STATEMENTS} fingerprints")

    @property
    def metrics(self) -> tuple[str, ...] | None:
        """The metrics the file declares; None when it leaves that to its rows."""
        return next((info.metrics for info in self.infos if info.metrics is not None), None)

    @property
    def native(self) -> bool | None:
        """Whether the file says that its rows are native ones."""
        return next((info.native for info in self.infos if info.native is not None), None)

    @property
    def units(self) -> Mapping[str, str]:
        """The units the file declares."""
        return {metric: unit for info in self.infos for metric, unit in info.units.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the run remarks about itself, each remark once."""
        return tuple(dict.fromkeys(note for info in self.infos for note in info.notes))

    @property
    def applies_to(self) -> Mapping[str, int]:
        """How many questions a metric is meant to be measured on, where the file says so."""
        counts: Counter[str] = Counter()
        for info in self.infos:
            counts.update(info.applies_to)
        return dict(sorted(counts.items()))

    @property
    def objections(self) -> tuple[Objection, ...]:
        """What the suite itself holds against the run, each once."""
        return tuple(dict.fromkeys(each for info in self.infos for each in info.objections))

    def shortfalls(self, rows: int) -> Mapping[str, int]:
        """What the run states, and `cancelled` where it has fewer rows than it meant to write and says not why.

        A count of 0 for what stops a run says that the reason is told elsewhere, by an objection.
        """
        counts: Counter[str] = Counter()
        for info in self.infos:
            counts.update(info.shortfalls)
        missing = sum(info.questions for info in self.infos) - rows
        if missing > 0 and not any(reason in counts for reason in STOPPED):
            counts["cancelled"] = missing
        return {reason: count for reason, count in sorted(counts.items()) if count}

    def fingerprints(self, stated_by_rows: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
        """What these lines and the rows themselves state."""
        infos = [*self.infos, *([self.summary] if self.summary else [])]
        return merged([*(_single(info.fingerprints) for info in infos), stated_by_rows])


def finished(collector: RowCollector, shape: RowShape, lines: RunLines, notes: RowNotes) -> RowTable:
    """The table of everything collected; `notes` are completed with what only the whole file shows."""
    ids = tuple(collector.ids)
    rows = len(ids)
    columns = {name: column.column(rows) for name, column in collector.numbers.items()}
    judge_errors = collector.judge_errors.flags(rows)
    native = shape.native() if lines.native is None else lines.native
    if lines.metrics is not None:
        metrics = {name: columns.get(name, _nothing(rows)) for name in lines.metrics}
    elif native:
        metrics = _native_metrics(columns, judge_errors) | _picked(columns, shape.declared_fields())
    else:
        metrics = _picked(columns, shape.metric_fields())
    return RowTable(
        ids=ids,
        types=collector.types.texts(rows),
        clusters=collector.clusters.filled(ids),
        repeats=collector.repeats.filled(("",) * rows),
        metrics=metrics,
        errored=collector.errored.flags(rows),
        judge_errors=judge_errors,
        abstentions=collector.abstentions.flags(rows),
        gold_ranks=collector.gold_ranks.ranks(rows),
        rankings=collector.rankings.texts(rows),
        content_hashes=collector.content_hashes.texts(rows),
        fingerprints=lines.fingerprints(shape.stated()),
        units=lines.units,
        native=native,
        shortfalls=lines.shortfalls(len(set(ids))),
        objections=lines.objections,
        applies_to=lines.applies_to,
        notes=replace(
            notes,
            run_info_lines=lines.count,
            stated=lines.notes,
            legacy_rows=_legacy_rows(columns) if native else 0,
            not_metrics=() if native or lines.metrics is not None else shape.not_metrics(),
        ),
    )


def _native_metrics(columns: Mapping[str, Column], judge_errors: NDArray[np.bool_]) -> dict[str, Column]:
    """The three metrics of the contract (§2.5), those of them that any row measured."""
    metrics = {
        RECALL_ALL: columns.get("recall_all_hit"),
        RECALL_ANY: _either(columns.get("recall_any_hit"), columns.get("recall_hit")),
        QA_ACCURACY: _without(columns.get("judge_correct"), judge_errors),
    }
    return {name: column for name, column in metrics.items() if column is not None and column.present.any()}


def _either(column: Column | None, instead: Column | None) -> Column | None:
    """One column, and the other where that one says nothing."""
    if column is None or instead is None:
        return column or instead
    return Column(
        values=np.where(column.present, column.values, instead.values),
        present=column.present | instead.present,
    )


def _without(column: Column | None, left_out: NDArray[np.bool_]) -> Column | None:
    return None if column is None else Column(column.values, column.present & ~left_out)


def _legacy_rows(columns: Mapping[str, Column]) -> int:
    """Rows of the generation that wrote `recall_hit` alone, so that "all" and "any" cannot be told apart."""
    legacy = columns.get("recall_hit")
    if legacy is None:
        return 0
    newer = [columns[name].present for name in ("recall_all_hit", "recall_any_hit") if name in columns]
    return int(
        np.count_nonzero(legacy.present & ~np.logical_or.reduce([np.zeros_like(legacy.present), *newer]))
    )


def _picked(columns: Mapping[str, Column], names: Iterable[str]) -> dict[str, Column]:
    return {name: columns[name] for name in names if name in columns}


def _nothing(rows: int) -> Column:
    return NumberColumn().column(rows)


def _single(statements: Mapping[str, str]) -> Mapping[str, tuple[str, ...]]:
    return {name: (text,) for name, text in statements.items()}
