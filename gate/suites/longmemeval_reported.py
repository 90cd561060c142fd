"""LongMemEval questions that gbrain has asked itself: its rows become ours, one a question, in our order."""

from collections.abc import Callable, Collection
from typing import Final

from gate.core.longmemeval.haystack import haystack_of
from gate.core.longmemeval.question import Listed
from gate.core.longmemeval.reported import Reported, ReportedRow, reported_row
from gate.core.longmemeval.row import failed_row
from gate.core.records.system import Degradation
from gate.suites.guards import Feature, degradations
from gate.suites.longmemeval import COLLIDED, Task

_FEATURE: Final[dict[Degradation, Feature]] = {
    "vector_degraded": "vector",
    "reranker_fell_open": "reranker",
    "expansion_failed": "expansion",
}


def write_reported(
    task: Task, reported: Reported, write: Callable[[bytes], None], *, missing: str | None
) -> None:
    """Write a row for every question that is left.

    `missing` is the error of one that gbrain has no row of; None = it was not asked, and gets no row. What
    gbrain counts as gone without is looked for in every row, as if it had been required.
    """
    required = frozenset((*task.required, *(_FEATURE[code] for code in reported.lacking)))
    for listed in task.todo:
        told = reported.rows.get(listed.id)
        if told is not None:
            write(_row(task, listed, told, required))
        elif missing is not None:
            write(failed_row(task.run, listed, missing))


def _row(task: Task, listed: Listed, told: ReportedRow, required: Collection[Feature]) -> bytes:
    question = task.questions.take(listed.id)
    haystack = haystack_of(question)
    if haystack.collided_gold:
        return failed_row(task.run, listed, COLLIDED, haystack)
    if told.error is not None:
        said = f": {told.error}" if task.run.show_text else ""
        return failed_row(task.run, listed, f"refused: gbrain answered with an error{said}", haystack)
    reply = told.reply
    strangers = sum(hit.doc_id not in haystack.session_of for hit in reply.hits)
    if strangers:
        said = f"unknown_id: {strangers} of {len(reply.hits)} hits name sessions that this question has not"
        return failed_row(task.run, listed, said, haystack)
    return reported_row(task.run, question, haystack, told, sorted(degradations(reply, required)))
