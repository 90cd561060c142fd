"""What a LongMemEval run came to, as a table for a terminal."""

from collections.abc import Mapping

from gate.core.longmemeval.summary import Judged, Summary
from gate.core.wording import counted
from gate.render.dialect import PLAIN
from gate.render.numbers import DASH, SHARE, scale
from gate.render.palette import NO_COLOUR
from gate.render.tables import Column, Row, Table
from gate.render.text_table import text_table

_WIDTH = 100
_COLUMNS = (
    Column("question type", "left"),
    Column("questions"),
    Column("all sessions found"),
    Column("any session found"),
)


def recall_table(summary: Summary) -> str:
    """Recall by question type and as a whole, and what stands outside of it."""
    rows = [_row(PLAIN.label(kind), each) for kind, each in summary.recall_by_type.items()]
    table = Table(_COLUMNS, (*rows, _row(f"all, k = {summary.run.k}", summary.aggregate)))
    outside = (
        (summary.excluded_abstention, "to abstain from, outside recall"),
        (summary.errors, "with errors"),
        (summary.left, "not asked"),
    )
    said = [f"{counted(count, 'question')} {what}" for count, what in outside if count]
    return "\n".join([text_table(table, width=_WIDTH, palette=NO_COLOUR), *said, _answers(summary.answers)])


def _answers(judged: Judged | None) -> str:
    if judged is None:
        return "qa_accuracy: not measured, the rows hold no judgement of an answer"
    unjudged = judged.questions - judged.judged
    besides = f"; {counted(unjudged, 'answer')} not judged, counted as wrong" if unjudged else ""
    return f"qa_accuracy: {_share(judged.accuracy)}, {judged.correct} of {judged.questions} right{besides}"


def _row(name: str, counts: Mapping[str, object]) -> Row:
    return Row((name, str(counts["total"]), _share(counts["all_rate"]), _share(counts["any_rate"])))


def _share(rate: object) -> str:
    return scale(SHARE, rate).value(rate) if isinstance(rate, float) else DASH
