"""Everything that was left out, skipped or resolved on the way, counted: nothing is silent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gate.core.plan import BaselineProblem
from gate.core.report import Comparison, Report, SideReport, SuiteReport
from gate.core.wording import counted
from gate.render.dialect import Dialect
from gate.render.numbers import count
from gate.render.policy import watched

_IDS_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class LeftOut:
    """`questions` counts the questions no pair was made of; `lines` say it all, in words."""

    questions: int
    lines: tuple[str, ...]


def left_out(report: Report, dialect: Dialect, *, ids: int = _IDS_SHOWN) -> LeftOut:
    """What no number of this report speaks about, suite by suite, then what the readers noted."""
    lines = [
        f"{dialect.name(suite.name)}: {line}" if len(report.suites) > 1 else line
        for suite in report.suites
        for line in _suite(suite, dialect, ids)
    ]
    if not report.suites and report.plan.suites:
        lines.append("everything: no suite was measured")
    lines += [dialect.prose(note) for note in _run_notes(report)]
    lines += _circumstances(report)
    unpaired = sum(s.baseline_only + s.candidate_only + s.content_changed for s in report.suites)
    return LeftOut(unpaired, tuple(dict.fromkeys(lines)))


def _suite(suite: SuiteReport, dialect: Dialect, ids: int) -> Iterator[str]:
    yield from _unpaired(suite, dialect, ids)
    yield from _side("candidate", suite.candidate, dialect)
    if suite.baseline is not None:
        yield from _side("baseline", suite.baseline, dialect)
    yield from _unmeasured(suite.comparisons, dialect)
    yield from _uncompared(suite, dialect)
    yield from (dialect.prose(note) for note in suite.notes)


def _unpaired(suite: SuiteReport, dialect: Dialect, ids: int) -> Iterator[str]:
    counted_parts = (
        (suite.baseline_only, "only in the baseline"),
        (suite.candidate_only, "only in the candidate"),
        (suite.content_changed, "edited since the baseline (their content hash differs)"),
    )
    yield from (f"{counted(number, 'question')} {where}" for number, where in counted_parts if number)
    total = sum(number for number, _ in counted_parts)
    if suite.unpaired_ids and ids:
        shown = suite.unpaired_ids[:ids]
        rest = max(total, len(suite.unpaired_ids)) - len(shown)
        more = f" and {count(rest)} more" if rest else ""
        yield f"not paired: {', '.join(map(dialect.name, shown))}{more}"


def _side(side: str, found: SideReport, dialect: Dialect) -> Iterator[str]:
    counted_parts = (
        (found.errored, "question", "ended in an error and have no value"),
        (found.judge_errors, "answer", "without a judgement, counted as wrong"),
        (found.abstentions, "abstention question", "outside the denominator of recall"),
        (found.repeats, "repeat", "averaged into their questions"),
    )
    yield from (f"{side}: {counted(number, noun)} {what}" for number, noun, what in counted_parts if number)
    yield from (f"{side}: {dialect.prose(note)}" for note in found.notes)


def _unmeasured(comparisons: Iterable[Comparison], dialect: Dialect) -> Iterator[str]:
    for one in comparisons:
        if one.not_measured:
            number = counted(one.not_measured, "question")
            yield f"{dialect.name(one.metric)}: {number} without a value on one side or both"
        if one.judge_errors:
            yield f"{dialect.name(one.metric)}: {counted(one.judge_errors, 'question')} with a failed judgement"


def _uncompared(suite: SuiteReport, dialect: Dialect) -> Iterator[str]:
    """Missing values of metrics that nothing is compared with: no pair tells of them."""
    compared = {one.metric for one in suite.comparisons}
    for mean in suite.candidate.means:
        if mean.missing and mean.metric not in compared:
            yield f"{dialect.name(mean.metric)}: {counted(mean.missing, 'question')} without a value"


def _run_notes(report: Report) -> Iterator[str]:
    yield from report.notes
    for source in (report.plan.baseline, report.plan.anchor):
        if source is not None:
            yield from source.notes
            yield from map(_problem, source.problems)


def _problem(problem: BaselineProblem) -> str:
    return problem.message if problem.suite is None else f"{problem.suite}: {problem.message}"


def _circumstances(report: Report) -> Iterator[str]:
    """Ours to say: what was pooled, and what of the change is watched."""
    attempts = max((len(planned.earlier) for planned in report.plan.suites), default=0)
    if attempts:
        yield f"{counted(attempts, 'earlier attempt')} of this run pooled with the last one, as repeats"
    if watched(report):
        yield watched(report)


def left_out_summary(found: LeftOut) -> str:
    """A folded section's title: what was left out, or that nothing was."""
    if not found.lines:
        return "Left out: nothing"
    entries = counted(len(found.lines), "entry", "entries")
    unpaired = f"{counted(found.questions, 'question')} not paired, " if found.questions else ""
    return f"Left out and noted: {unpaired}{entries}"
