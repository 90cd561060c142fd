"""Writes schemas/gate-receipt.v1.schema.json from the report's own types; --check compares instead."""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from gate.core.reasons import FAILING, INCONCLUSIVE, INFORMATIONAL
from gate.core.report import Report

PATH = Path(__file__).parent.parent / "schemas" / "gate-receipt.v1.schema.json"


def schema() -> dict[str, Any]:
    """The JSON Schema of a gate receipt; unknown keys are allowed, so that additions break nobody."""
    made = msgspec.json.schema(Report)
    definitions = made.pop("$defs")
    report = definitions.pop("Report")
    reason = {"anyOf": [{"enum": list(FAILING + INCONCLUSIVE + INFORMATIONAL)}, {"type": "null"}]}
    definitions["Outcome"]["properties"]["reason"] = reason
    report["properties"]["reason"] = reason
    digest = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    report["properties"]["receipt-sha256"] = digest
    report["properties"]["plan_sha256"] = digest
    definitions["FileRef"]["properties"]["sha256"] = digest
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "gate-receipt.v1.schema.json",
        "title": "Gate receipt, version 1",
        "description": "One decision of the gate: its plan, its evidence, its outcomes and its verdict.",
        **{key: value for key, value in report.items() if key not in ("title", "description")},
        "required": [*report["required"], "schema_version", "kind", "complete", "receipt-sha256"],
        "$defs": dict(sorted(definitions.items())),
    }


def text() -> str:
    """The file's content."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(
            PATH.read_text() != text() and f"{PATH.name} is not current: run docs/generate_receipt_schema.py"
        )
    PATH.write_text(text())
