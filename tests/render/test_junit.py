# The pages stand here as they are written: their lines are as long as they are.
# ruff: noqa: E501

import re
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from gate.core.report import Report
from gate.render.junit import junit
from tests.factories import outcome, plan, report
from tests.render.reports import NAMES, any_report, renamed
from tests.render.scenarios import SCENARIOS
from tests.render.test_neutral import ANY_TEXT


def parsed(made: Report) -> ElementTree.Element:
    return ElementTree.fromstring(junit(made))  # noqa: S314 - our own output


def results(made: Report) -> list[tuple[str, str | None]]:
    """Every testcase and how it ended; None = it passed."""
    kinds = ("failure", "skipped")
    return [
        (case.get("name") or "", next((kind for kind in kinds if case.find(kind) is not None), None))
        for case in parsed(made).iter("testcase")
    ]


def test_a_pass() -> None:
    assert junit(SCENARIOS["passed"]()) == snapshot("""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="default" tests="1" failures="0" errors="0" skipped="0">
  <testsuite name="candidate-rows" tests="1" failures="0" errors="0" skipped="0">
    <testcase name="recall_all@5 significant" classname="gate.default">
      <system-out>93.2 % → 93.6 %, +0.4 points [−0.6, +1.4], p 0.69, Holm p 0.69, 4 fixed, 2 broken, 464 the same (n = 470): not significant</system-out>
    </testcase>
  </testsuite>
</testsuites>
""")


def test_a_regression_in_one_type_is_one_failure_beside_types_that_held() -> None:
    assert junit(SCENARIOS["regression_in_one_type"]()) == snapshot("""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="default" tests="7" failures="2" errors="0" skipped="0">
  <testsuite name="candidate-rows" tests="7" failures="2" errors="0" skipped="0">
    <testcase name="recall_all@5 significant" classname="gate.default">
      <failure message="recall_all@5 got significantly worse" type="regression">93.2 % → 90.0 %, −3.2 points [−5.4, −1.0], p 0.0081, Holm p 0.016, 7 fixed, 22 broken, 441 the same (n = 470): significantly worse</failure>
    </testcase>
    <testcase name="recall_all@5 significant per question-type: temporal-reasoning" classname="gate.default">
      <failure message="recall_all@5 got significantly worse in temporal-reasoning" type="regression">88.2 % → 77.2 %, −11.0 points [−17.3, −4.7], p 0.0013, Holm p 0.0092, 2 fixed, 16 broken, 109 the same (n = 127): significantly worse</failure>
    </testcase>
    <testcase name="recall_all@5 significant per question-type: multi-session" classname="gate.default">
      <system-out>90.9 % → 90.9 %, 0.0 points [−4.0, +4.0], p 1, Holm p 1, 3 fixed, 3 broken, 115 the same (n = 121): not significant</system-out>
    </testcase>
    <testcase name="recall_all@5 significant per question-type: knowledge-update" classname="gate.default">
      <system-out>97.2 % → 95.8 %, −1.4 points [−6.1, +3.3], p 1, Holm p 1, 1 fixed, 2 broken, 69 the same (n = 72): not significant</system-out>
    </testcase>
    <testcase name="recall_all@5 significant per question-type: single-session-user" classname="gate.default">
      <system-out>98.4 % → 98.4 %, 0.0 points [0.0, 0.0], p 1, Holm p 1, 0 fixed, 0 broken, 64 the same (n = 64): not significant</system-out>
    </testcase>
    <testcase name="recall_all@5 significant per question-type: single-session-assistant" classname="gate.default">
      <system-out>98.2 % → 100.0 %, +1.8 points [−1.7, +5.3], p 1, Holm p 1, 1 fixed, 0 broken, 55 the same (n = 56): not significant</system-out>
    </testcase>
    <testcase name="recall_all@5 significant per question-type: single-session-preference" classname="gate.default">
      <system-out>93.3 % → 90.0 %, −3.3 points [−9.9, +3.2], p 1, Holm p 1, 0 fixed, 1 broken, 29 the same (n = 30): not significant</system-out>
    </testcase>
  </testsuite>
</testsuites>
""")


def test_what_could_not_be_decided_is_skipped_and_says_why() -> None:
    assert junit(SCENARIOS["no_baseline"]()) == snapshot("""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="default" tests="1" failures="0" errors="0" skipped="1">
  <testsuite name="candidate-rows" tests="1" failures="0" errors="0" skipped="1">
    <testcase name="recall_all@5 significant" classname="gate.default">
      <skipped message="the ledger has no completed run in mode balanced" type="no_baseline" />
    </testcase>
  </testsuite>
</testsuites>
""")


def test_an_advisory_gate_shows_the_same_verdicts() -> None:
    assert results(SCENARIOS["advisory"]()) == results(SCENARIOS["regression_in_one_type"]())


def test_a_gate_without_rules_is_no_empty_file() -> None:
    nothing = report(verdict="inconclusive", reason="empty_suite", outcomes=(), suites=())
    assert results(nothing) == [("verdict", "skipped")]
    not_applicable = report(reason="not_applicable", outcomes=(), suites=())
    assert results(not_applicable) == [("verdict", None)]
    failed = report(verdict="fail", reason="suite_failed", outcomes=(), suites=())
    assert results(failed) == [("verdict", "failure")]


def test_one_suite_of_tests_for_every_suite() -> None:
    names = [suite.get("name") for suite in parsed(SCENARIOS["two_suites"]()).iter("testsuite")]
    assert names == ["candidate-rows", "docs"]


def test_characters_that_xml_cannot_hold_are_visible() -> None:
    made = report(plan=plan(gate="a\x00b\ud800c\ufffed<&\"'"), outcomes=(outcome(message="x\x0by"),))
    root = parsed(made)
    assert root.get("name") == "aU+0000bU+D800cU+FFFEd<&\"'"


@settings(max_examples=50, suppress_health_check=list(HealthCheck), deadline=None)
@given(any_report, st.lists(ANY_TEXT, min_size=len(NAMES), max_size=len(NAMES), unique=True))
def test_any_report_becomes_a_valid_document(made: Report, texts: list[str]) -> None:
    root = parsed(renamed(made, dict(zip(NAMES, texts, strict=True))))
    assert root.tag == "testsuites"
    assert {suite.tag for suite in root} <= {"testsuite"}
    cases = list(root.iter("testcase"))
    assert cases
    assert all(case.get("name") is not None and case.get("classname") for case in cases)
    for element in (root, *root):
        inside = list(element.iter("testcase"))
        assert int(element.get("tests", "")) == len(inside)
        assert int(element.get("failures", "")) == sum(case.find("failure") is not None for case in inside)
        assert int(element.get("skipped", "")) == sum(case.find("skipped") is not None for case in inside)
        assert element.get("errors") == "0"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_failed_gate_always_has_a_failure_and_a_pass_never_has(name: str) -> None:
    made = SCENARIOS[name]()
    ended = {how for _, how in results(made)}
    expected = {
        "pass": "failure" not in ended,
        "fail": "failure" in ended,
        "inconclusive": "skipped" in ended,
    }
    assert expected[made.verdict]
    assert not re.search("[\x00-\x08]", junit(made))
