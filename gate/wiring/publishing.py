"""What is said to GitHub after the verdict: accepted failures, and what earlier runs measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from msgspec.structs import replace

from gate.core.acceptance import acknowledged, failed_rules, unacknowledged, why_not
from gate.core.plan import metrics_asked_for
from gate.core.receipt import sealed
from gate.core.report import Acceptance, Report
from gate.errors import EvidenceError, GateError
from gate.github import accept
from gate.github.event import Context
from gate.pipeline import differences
from gate.store.archived_rows import ArchivedRows
from gate.store.receipts import finished_receipt_of
from gate.wiring.forge import Forge


@dataclass(frozen=True, slots=True)
class Owners:
    """Who may accept a failure, on which day it is asked, and where their comments are."""

    logins: tuple[str, ...]
    today: date
    forge: Forge


def settled(report: Report, context: Context, owners: Owners) -> Report:
    """The report as it counts: a failure that an owner accepted is acknowledged, anything else is as it was.

    What was meant as an acceptance and is none is noted. When the comments cannot be read, that is noted, and
    the failure stands.
    """
    of_a_change = context.pull_number is not None and report.plan.purpose == "gate"
    if report.verdict != "fail" or not of_a_change or not _worth_asking(context, owners):
        return report
    try:
        found = _found(report, context, owners)
    except GateError as error:
        return _noted(report, (f"whether somebody accepted this could not be read: {error.message}",))
    ignored = tuple(
        f"the acceptance by {one.by} does not count: {one.why}"
        for one in found
        if isinstance(one, accept.Ignored)
    )
    report = _noted(report, ignored)
    for one in found:
        if isinstance(one, Acceptance) and why_not(report, one, owners.today) is None:
            return acknowledged(report, one, owners.today)
    return report


def validated(files: Mapping[str, bytes]) -> Report:
    """A stranger's receipt, believed only as far as its rows give the same verdict again.

    What it says about acceptances is dropped: only GitHub knows who commented what. EvidenceError when schema,
    digest or verdict do not hold.
    """
    report = finished_receipt_of(files.get("receipt.json", b""), "receipt.json")
    if report.plan.purpose != "gate":
        raise EvidenceError(
            f"the receipt is of a {report.plan.purpose}, and judges no change",
            remedy="it is not published; run the pull request's workflow again, with `command: run`",
        )
    rows = ArchivedRows(files, metrics_asked_for(report.plan))
    found = differences(report, rows)
    if found:
        raise EvidenceError(
            f"the receipt does not follow from its rows: {'; '.join(found)}",
            remedy="it is not published; run the pull request's workflow again",
        )
    return unacknowledged(report)


def _worth_asking(context: Context, owners: Owners) -> bool:
    """Where nobody may accept, comments are read only after somebody may have tried."""
    return bool(owners.logins) or context.comment is not None or context.run.attempt > 1


def _found(report: Report, context: Context, owners: Owners) -> "tuple[Acceptance | accept.Ignored, ...]":
    repository = owners.forge.repository()
    terms = accept.Terms(
        head=context.head_sha or "",
        failing=failed_rules(report),
        owners=owners.logins,
        today=owners.today,
    )
    return accept.read(repository, repository.get_issue(context.pull_number or 0), terms)


def _noted(report: Report, notes: tuple[str, ...]) -> Report:
    return sealed(replace(report, acceptance_notes=notes)) if notes else report
