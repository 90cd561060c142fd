"""What a rule said, in a table cell: an icon, and the shortest true words."""

from gate.core.plan import QUESTION_TYPE, Rule
from gate.core.report import Comparison, Outcome, Report
from gate.core.wording import counted
from gate.render.advice import advice
from gate.render.changes import improved, worsened
from gate.render.dialect import Dialect
from gate.render.gated import Gated, gated_metrics, rule_of
from gate.render.numbers import Scale, scale

SIGNIFICANT = "significantly worse"
IMPROVED = "significantly better"
NOT_SIGNIFICANT = "not significant"


def outcome_cell(report: Report, gated: Gated, outcome: Outcome, dialect: Dialect) -> str:
    """ "✅ not significant", "❌ 64.96 % < 65 %", "⚠️ not measured"."""
    return f"{dialect.marks[outcome.verdict]} {_said(report, gated, outcome, dialect)}"


def significance(comparison: Comparison) -> str:
    """What the family's test says about one comparison; "not gated" where no rule asks about it."""
    if comparison.significant is None:
        return "gated by type" if comparison.gated_by_type else "not gated"
    if worsened(comparison):
        return SIGNIFICANT
    return IMPROVED if improved(comparison) else NOT_SIGNIFICANT


def against_limit(report: Report, gated: Gated, outcome: Outcome) -> str | None:
    """ "64.96 % < 65 %"; None when the outcome is not about a mean and its limit."""
    rule = rule_of(report, outcome)
    about_mean = outcome.reason in (None, "threshold_missed", "preexisting")
    if rule is None or not about_mean or outcome.value is None or outcome.limit is None:
        return None
    value, limit = _scale(gated, outcome).apart(outcome.value, outcome.limit)
    return f"{value} {_sign(rule, holds=outcome.reason is None)} {limit}"


def threshold_words(report: Report, outcome: Outcome) -> str:
    """ " (64.96 % < 65 %)", or nothing."""
    gated = next((one for one in gated_metrics(report) if outcome in one.outcomes), None)
    limit = None if gated is None else against_limit(report, gated, outcome)
    return "" if limit is None else f" ({limit})"


def is_significance(rule: Rule | None) -> bool:
    """Whether a rule asks for a significant difference."""
    return rule is not None and rule.rule == "significant"


def _said(report: Report, gated: Gated, outcome: Outcome, dialect: Dialect) -> str:
    limit = against_limit(report, gated, outcome)
    if limit is not None:
        return limit + (", as on the baseline" if outcome.reason == "preexisting" else "")
    if outcome.types and outcome.reason == "regression":
        return f"worse in {counted(len(outcome.types), 'type')}"
    if outcome.reason is None:
        return _held(rule_of(report, outcome), gated)
    known = advice(outcome.reason)
    return dialect.prose(outcome.reason) if known is None else known.short


def _held(rule: Rule | None, gated: Gated) -> str:
    if not is_significance(rule) or rule is None:
        return "holds"
    if rule.per == QUESTION_TYPE:
        return "no type " + SIGNIFICANT
    return NOT_SIGNIFICANT if gated.comparison is None else significance(gated.comparison)


def _scale(gated: Gated, outcome: Outcome) -> Scale:
    return scale(gated.unit, outcome.value, outcome.limit)


def _sign(rule: Rule, *, holds: bool) -> str:
    if rule.at_least is not None:
        return "≥" if holds else "<"
    return "≤" if holds else ">"
