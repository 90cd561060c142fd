"""A panel's verdict as a gate's suite states it: objections in closed reason codes, in a reviewer's words."""

from typing import Final

from msgspec import UNSET

from gate.core.judging.conclusion import Rules
from gate.core.judging.panel import quorum
from gate.core.judging.reliability import Measured, unreliable
from gate.core.judging.rubric import Rubric
from gate.core.records.ecmascript import number_text
from gate.core.records.objection_texts import fitted
from gate.core.records.objections import Objection
from gate.core.records.takes_receipt import TakesReceipt

RULE: Final = "the panel passes the takes"


def objections(receipt: TakesReceipt, rules: Rules) -> tuple[Objection, ...]:
    """What the panel holds against the takes, or what keeps it from a verdict; none where it passed.

    A run that was stopped before it could decide is a shortfall of the run, no objection of the panel.
    """
    reason = str(receipt.others.get("reason") or "")
    if receipt.verdict == "pass":
        return ()
    if receipt.verdict == "fail":
        return (_objection("panel_fail", f"the panel fails {_failing(receipt, rules.rubric)}"),)
    if reason == "judge_unreliable":
        return (
            _objection(
                reason, f"the judges disagree too much to be believed: {_disagreement(receipt, rules)}"
            ),
        )
    if reason == "panel_inconclusive":
        return (_objection(reason, _too_few(receipt, rules.rubric)),)
    return ()


def measured_alpha(receipt: TakesReceipt) -> float | None:
    """Agreement over all dimensions, as a receipt of this program holds it; None = it cannot be told."""
    found = receipt.others.get("agreement_alpha")
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def not_asked(message: str) -> Objection:
    """The panel could not be asked at all."""
    return _objection("not_measured", message)


def _objection(reason: str, message: str) -> Objection:
    (short,) = fitted([Objection(rule=RULE, reason=reason, message=message)])
    return short


def _failing(receipt: TakesReceipt, rubric: Rubric) -> str:
    """Every dimension that failed, the lowest mean first."""
    failed = [(name, each) for name, each in receipt.scores.items() if each.fail_reason is not UNSET]
    return " and ".join(
        f"{name} ({_short_of(each.mean, each.min, rubric)})"
        for name, each in sorted(failed, key=lambda one: one[1].mean)
    )


def _short_of(mean: float, least: float, rubric: Rubric) -> str:
    if mean < rubric.pass_mean:
        return f"mean {number_text(mean)} of 10, {number_text(rubric.pass_mean)} is needed"
    return f"one score of {number_text(least)}, {number_text(rubric.pass_floor)} is needed"


def _disagreement(receipt: TakesReceipt, rules: Rules) -> str:
    dimensions = {} if receipt.agreement is UNSET else receipt.agreement
    found = Measured(dimensions=dimensions, alpha=measured_alpha(receipt))
    return unreliable(found, rules.floor) or receipt.verdict_message


def _too_few(receipt: TakesReceipt, rubric: Rubric) -> str:
    usable = receipt.successes_per_cycle[-1] if receipt.successes_per_cycle else 0
    panel = len(receipt.models)
    needed = quorum(panel, rubric)
    return f"only {usable} of {panel} judges gave all scores, {needed} are needed"
