"""Per-question rows as columns: what one run says about its questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gate.core.records.objections import Objection

UNKNOWN_RANK: Final = -1
NOT_FOUND: Final = 0


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One metric over the rows of a table.

    `values` has shape (rows,) and is finite wherever `present` is true; where `present` is false the
    question was not measured, and the value there means nothing.
    """

    values: NDArray[np.float64]
    present: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RowNotes:
    """What a reader left out or resolved, counted so that it can be shown."""

    blank_lines: int = 0
    torn_lines: int = 0
    duplicate_ids: int = 0
    run_info_lines: int = 0
    legacy_rows: int = 0
    not_metrics: tuple[str, ...] = ()
    """Fields that hold numbers in some rows and text in others: shown, not compared."""
    stated: tuple[str, ...] = ()
    """What the run itself remarks."""


@dataclass(frozen=True, slots=True, eq=False)
class RowTable:
    """Every row of one run, column by column, in file order.

    All sequences have one entry per row. `clusters` is None where every question is its own cluster,
    `repeats` None where no row is a repeat. `gold_ranks` holds the 1-based rank of the best gold document,
    NOT_FOUND (0) or UNKNOWN_RANK (-1). `rankings` holds a short digest of the retrieved ids in order.
    `fingerprints` are the run's own statements about itself (dataset_sha256, k, judge_model, …), as text.
    `units` are the metric units the rows declare for themselves. `shortfalls` are the closed reason codes under
    which the run fell short of what was asked of it, with the number of questions each concerns; `objections` are
    what its suite holds against it, whatever the configuration asks.
    """

    ids: tuple[str, ...]
    types: tuple[str | None, ...] | None
    clusters: tuple[str, ...] | None
    repeats: tuple[str, ...] | None
    metrics: Mapping[str, Column]
    errored: NDArray[np.bool_]
    judge_errors: NDArray[np.bool_]
    abstentions: NDArray[np.bool_]
    gold_ranks: NDArray[np.int32] | None = None
    rankings: tuple[str | None, ...] | None = None
    content_hashes: tuple[str | None, ...] | None = None
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    native: bool = False
    """True for LongMemEval rows, whose metrics are recall_all@k, recall_any@k and qa_accuracy."""
    notes: RowNotes = RowNotes()
    shortfalls: Mapping[str, int] = field(default_factory=dict)
    objections: tuple[Objection, ...] = ()
    applies_to: Mapping[str, int] = field(default_factory=dict)
    """How many questions a metric is meant to be measured on; one that is not named here, on all of them."""

    def __len__(self) -> int:
        return len(self.ids)
