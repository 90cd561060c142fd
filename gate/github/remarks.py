"""What a report says beside the run (annotations) and to later steps (outputs). Pure."""

import json
from collections.abc import Mapping
from typing import Final

from gate.core.records.ecmascript import number_text
from gate.core.report import Outcome, Report
from gate.github.artifacts import artifact_name
from gate.github.commands import Annotation, Level
from gate.render.headline import headline
from gate.render.ungated import worse_wholes

_TITLE: Final = "Retrieval Quality Gate"


def remarks(report: Report) -> tuple[Annotation, ...]:
    """The verdict first, then every rule that did not hold, and every note: nothing that matters only in the log."""
    said = headline(report)
    first = Annotation(
        level=_level(report), title=_titled(report), message=f"{said.title} {said.action}".strip()
    )
    broken = tuple(_of_rule(report, outcome) for outcome in report.outcomes if outcome.verdict != "pass")
    return (first, *broken)


def outputs(report: Report, out: str, *, comment_url: str, attempt: int) -> Mapping[str, str]:
    """The step's outputs: scalars, a JSON list, and paths relative to the workspace."""
    folder = out.rstrip("/")
    return {
        "verdict": report.verdict,
        "reason": report.reason or "",
        "regressed": json.dumps(report.regressed, ensure_ascii=False),
        "receipt-path": f"{folder}/receipt.json",
        "report-json": f"{folder}/report.json",
        "summary-path": f"{folder}/summary.md",
        "comment-url": comment_url,
        "cost-usd": "" if report.cost_usd is None else number_text(report.cost_usd),
        "artifact-name": artifact_name(f"gate-{report.gate}", attempt),
    }


def _level(report: Report) -> Level:
    """An error where the step fails, so that the annotation explains the red cross; else a remark."""
    if report.exit_code != 0:
        return "error"
    return "notice" if report.verdict == "pass" and not worse_wholes(report) else "warning"


def _titled(report: Report) -> str:
    return f"{_TITLE} ({report.gate})"


def _of_rule(report: Report, outcome: Outcome) -> Annotation:
    reason = f": {outcome.reason}" if outcome.reason else ""
    return Annotation(
        level="error" if report.exit_code != 0 and outcome.verdict == "fail" else "warning",
        title=f"{outcome.rule}{reason}",
        message=outcome.message,
    )
