"""The questions whose value changed: ids only, worst first, with the gold document's rank before and after."""

from collections.abc import Sequence
from typing import Final

from gate.core.plan import Better
from gate.core.report import Flip, Report
from gate.core.wording import counted
from gate.render.changes import flip_word, gain, whole
from gate.render.dialect import Dialect
from gate.render.gated import every_comparison
from gate.render.numbers import DASH, count, scale
from gate.render.tables import Column, Row, Table, without_empty_columns

FLIPS_SHOWN: Final = 10
_NOT_FOUND: Final = 0


def flipped_table(report: Report, dialect: Dialect, *, most: int = FLIPS_SHOWN) -> Table:
    """The worst of the questions that changed: those that got worse before those that got better."""
    flips = _ordered(report)[:most]
    metrics = {flip.metric for suite in report.suites for flip in suite.flips}
    several = len(metrics) > 1 or changed_total(report) != questions_changed(report)
    columns = (
        Column("question", "left", wraps=True),
        Column("type", "left", optional=3, wraps=True),
        Column("metric", "left", optional=2),
        Column("change", "left"),
        Column("gold rank", optional=1),
    )
    rows = tuple(_row(report, flip, dialect, several=several) for flip in flips)
    return without_empty_columns(Table(columns, rows), empty=DASH)


def changed_total(report: Report) -> int:
    """How many values changed in all, shown or not."""
    return sum(max(suite.flips_total, len(suite.flips)) for suite in report.suites)


def rest_of_flips(report: Report, shown: int) -> str:
    """Where the changed questions that are not shown can be found; empty when all are shown."""
    kept = sum(len(suite.flips) for suite in report.suites)
    total = changed_total(report)
    rest = total - min(shown, kept)
    if not rest:
        return ""
    in_receipt = max(kept - shown, 0)
    if not in_receipt:
        return f"{count(rest)} more changed: the row files hold them all."
    if in_receipt == rest:
        return f"{count(rest)} more in the receipt."
    return (
        f"{count(rest)} more changed; the receipt lists {count(in_receipt)} of them, the row files hold all."
    )


def flips_summary(report: Report) -> str:
    """ "29 questions changed, the worst first"; with their values where one question changed in several metrics."""
    values, questions = changed_total(report), questions_changed(report)
    order = ", the worst first" if values > 1 else ""
    several = f" in {counted(values, 'value')}" if values != questions else ""
    return f"{counted(questions, 'question')} changed{several}{order}"


def questions_changed(report: Report) -> int:
    """How many questions changed in any listed metric, suite by suite."""
    return sum(
        max(suite.questions_changed, len({flip.question_id for flip in suite.flips}))
        for suite in report.suites
    )


def _ordered(report: Report) -> Sequence[Flip]:
    """The receipt lists them worst first, suite by suite; here losses of every suite come before gains."""
    flips = [flip for suite in report.suites for flip in suite.flips]
    return sorted(
        flips, key=lambda flip: gain(_declared(report, flip)[0], flip.candidate - flip.baseline) >= 0
    )


def _row(report: Report, flip: Flip, dialect: Dialect, *, several: bool) -> Row:
    better, unit = _declared(report, flip)
    worse = gain(better, flip.candidate - flip.baseline) < 0
    cells = (
        _question(flip, dialect),
        DASH if flip.question_type is None else dialect.label(flip.question_type),
        dialect.label(flip.metric) if several else DASH,
        _change(flip, better, unit),
        ranks(flip),
    )
    return Row(cells, None if better is None else "bad" if worse else "good")


def _question(flip: Flip, dialect: Dialect) -> str:
    """The question's id, and below it its words where the report carries them."""
    named = dialect.name(flip.question_id)
    return f"{named}\n{dialect.prose(flip.text)}" if flip.text else named


def _declared(report: Report, flip: Flip) -> tuple[Better | None, str | None]:
    """The direction and unit of a flip's metric, where any comparison of its suite states them."""
    for comparison in every_comparison(report):
        if (comparison.suite, comparison.metric) == (flip.suite, flip.metric):
            return comparison.better, comparison.unit
    return None, None


def _change(flip: Flip, better: Better | None, unit: str | None) -> str:
    word = flip_word(flip, better)
    if whole(flip) and better is not None:
        return word
    measure = scale(unit, flip.baseline, flip.candidate)
    return f"{word}, {measure.value(flip.baseline)} → {measure.value(flip.candidate)}"


def ranks(flip: Flip) -> str:
    """ "1 → 9", "4 → not found"; a dash where the rows carry no ranks."""
    if flip.rank_before is None and flip.rank_after is None:
        return DASH
    return f"{_rank(flip.rank_before)} → {_rank(flip.rank_after)}"


def _rank(rank: int | None) -> str:
    if rank is None:
        return "unknown"
    return "not found" if rank == _NOT_FOUND else count(rank)
