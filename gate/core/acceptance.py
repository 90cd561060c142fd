"""A failing verdict that an owner accepts: the verdict stands, the job may go on, everybody can see why."""

from datetime import date

from msgspec.structs import replace

from gate.core.reasons import worst
from gate.core.receipt import sealed
from gate.core.report import Acceptance, Report

SHORTEST_SHA = 7


def acknowledged(report: Report, acceptance: Acceptance, today: date) -> Report:
    """The failing report with its acceptance, sealed again: reason acknowledged, exit code 0.

    ValueError when the acceptance does not speak about this report: another head, other rules, a date that
    has passed, or nothing to accept.
    """
    refusal = why_not(report, acceptance, today)
    if refusal is not None:
        raise ValueError(refusal)
    return sealed(replace(report, reason="acknowledged", exit_code=0, acceptance=acceptance))


def unacknowledged(report: Report) -> Report:
    """The report as it was before anybody accepted it, sealed again: a stranger's receipt proves no acceptance."""
    if report.acceptance is not None:
        deciding = worst(report.outcomes)
        failed = report.verdict == "fail" and report.plan.mode != "advisory"
        reason = None if deciding is None else deciding.reason
        report = replace(report, acceptance=None, reason=reason, exit_code=int(failed))
    return sealed(replace(report, acceptance_notes=()))


def why_not(report: Report, acceptance: Acceptance, today: date) -> str | None:
    """Why an acceptance does not hold for a report; None when it does."""
    head = report.plan.commits.head or ""
    if report.verdict != "fail":
        return "there is no failing verdict to accept"
    if len(acceptance.head) < SHORTEST_SHA or not head.startswith(acceptance.head):
        return f"it accepts {acceptance.head}, but {head[:SHORTEST_SHA] or 'an unknown commit'} was judged"
    if not acceptance.reason.strip():
        return "it gives no reason"
    if date.fromisoformat(acceptance.until) < today:
        return f"it expired on {acceptance.until}"
    if acceptance.rules and set(failed_rules(report)) - set(acceptance.rules):
        return "other rules have failed since"
    return None


def failed_rules(report: Report) -> tuple[str, ...]:
    """The rules that failed, as an acceptance names them."""
    return tuple(dict.fromkeys(outcome.rule for outcome in report.outcomes if outcome.verdict == "fail"))
