"""Reports and their parts with realistic defaults: plain functions, every field can be overridden.

The default suite has the shape of LongMemEval-S without its abstentions: 470 questions of six types. Numbers follow
from counts alone (hits on the baseline, wins, losses), by formulas written here and nowhere taken from gate.
"""

import math
from dataclasses import dataclass
from typing import Any

from gate.core.plan import (
    BaselineRows,
    Commits,
    FileRef,
    MetricSpec,
    Plan,
    PlannedBaseline,
    PlannedSuite,
    Rule,
)
from gate.core.report import Comparison, FieldDiff, Flip, Mean, Outcome, Report, SideReport, SuiteReport

HEAD = "4f2c1aa09d3b7e65c1180f2a9b34d7e6f5a0c9b8"
BASE = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"
DIGEST = "51cc0a9b12de34f56789a0b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f"
DATASET = "08d8dad4be43ee2049a22ff5674eb86725d0ce5ff434cde2627e5e8e7e117894"
SUITE = "candidate-rows"
METRIC = "recall_all@5"

TYPES: dict[str, tuple[int, int]] = {
    "temporal-reasoning": (127, 112),
    "multi-session": (121, 110),
    "knowledge-update": (72, 70),
    "single-session-user": (64, 63),
    "single-session-assistant": (56, 55),
    "single-session-preference": (30, 28),
}
"""Question type → (questions, hits on the baseline)."""


@dataclass(frozen=True)
class Counts:
    """What a comparison of hits and misses comes down to."""

    n: int
    hits: int
    wins: int
    losses: int


def file_ref(path: str = "rows/candidate.ndjson", **overrides: Any) -> FileRef:
    return FileRef(**{"path": path, "sha256": DIGEST, "bytes": 223_114, **overrides})


def comparison(**overrides: Any) -> Comparison:
    """4 questions fixed, 2 broken, 464 the same of 470."""
    return counted_comparison(Counts(470, 438, 4, 2), **overrides)


def counted_comparison(counts: Counts, *, family: int = 1, **overrides: Any) -> Comparison:
    """A comparison of a yes-or-no metric, all its statistics from the four counts."""
    n, wins, losses = counts.n, counts.wins, counts.losses
    delta = (wins - losses) / n
    spread = math.sqrt(((wins + losses) / n - delta**2) * n / (n - 1)) if n > 1 else 0.0
    half = 1.959964 * spread / math.sqrt(n)
    p = sign_test(wins, losses)
    defaults: dict[str, Any] = {
        "suite": SUITE,
        "metric": METRIC,
        "better": "higher",
        "unit": "share",
        "n": n,
        "clusters": n,
        "nontied_clusters": wins + losses,
        "baseline_mean": counts.hits / n,
        "candidate_mean": (counts.hits + wins - losses) / n,
        "delta": delta,
        "lower95": delta - half,
        "upper95": delta + half,
        "p_value": p,
        "p_method": "monte-carlo-sign-flip" if n > 16 else "exact-sign-flip",
        "ci_method": "percentile-bootstrap",
        "smallest_attainable_p": max(2.0 ** (1 - wins - losses), 1 / 10_001) if wins + losses else 1.0,
        "wins": wins,
        "losses": losses,
        "ties": n - wins - losses,
        "gated": True,
        "holm_p_value": min(1.0, p * family),
        "detectable": (_quantile(family) + 0.841621) * spread / math.sqrt(n) if spread else None,
    }
    defaults["significant"] = defaults["holm_p_value"] <= 0.05 and abs(delta) > half
    if overrides.get("gated") is False:
        defaults |= {"holm_p_value": None, "significant": None}
    return Comparison(**{**defaults, **overrides})


def sign_test(wins: int, losses: int) -> float:
    """The two-sided exact sign test: how often a fair coin is at least as one-sided."""
    changed, fewer = wins + losses, min(wins, losses)
    tail = sum(math.comb(changed, k) for k in range(fewer + 1)) / 2.0**changed
    return min(1.0, 2 * tail)


def _quantile(family: int) -> float:
    """z[1 - 0.05 / 2m] for the family sizes used here (a table of the normal distribution)."""
    return {1: 1.959964, 2: 2.241403, 6: 2.638257, 7: 2.690110}[family]


def typed(changes: dict[str, tuple[int, int]] | None = None, **overrides: Any) -> tuple[Comparison, ...]:
    """One comparison a question type; `changes` gives (wins, losses) of the types that changed."""
    changes = changes or {}
    return tuple(
        counted_comparison(
            Counts(n, hits, *changes.get(kind, (0, 0))),
            **{"question_type": kind, "gated": False, **overrides},
        )
        for kind, (n, hits) in TYPES.items()
    )


def outcome(**overrides: Any) -> Outcome:
    """The whole metric, not significantly worse."""
    defaults: dict[str, Any] = {
        "rule": f"{METRIC} significant",
        "metric": METRIC,
        "suite": SUITE,
        "verdict": "pass",
        "reason": None,
        "message": f"no drop detected in {METRIC}",
    }
    return Outcome(**{**defaults, **overrides})


