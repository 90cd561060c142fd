"""Every attempt of a repeated run beside the others: the pooled number decides, and hides none of them."""

from collections.abc import Iterator

from gate.core.report import Attempt, Report, SuiteReport
from gate.render.dialect import Dialect
from gate.render.gated import gated_metrics
from gate.render.numbers import scale


def attempt_lines(report: Report, dialect: Dialect) -> tuple[str, ...]:
    """ "`hit`: attempt 1: 40 %, attempt 2: 100 %" for every gated metric of every suite that was repeated."""
    return tuple(line for suite in report.suites for line in _of_suite(report, suite, dialect))


def _of_suite(report: Report, suite: SuiteReport, dialect: Dialect) -> Iterator[str]:
    attempts = suite.candidate.attempts
    place = f", {dialect.name(suite.name)}" if len(report.suites) > 1 else ""
    gated = (one.metric for one in gated_metrics(report) if one.suite in (None, suite))
    for metric in dict.fromkeys(gated if attempts else ()):
        shown = ", ".join(f"{dialect.prose(one.name)}: {_mean(one, metric)}" for one in attempts)
        yield f"{dialect.name(metric)}{place}: {shown}"


def _mean(attempt: Attempt, metric: str) -> str:
    found = next((mean for mean in attempt.means if mean.metric == metric), None)
    return "not measured" if found is None else scale(found.unit, found.mean).value(found.mean)
