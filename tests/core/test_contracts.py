"""Contracts are recognised by content."""

import pytest

from gate.core.contracts import CONTRACTS, LINES, contract_of


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"kind": "gate-receipt", "schema_version": 1}, "gate-receipt.v1"),
        ({"schema_version": 2, "paired": []}, "compare-report.v2"),
        ({"schema_version": 2, "kind": "by_type_summary"}, "question-row.v1"),
        ({"question_id": "q1", "mode": "balanced"}, "question-row.v1"),
        ({"kind": "run_info", "k": 5}, "question-row.v1"),
        ({"schema_version": 3, "run_id": "r", "suite": "s", "mode": "n/a"}, "run-record.v3"),
        ({"schema_version": 2, "run_id": "r", "suite": "s", "mode": "n/a"}, "run-record.v3"),
        ({"version": 1, "rules": []}, "config.v1"),
        ({"suites": [], "rules": []}, "config.v1"),
        ({"schema_version": 1, "_kind": "baseline_metadata"}, "replay-baseline.v1"),
        (
            {"schema_version": 1, "tool_name": "query", "query": "q", "retrieved_slugs": []},
            "replay-capture.v1",
        ),
        ({"receipt": {"result_schema_version": 1}, "cells": []}, "brainbench-result.v1"),
        ({"receipt": {}, "cells": []}, None),
        ({"receipt": 5}, None),
        ({"fixtures_hash": "", "cells": {}, "counts": {}}, "brainbench-baseline.v1"),
        ({"rules": []}, None),
        ({"version": 1}, None),
        ({"kind": 5}, None),
        ({}, None),
        ([], None),
        ("config.v1", None),
    ],
)
def test_a_document_says_by_its_keys_what_it_means_to_be(document: object, expected: str | None) -> None:
    assert contract_of(document) == expected


def test_every_contract_says_what_it_is() -> None:
    assert all(contract.what for contract in CONTRACTS)
    assert {contract.name for contract in CONTRACTS} >= LINES