def flip(question_id: str = "q-0412", **overrides: Any) -> Flip:
    """A question that was answered and no longer is."""
    defaults: dict[str, Any] = {
        "question_type": "temporal-reasoning",
        "suite": SUITE,
        "metric": METRIC,
        "baseline": 1.0,
        "candidate": 0.0,
        "rank_before": 2,
        "rank_after": 14,
    }
    return Flip(question_id=question_id, **{**defaults, **overrides})


def mean(**overrides: Any) -> Mean:
    """440 of 470 questions answered."""
    defaults: dict[str, Any] = {
        "metric": METRIC,
        "n": 470,
        "mean": 440 / 470,
        "better": "higher",
        "unit": "share",
    }
    return Mean(**{**defaults, **overrides})


def side(**overrides: Any) -> SideReport:
    """The candidate's side: 500 rows, 30 of them abstentions."""
    defaults: dict[str, Any] = {
        "rows": file_ref(),
        "copy": file_ref("gate-out/rows/candidate-rows.candidate.ndjson"),
        "questions": 500,
        "abstentions": 30,
        "fingerprints": {"dataset_sha256": DATASET, "k": "5", "retrieval_config_hash": "9d41c07e"},
        "means": (mean(),),
    }
    return SideReport(**{**defaults, **overrides})


def baseline_side(**overrides: Any) -> SideReport:
    """The baseline's side: a ledger run two hours older."""
    defaults: dict[str, Any] = {
        "rows": file_ref("rows/baseline.ndjson"),
        "copy": file_ref("gate-out/rows/candidate-rows.baseline.ndjson"),
        "run_id": "lme-balanced-0192",
        "commit": BASE,
        "ran_at": "2026-03-02T08:04:11Z",
        "fingerprints": {"dataset_sha256": DATASET, "k": "5", "retrieval_config_hash": "71b0aa52"},
    }
    return side(**{**defaults, **overrides})


def suite_report(**overrides: Any) -> SuiteReport:
    """500 questions on both sides; 4 fixed, 2 broken."""
    defaults: dict[str, Any] = {
        "suite": "rows",
        "name": SUITE,
        "candidate": side(),
        "baseline": baseline_side(),
        "paired": 500,
        "rankings_changed": 61,
        "comparisons": (comparison(),),
        "by_type": typed({"temporal-reasoning": (3, 1), "multi-session": (1, 1)}),
        "flips": (
            flip("q-0077", question_type="multi-session", rank_before=4, rank_after=0),
            flip("q-0412", rank_before=5, rank_after=7),
            *(flip(f"q-{n:04}", baseline=0.0, candidate=1.0, rank_before=8, rank_after=n) for n in (1, 2, 3)),
            flip(
                "q-0004",
                question_type="multi-session",
                baseline=0.0,
                candidate=1.0,
                rank_before=0,
                rank_after=3,
            ),
        ),
        "flips_total": 6,
        "differs": (FieldDiff(field="retrieval_config_hash", baseline="71b0aa52", candidate="9d41c07e"),),
    }
    whole = {**defaults, **overrides}
    return SuiteReport(**{"questions_changed": whole["flips_total"], **whole})


def plan(**overrides: Any) -> Plan:
    """One suite of rows, a ledger baseline, one `significant` rule on the whole metric."""
    defaults: dict[str, Any] = {
        "config": file_ref("eval-gate.yml", bytes=612),
        "commits": Commits(head=HEAD, base=BASE),
        "suites": (PlannedSuite(suite="rows", name=SUITE, rows=file_ref()),),
        "baseline": planned_baseline(),
        "metrics": (MetricSpec(name=METRIC, better="higher", unit="share", matters=0.02),),
        "rules": (Rule(metric=METRIC, rule="significant"),),
    }
    return Plan(**{**defaults, **overrides})


def planned_baseline(**overrides: Any) -> PlannedBaseline:
    """The newest run of the ledger on the base commit."""
    defaults: dict[str, Any] = {
        "kind": "ledger",
        "source": ".gbrain-evals/eval-results.jsonl",
        "chosen": "parent of the tested merge",
        "rows": (
            BaselineRows(suite=SUITE, rows=file_ref("rows/baseline.ndjson"), run_id="lme-balanced-0192"),
        ),
    }
    return PlannedBaseline(**{**defaults, **overrides})


def report(**overrides: Any) -> Report:
    """A sealed receipt of a gate that passed; mode and gate follow the plan, exit code the verdict."""
    planned = overrides.get("plan", plan())
    verdict = overrides.get("verdict", "pass")
    exit_code = 0 if planned.mode == "advisory" else {"pass": 0, "fail": 1, "inconclusive": 2}[verdict]
    defaults: dict[str, Any] = {
        "tool_version": "0.1.0",
        "created_at": "2026-03-02T10:31:40Z",
        "gate": planned.gate,
        "mode": planned.mode,
        "verdict": verdict,
        "reason": None,
        "exit_code": exit_code,
        "plan": planned,
        "plan_sha256": DIGEST,
        "suites": (suite_report(),),
        "outcomes": (outcome(),),
        "complete": True,
        "receipt_sha256": DIGEST,
    }
    return Report(**{**defaults, **overrides})
