"""The closed reason codes, and the verdict each of them gives."""

from collections.abc import Iterable, Mapping
from typing import Final

from gate.core.report import Outcome, Verdict

FAILING: Final = (
    "threshold_missed",
    "regression",
    "panel_fail",
    "expectation_failed",
    "invalid_receipt",
    "schema_mismatch",
    "reranker_fell_open",
    "expansion_failed",
    "vector_degraded",
    "errors_over_limit",
    "suite_failed",
)
INCONCLUSIVE: Final = (
    "not_measured",
    "incomparable",
    "preexisting",
    "no_baseline",
    "baseline_expired",
    "self_baseline",
    "too_few_pairs",
    "underpowered",
    "panel_inconclusive",
    "judge_unreliable",
    "empty_suite",
    "budget_exhausted",
    "deadline",
    "cancelled",
    "override_expired",
)
INFORMATIONAL: Final = ("not_applicable", "acknowledged", "identical", "introducing")

_SEVERITY: Final[Mapping[Verdict, int]] = {"pass": 0, "inconclusive": 1, "fail": 2}


def verdict_of(reason: str | None) -> Verdict:
    """The verdict a reason code stands for; KeyError on a code that is not on the list."""
    if reason is None or reason in INFORMATIONAL:
        return "pass"
    if reason in FAILING:
        return "fail"
    if reason in INCONCLUSIVE:
        return "inconclusive"
    raise KeyError(reason)


def without_metric(
    rule: str, reason: str, message: str, *, suite: str | None, value: float | None = None
) -> Outcome:
    """An outcome that is about no metric, with the verdict its reason stands for; `suite` None = the whole run."""
    return Outcome(
        rule=rule,
        metric="",
        suite=suite,
        verdict=verdict_of(reason),
        reason=reason,
        message=message,
        value=value,
    )


def worst(outcomes: Iterable[Outcome]) -> Outcome | None:
    """The outcome that decides: fail over inconclusive over pass, the first of equals; None of none."""
    found: Outcome | None = None
    for outcome in outcomes:
        if found is None or _SEVERITY[outcome.verdict] > _SEVERITY[found.verdict]:
            found = outcome
    return found
