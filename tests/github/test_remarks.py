"""What a report says beside the run and to later steps."""

import json

import pytest

from gate.github.inputs import OUTPUTS
from gate.github.remarks import outputs, remarks
from tests.factories import outcome, report


def test_the_outputs_are_exactly_the_declared_ones() -> None:
    assert tuple(outputs(report(), "gate-out")) == OUTPUTS


def test_an_absent_reason_is_empty_and_lists_are_json() -> None:
    said = outputs(report(verdict="pass", reason=None, regressed=()), "gate-out/")
    assert said["reason"] == ""
    assert said["regressed"] == "[]"
    assert said["receipt-path"] == "gate-out/receipt.json"


def test_metric_names_with_commas_stay_apart() -> None:
    said = outputs(report(regressed=("a,b", "ä")), "gate-out")
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
