"""The report for programs: one flat JSON object with the verdict first."""

import msgspec

from gate.core.records.ecmascript import json_text
from gate.core.report import Comparison, Report
from gate.render.changes import gained_lost


def machine(report: Report) -> str:
    """What `gate run --json` prints and report.json holds: the decision and its numbers, without the plan."""
    document = {
        "schema_version": 1,
        "verdict": report.verdict,
        "reason": report.reason,
        "exit_code": report.exit_code,
        "gate": report.gate,
        "purpose": report.plan.purpose,
        "mode": report.mode,
        "regressed": report.regressed,
        "outcomes": report.outcomes,
        "comparisons": [_turned(made) for suite in report.suites for made in suite.comparisons],
        "by_type": [_turned(made) for suite in report.suites for made in suite.by_type],
        "suites": [_counts(suite) for suite in report.suites],
        "since": report.plan.since,
        "notes": report.notes,
        "cost_usd": report.cost_usd,
        "durations_ms": report.durations_ms,
        "plan_sha256": report.plan_sha256,
        "receipt-sha256": None if report.receipt_sha256 is msgspec.UNSET else report.receipt_sha256,
    }
    return json_text(msgspec.to_builtins(document), indent=2) + "\n"


def _turned(made: Comparison) -> dict[str, object]:
    """A comparison, and how many questions got better and worse: wins and losses only say greater and smaller."""
    better, worse = gained_lost(made) if made.better is not None else (None, None)
    return {**msgspec.to_builtins(made), "got_better": better, "got_worse": worse}


def _counts(suite: object) -> dict[str, object]:
    """A suite without what stands elsewhere in the report: its comparisons and its flipped questions."""
    whole = msgspec.to_builtins(suite)
    return {key: value for key, value in whole.items() if key not in ("comparisons", "by_type", "flips")}
