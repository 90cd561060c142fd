"""Writes docs/verdicts.md from the closed lists of reason codes; --check compares instead."""

import sys
from collections.abc import Mapping
from pathlib import Path

from gate.core.reasons import FAILING, INCONCLUSIVE, INFORMATIONAL

PAGE = Path(__file__).with_name("verdicts.md")

MEANING: Mapping[str, str] = {
    "threshold_missed": "A metric's mean is beyond its limit, and the baseline's was not.",
    "regression": "A gated metric got significantly worse, as a whole or in a question type.",
    "panel_fail": "The takes-quality panel scored a dimension too low.",
    "expectation_failed": "A pre-registered expectation did not hold.",
    "invalid_receipt": "The baseline's receipt is broken, or was changed after it was written.",
    "schema_mismatch": "The baseline's receipt has a version this gate does not know.",
    "reranker_fell_open": "A run asked for with the reranker silently ran without it.",
    "expansion_failed": "Query expansion was asked for and failed.",
    "vector_degraded": "Vector search was asked for and was not there for every question.",
    "errors_over_limit": "More questions ended in an error than `limits.errors` allows.",
    "suite_failed": "A suite could not run to its end.",
    "not_measured": "No value for a gated metric, or far fewer than the baseline has.",
    "incomparable": (
        "The two sides differ in what must be equal: dataset, corpus, k, judge, unit, scale, questions. Where the rows "
        "of both carry a `content_hash`, another dataset does not count: unchanged questions are compared, the others "
        "listed."
    ),
    "preexisting": "A limit is missed that the baseline already missed.",
    "no_baseline": "There is nothing to compare with, or it cannot be read.",
    "baseline_expired": "The baseline was uploaded once and is past its retention.",
    "self_baseline": "The baseline is the candidate's own file.",
    "too_few_pairs": "So few questions that no outcome could have been significant.",
    "underpowered": "Too few questions for the margin that was asked for.",
    "panel_inconclusive": "Too few judges of the panel gave usable scores.",
    "judge_unreliable": "The judges disagree more than the configured floor allows.",
    "empty_suite": "A suite has no rows.",
    "budget_exhausted": "The money ran out before the run was done.",
    "deadline": "The time ran out before the run was done.",
    "cancelled": "The run was stopped.",
    "override_expired": "An acceptance has expired; the verdict it accepted stands.",
    "not_applicable": "Nothing that the gate watches has changed.",
    "acknowledged": "An owner accepted the failure: who, why and until when stand in the comment.",
    "identical": "Every gated value is the same on both sides.",
    "introducing": "This change brings the gate; there cannot be a baseline yet.",
}

INTRODUCTION = """\
# Verdicts and reasons

The verdict is `pass`, `fail` or `inconclusive`. Every rule gives one outcome, the worst one decides: fail over
inconclusive over pass. Each outcome carries one of these reason codes, or none when the rule simply held.

An inconclusive run exits with 2 unless `on-inconclusive` lets its reasons through; the verdict stays inconclusive
either way. `mode: advisory` exits with 0 whatever the verdict. Codes: [exit-codes.md](exit-codes.md).

This page is written by `python docs/generate_verdicts.py`.
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for title, codes in (
        ("Fail", FAILING),
        ("Inconclusive", INCONCLUSIVE),
        ("Pass, with a remark", INFORMATIONAL),
    ):
        rows = [f"| `{code}` | {MEANING[code]} |" for code in codes]
        parts.append(
            "\n".join([f"## {title}\n", "| reason | what it means |", "| --- | --- |", *rows]) + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text() != page() and f"{PAGE.name} is not current: run docs/generate_verdicts.py")
    PAGE.write_text(page())
