"""What gbrain reports is read as it prints it, and a pass that measured nothing is none."""

import json
from typing import Any

import pytest

from gate.core.replay.captures import read_captures
from gate.core.replay.reported import (
    ReportError,
    matched,
    objections,
    read_gate_report,
    read_replay_report,
)
from tests.core.replay.captures import lines, row

CAPTURES = read_captures(lines(row())).captures


def result(**overrides: object) -> dict[str, object]:
    return {
        "id": 7,
        "tool_name": "query",
        "query": "who runs widget-co",
        "jaccard": 1,
        "top1Match": True,
        "captured_slugs": ["people/a", "people/b"],
        "current_slugs": ["people/a", "people/b"],
        "current_latency_ms": 21,
        "latency_delta_ms": 1,
        **overrides,
    }


def report(*results: object) -> dict[str, object]:
    return {"schema_version": 1, "summary": {"rows_total": 1}, "results": results or [result()]}


def gate(**overrides: Any) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "verdict": "pass",
        "regression_gate": {"ran": True, "summary": {"rows_replayed": 12, "rows_errored": 0}},
        "correctness_gate": {"ran": False},
        **overrides,
    }


@pytest.mark.parametrize(
    "output",
    [
        json.dumps(report()).encode(),
        json.dumps(report(), indent=2).encode(),
        b'warming up\n{"phase":"start"}\n' + json.dumps(report()).encode() + b"\ndone\n",
    ],
)
def test_a_report_is_found_over_one_line_or_several(output: bytes) -> None:
    assert matched(read_replay_report(output), CAPTURES)[0].current_slugs == ("people/a", "people/b")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (b"", "no JSON object with `summary`"),
        (b"[1]\n", "no JSON object with `summary`"),
        (b'{"status":"error","code":"not_found"}\n', "no JSON object with `summary`"),
        (b'{"schema_version":1,"summary":{}}\n', "missing required field `results`"),
        (json.dumps(report(result(current_slugs="many"))).encode(), "current_slugs"),
    ],
)
def test_anything_else_is_no_report(output: bytes, said: str) -> None:
    with pytest.raises(ReportError, match=said):
        read_replay_report(output)


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ((result(), result()), "expected 1 results, found 2"),
        ((result(query="other"),), r"results\[0\] is not about the capture"),
        ((result(tool_name="search"),), r"results\[0\] is not about the capture"),
    ],
)
def test_a_report_about_other_queries_is_refused(results: tuple[object, ...], said: str) -> None:
    with pytest.raises(ReportError, match=said):
        matched(read_replay_report(json.dumps(report(*results)).encode()), CAPTURES)


def objected(**overrides: Any) -> tuple[str, ...]:
    return objections(read_gate_report(json.dumps(gate(**overrides)).encode()))


def test_a_gate_that_measured_and_found_nothing_is_a_pass() -> None:
    assert objected() == ()


def test_every_breach_is_named() -> None:
    breaches = [
        {"metric": "mean_jaccard", "observed": 0.5, "threshold": 0.85},
        {"metric": "baseline_parse", "reason": "baseline_unreadable", "error_tail": "x"},
        {"metric": "replay_in_process"},
    ]
    assert objected(
        verdict="fail",
        regression_gate={"ran": True, "summary": {"rows_replayed": 1}, "breaches": breaches},
    ) == (
        "mean_jaccard: 0.5, the threshold is 0.85",
        "baseline_parse: baseline_unreadable",
        "replay_in_process: missed",
        "its own verdict is fail",
    )


def test_errors_count_against_a_gate_that_says_pass() -> None:
    summary = {"rows_replayed": 11, "rows_errored": 1}
    assert objected(regression_gate={"ran": True, "summary": summary}) == ("replay: 1 queries are errors",)
    qrels = {"queries_run": 0, "queries_errored": 3}
    assert objected(correctness_gate={"ran": True, "summary": qrels}) == (
        "qrels: 3 queries are errors",
        "qrels: nothing was measured",
    )


def test_a_gate_that_did_not_run_is_no_pass() -> None:
    assert objected(regression_gate={"ran": False}) == ("neither half of the gate ran",)


def test_a_gate_without_a_verdict_is_no_report() -> None:
    with pytest.raises(ReportError, match="no JSON object with `verdict`"):
        read_gate_report(b"{}")
