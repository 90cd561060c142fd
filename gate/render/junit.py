"""The outcomes as JUnit XML, so that any CI can show them."""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree  # only builds a document here; nothing foreign is parsed

from gate.core.records.panel_figures import PanelReport
from gate.core.report import Outcome, Report, SuiteReport, Verdict
from gate.render.dialect import PLAIN
from gate.render.gated import Gated, gated_metrics
from gate.render.headline import headline
from gate.render.outcomes import against_limit, threshold_words
from gate.render.panel import panel_numbers, panels
from gate.render.sentences import in_numbers

_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WHOLE_GATE: Final = "gate"


def junit(report: Report) -> str:
    """One testsuite a suite, one testcase a rule (and type); the gate's own verdict is the first testcase.

    A rule that failed is a `failure`. A rule that could not be decided is `skipped`, with its reason: it found
    nothing against the change, so it is no failure, and it did not break, so it is no error; whether it blocks is
    the policy's business, and the exit code says that. Advisory mode shows the same verdicts. What XML 1.0 cannot
    hold is written as U+XXXX. A duration that was not measured is left out.
    """
    root = ElementTree.Element("testsuites", name=_visible(report.gate))
    suites: dict[str, list[ElementTree.Element]] = {suite.name: [] for suite in report.suites}
    for outcome in report.outcomes:
        suites.setdefault(outcome.suite or _WHOLE_GATE, []).extend(_cases(report, outcome))
    for judged, panel in panels(report):
        suites[judged.name].extend(_judged(report, judged, panel))
    if report.plan.purpose == "drift" or not any(
        outcome.verdict == report.verdict for outcome in report.outcomes
    ):
        suites.setdefault(_WHOLE_GATE, []).append(_verdict(report))
    for name, cases in suites.items():
        _add_suite(root, name, cases)
    _count(root, list(root.iter("testcase")))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_suite(root: ElementTree.Element, name: str, cases: list[ElementTree.Element]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=_visible(name))
    _count(suite, cases)
    suite.extend(cases)


def _count(element: ElementTree.Element, cases: list[ElementTree.Element]) -> None:
    found = {kind: sum(case.find(kind) is not None for case in cases) for kind in ("failure", "skipped")}
    element.set("tests", str(len(cases)))
    element.set("failures", str(found["failure"]))
    element.set("errors", "0")
    element.set("skipped", str(found["skipped"]))


def _verdict(report: Report) -> ElementTree.Element:
    """The gate itself, where no rule carries its verdict: an empty file would look like a pass.

    A drift watch always has one: that it drifts, or does not, is what it was asked.
    """
    told = headline(report, PLAIN)
    name = "drift" if report.plan.purpose == "drift" else "verdict"
    return _case(
        report, name, report.verdict, f"{told.title} {told.action}", reason=report.reason, numbers=""
    )


def _cases(report: Report, outcome: Outcome) -> Iterator[ElementTree.Element]:
    gated = next((one for one in gated_metrics(report) if outcome in one.outcomes), None)
    said = outcome.message + threshold_words(report, outcome)
    if gated is not None and outcome.types:
        yield from _by_type(report, gated, outcome)
        return
    numbers = "" if gated is None else _numbers(report, gated, outcome)
    yield _case(report, outcome.rule, outcome.verdict, said, reason=outcome.reason, numbers=numbers)


def _numbers(report: Report, gated: Gated, outcome: Outcome) -> str:
    """The mean and its limit, or the comparison that the rule looked at."""
    limit = against_limit(report, gated, outcome)
    if limit is not None:
        return limit
    return "" if gated.comparison is None else in_numbers(gated.comparison)


def _judged(report: Report, suite: SuiteReport, panel: PanelReport) -> Iterator[ElementTree.Element]:
    """One testcase a dimension; where the panel itself came to no verdict, its dimensions have none either."""
    for one in panel.dimensions:
        held: Verdict = (
            "inconclusive" if panel.verdict == "inconclusive" else "fail" if one.failed else "pass"
        )
        numbers = panel_numbers(suite, one)
        reason = None if held == "pass" else one.failed or panel.reason
        yield _case(report, f"panel: {one.name}", held, numbers, reason=reason, numbers=numbers)


def _by_type(report: Report, gated: Gated, outcome: Outcome) -> Iterator[ElementTree.Element]:
    """A rule that types broke: one testcase a type, those that broke it first."""
    known = {one.question_type: in_numbers(one) for one in gated.by_type}
    for kind in dict.fromkeys([*outcome.types, *(one or "" for one in known)]):
        broke = kind in outcome.types
        yield _case(
            report,
            f"{outcome.rule}: {kind}",
            outcome.verdict if broke else "pass",
            f"{outcome.message} in {kind}",
            reason=outcome.reason if broke else None,
            numbers=known.get(kind, ""),
        )


def _case(
    report: Report, name: str, verdict: Verdict, message: str, *, reason: str | None, numbers: str
) -> ElementTree.Element:
    case = ElementTree.Element("testcase", name=_visible(name), classname=_visible(f"gate.{report.gate}"))
    said = _visible(message)
    if verdict == "fail":
        failure = ElementTree.SubElement(case, "failure", message=said, type=_visible(reason or verdict))
        failure.text = numbers or said
    elif verdict == "inconclusive":
        ElementTree.SubElement(case, "skipped", message=said, type=_visible(reason or verdict))
    elif numbers:
        ElementTree.SubElement(case, "system-out").text = numbers
    return case


def _visible(text: str) -> str:
    return _NOT_XML.sub(lambda found: f"U+{ord(found[0]):04X}", text)
