"""Every reason code in a reviewer's words: what it is called, and what to do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gate.core.plan import Purpose


@dataclass(frozen=True, slots=True)
class Advice:
    """`short` fits a table cell; `happened` is the sentence when no rule says more; `action` is what to do next."""

    short: str
    happened: str
    action: str


ADVICE: Final[Mapping[str, Advice]] = {
    "threshold_missed": Advice(
        "limit missed",
        "a limit was missed",
        "Bring the metric back within its limit; the limit itself can only be changed on the base branch.",
    ),
    "regression": Advice(
        "significantly worse",
        "a metric got significantly worse",
        "Start with the questions that changed, the worst first.",
    ),
    "panel_fail": Advice(
        "panel failed it",
        "the panel of judges failed it",
        "Read the panel's dimensions, the lowest one first.",
    ),
    "expectation_failed": Advice(
        "expectation failed",
        "a pre-registered expectation did not come true",
        "Compare the outcome with the expectations file.",
    ),
    "invalid_receipt": Advice(
        "invalid receipt",
        "a receipt is not valid",
        "`gate validate` on that file names the place that is wrong.",
    ),
    "schema_mismatch": Advice(
        "wrong shape",
        "a file does not have the shape it should have",
        "`gate validate` on that file names the place that is wrong.",
    ),
    "reranker_fell_open": Advice(
        "reranker fell open",
        "the reranker gave up and results passed through unranked",
        "Repair the reranker and run again: a degraded system was measured, not this change.",
    ),
    "expansion_failed": Advice(
        "expansion failed",
        "query expansion failed",
        "Repair the expansion and run again: a degraded system was measured, not this change.",
    ),
    "vector_degraded": Advice(
        "vector search degraded",
        "vector search ran degraded",
        "Repair the vector index and run again: a degraded system was measured, not this change.",
    ),
    "errors_over_limit": Advice(
        "too many errors",
        "too many questions ended in an error",
        "Look at the errors first: what was left to measure cannot be trusted.",
    ),
    "suite_failed": Advice(
        "suite failed",
        "a suite failed to run",
        "Read the log of this run: where the system said why it failed, its last words are there.",
    ),
    "not_measured": Advice(
        "not measured",
        "a gated metric was not measured",
        "Make the run record this metric for every question; only the base branch can drop its rule.",
    ),
    "incomparable": Advice(
        "not comparable",
        "the two sides cannot be compared",
        "Measure both sides alike, or set a new baseline on purpose.",
    ),
    "preexisting": Advice(
        "missed before too",
        "a limit was missed that the baseline had missed already",
        "Not this change's doing: repair it on the base branch, or change the limit there.",
    ),
    "no_baseline": Advice(
        "no baseline",
        "there is no baseline to compare with",
        "Let the gate run once on the base branch, or name a run or a receipt under `baseline` in the config.",
    ),
    "baseline_expired": Advice(
        "baseline expired",
        "the baseline has expired",
        "Run the gate on the base branch again: that makes a fresh baseline.",
    ),
    "self_baseline": Advice(
        "its own baseline",
        "the baseline is this very run",
        "Name a baseline that was measured on another commit.",
    ),
    "too_few_pairs": Advice(
        "too few questions",
        "too few questions to tell",
        "Add questions (a panel: raise `batches`): with so few, not even the worst outcome could be told from chance.",
    ),
    "underpowered": Advice(
        "too few questions",
        "too few questions for the margin asked for",
        "Add questions, or widen the margin on the base branch.",
    ),
    "panel_inconclusive": Advice(
        "panel undecided",
        "the panel of judges could not decide",
        "Run the panel again when all of its models answer.",
    ),
    "judge_unreliable": Advice(
        "judge unreliable",
        "the judge is not reliable enough",
        "Sharpen the rubric, or replace the judge that stands apart, then run again.",
    ),
    "empty_suite": Advice(
        "no rows",
        "a suite has no rows",
        "Check the suite's rows or dataset: an empty run proves nothing.",
    ),
    "budget_exhausted": Advice(
        "budget used up",
        "the budget was used up",
        "Raise `budget-usd`, or ask fewer questions.",
    ),
    "deadline": Advice("out of time", "the deadline passed", "Raise `deadline`, or ask fewer questions."),
    "cancelled": Advice("cancelled", "the run was cancelled", "Run it again."),
    "override_expired": Advice(
        "acceptance expired",
        "the acceptance of this failure has expired",
        "Ask an owner to accept it anew, or repair what failed.",
    ),
    "not_applicable": Advice(
        "not applicable", "nothing was changed that this gate watches", "Nothing to do."
    ),
    "acknowledged": Advice(
        "accepted", "an owner accepted this failure", "Nothing to do; it stays on record."
    ),
    "identical": Advice("all tied", "every compared question scored the same", "Nothing to do."),
    "introducing": Advice(
        "first run",
        "there is nothing to compare with yet",
        "Nothing to do: once this is merged, later changes are compared with what was measured here.",
    ),
}


def advice(reason: str | None) -> Advice | None:
    """The words for a reason code; None for no reason, and for a code from a newer version."""
    return ADVICE.get(reason or "")


WATCHING: Final[Mapping[str, str]] = {
    "threshold_missed": "Look for what has changed: repair it, or change the limit.",
    "reranker_fell_open": "Repair the reranker and run again: a degraded system was measured.",
    "expansion_failed": "Repair the expansion and run again: a degraded system was measured.",
    "vector_degraded": "Repair the vector index and run again: a degraded system was measured.",
    "not_measured": "Make the run record this metric for every question.",
    "self_baseline": "Measure anew: these rows are the reference's own file.",
    "underpowered": "Add questions, or widen the margin.",
    "preexisting": "The reference missed it, too: repair it, or change the limit.",
    "no_baseline": "Accept a reference (`gate baseline accept`), or name a run or a receipt under `baseline`.",
    "baseline_expired": "Let the workflow that judges run on the default branch again, or accept a reference.",
}
"""What to do next where no change is judged but a branch is watched for drift, as far as that is something else."""

_RELEASING: Final[Mapping[str, str]] = {
    **WATCHING,
    "threshold_missed": "Bring the metric back within its limit, or change the limit.",
    "preexisting": "The baseline missed it, too: repair it, or change the limit.",
    "no_baseline": "Name a former sweep's receipt as `baseline`, or a ledger's run in the configuration.",
    "baseline_expired": "Name the receipt of a newer sweep as `baseline`.",
    "self_baseline": "Name a baseline that was measured on another commit.",
}

NEXT: Final[Mapping[Purpose, Mapping[str, str]]] = {"gate": {}, "drift": WATCHING, "sweep": _RELEASING}
"""What to do next where no pull request is judged, by what the run is for."""
