"""What a report says beside the run and to later steps."""

import json
from collections.abc import Mapping

import pytest

from gate.core.report import Report
from gate.github.inputs import OUTPUTS
from gate.github.remarks import outputs, remarks
from tests.factories import outcome, report
from tests.render.test_ungated import spread


def told(given: Report) -> Mapping[str, str]:
    return outputs(given, "gate-out/", comment_url="https://example.org/c/1", attempt=2)


def test_the_outputs_are_exactly_the_declared_ones() -> None:
    assert tuple(told(report())) == OUTPUTS


def test_an_absent_reason_is_empty_and_lists_are_json() -> None:
    said = told(report(verdict="pass", reason=None, regressed=()))
    assert said["reason"] == ""
    assert said["regressed"] == "[]"
    assert said["receipt-path"] == "gate-out/receipt.json"


def test_the_artifacts_name_carries_the_gate_and_the_attempt() -> None:
    assert told(report())["artifact-name"] == f"gate-{report().gate}-attempt-2"
    assert told(report())["comment-url"] == "https://example.org/c/1"


def test_an_unknown_cost_is_empty_and_not_zero() -> None:
    assert told(report(cost_usd=None))["cost-usd"] == ""
    assert told(report(cost_usd=0.25))["cost-usd"] == "0.25"


def test_metric_names_with_commas_stay_apart() -> None:
    said = told(report(regressed=("a,b", "ä")))
    assert json.loads(said["regressed"]) == ["a,b", "ä"]


@pytest.mark.parametrize(
    ("verdict", "exit_code", "level"),
    [
        ("pass", 0, "notice"),
        ("fail", 1, "error"),
        ("fail", 0, "warning"),
        ("inconclusive", 2, "error"),
        ("inconclusive", 0, "warning"),
    ],
)
def test_the_verdicts_annotation_is_an_error_exactly_where_the_step_fails(
    verdict: str, exit_code: int, level: str
) -> None:
    assert remarks(report(verdict=verdict, exit_code=exit_code))[0].level == level


def test_every_rule_that_did_not_hold_has_a_remark_of_its_own() -> None:
    held = outcome(rule="held", verdict="pass", reason=None)
    lost = outcome(rule="lost", verdict="fail", reason="threshold_missed", message="65 % < 70 %")
    unknown = outcome(rule="unknown", verdict="inconclusive", reason=None, message="nobody knows")
    said = remarks(report(verdict="fail", exit_code=1, outcomes=(held, lost, unknown)))[1:]
    assert [(one.level, one.title, one.message) for one in said] == [
        ("error", "lost: threshold_missed", "65 % < 70 %"),
        ("warning", "unknown", "nobody knows"),
    ]


def test_a_pass_that_hides_a_drop_no_rule_gates_is_a_warning() -> None:
    (first,) = remarks(spread())
    assert first.level == "warning"
    assert "which no rule gates" in first.message
