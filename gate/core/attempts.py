"""What each attempt of a run measured by itself, before they are pooled: all are shown, none decides alone."""

from dataclasses import replace

import numpy as np

from gate.core.compare import per_question
from gate.core.findings import Findings, Measurement, mean_of, values_of
from gate.core.records.rows import Column, RowTable
from gate.core.report import Attempt, Mean


def attempts(findings: Findings) -> tuple[Attempt, ...]:
    """Every attempt, oldest first, with its means; none where only one was made."""
    table = findings.evidence.candidate
    if not findings.evidence.planned.earlier or table.repeats is None:
        return ()
    names = tuple(repeat.partition(", ")[0] for repeat in table.repeats)
    return tuple(_attempt(name, _rows_of(table, names, name), findings) for name in dict.fromkeys(names))


def _attempt(name: str, rows: RowTable, findings: Findings) -> Attempt:
    questions = per_question(rows)
    means = (_mean(questions, found) for found in findings.measurements)
    return Attempt(
        name=name, questions=len(questions), means=tuple(mean for mean in means if mean is not None)
    )


def _mean(questions: RowTable, found: Measurement) -> Mean | None:
    values = values_of(questions, found.column)
    mean = mean_of(found.metric, values)
    if mean is None:
        return None
    return Mean(metric=found.metric, n=values.size, mean=mean, better=found.spec.better, unit=found.spec.unit)


def _rows_of(table: RowTable, names: tuple[str, ...], name: str) -> RowTable:
    """The rows of one attempt, with what a mean needs."""
    rows = np.array([index for index, own in enumerate(names) if own == name], dtype=np.intp)
    return replace(
        table,
        ids=tuple(table.ids[row] for row in rows),
        repeats=tuple(names[row] for row in rows),
        types=None,
        clusters=None,
        metrics={
            key: Column(column.values[rows], column.present[rows]) for key, column in table.metrics.items()
        },
        errored=table.errored[rows],
        judge_errors=table.judge_errors[rows],
        abstentions=table.abstentions[rows],
        gold_ranks=None,
        rankings=None,
        content_hashes=None,
    )
