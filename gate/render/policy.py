"""Whose rules decided, what the change would do to them, and who let a failure stand."""

from typing import Final

from gate.core.report import Report
from gate.core.wording import counted
from gate.render.dialect import Dialect, listed
from gate.render.markdown import capital
from gate.render.numbers import count
from gate.render.tables import Column, Row, Table

_ATTEMPTS_SHOWN: Final = 3


def policy_notice(report: Report, dialect: Dialect) -> str:
    """What a reviewer must know about the rules and about leave to break them; empty when there is nothing to say."""
    parts = (introduced(report, dialect), _edited(report, dialect), ignored_acceptances(report, dialect))
    return " ".join(part for part in parts if part)


def introduced(report: Report, dialect: Dialect) -> str:
    """That a gate is new and judges itself; empty where the rules were there before the change."""
    policy, config = report.plan.policy, report.plan.config
    if policy.origin != "introducing":
        return ""
    file = "this configuration" if config is None else dialect.name(config.path)
    said = (
        f"Introducing the gate {dialect.name(report.gate)}: the base does not have {file},"
        " so this change is judged by the rules that it brings itself."
    )
    if not policy.others:
        return said
    known = listed(tuple(dialect.name(one) for one in policy.others))
    return f"{said} The base's own configurations are others, and decide nothing here: {known}."


def ignored_acceptances(report: Report, dialect: Dialect) -> str:
    """Who meant to accept this failure, and why it does not count; empty where one acceptance does."""
    if report.acceptance is not None:
        return ""
    newest = report.acceptance_notes[-_ATTEMPTS_SHOWN:]
    said = [f"{capital(dialect.prose(note))}." for note in newest]
    before = len(report.acceptance_notes) - len(newest)
    return " ".join([*said, f"{count(before)} more before that."] if before else said)


def _edited(report: Report, dialect: Dialect) -> str:
    changes = len(report.plan.policy.changes)
    if not changes:
        return ""
    commit = report.plan.policy.commit
    place = f" at {dialect.name(commit[:7])}" if commit else ""
    return (
        f"This change edits the gate's own configuration ({counted(changes, 'difference')})."
        f" It is judged by the configuration of its base{place}."
    )


def policy_table(report: Report, dialect: Dialect) -> Table:
    """Every place where the change's own configuration says something else than the one that decides."""
    columns = (
        Column("setting", "left", wraps=True),
        Column("decides", "left", wraps=True),
        Column("proposed", "left", wraps=True),
    )
    rows = tuple(
        Row((dialect.name(change.place), _said(change.base, dialect), _said(change.proposed, dialect)))
        for change in report.plan.policy.changes
    )
    return Table(columns, rows)


def accepted_by(report: Report, dialect: Dialect) -> str:
    """ "Accepted by `alice` until 2026-12-31: known and filed."; empty where nobody accepted anything."""
    word = report.acceptance
    if word is None:
        return ""
    return (
        f"Accepted by {dialect.name(word.by)} until {dialect.name(word.until)}: {dialect.prose(word.reason)}."
    )


def watched(report: Report) -> str:
    """How many of the changed files can affect retrieval; empty where no watch list is kept."""
    watch = report.plan.watch
    if watch is None:
        return ""
    if watch.changed is None:
        return "which files changed could not be told, so everything ran"
    return f"{len(watch.matched):,} of {counted(watch.changed, 'changed file')} watched"


def _said(value: str | None, dialect: Dialect) -> str:
    return "not set" if value is None else dialect.name(value)
