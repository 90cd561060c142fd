"""One report for every kind of answer the gate gives: what the renderers' tests and the preview show."""

from collections.abc import Callable

from msgspec.structs import replace

from gate.core.plan import BaselineProblem, Drifted, MetricSpec, Rule
from gate.core.records.takes_receipt import DIMENSIONS
from gate.core.report import Comparison, FieldDiff, Report
from tests.factories import (
    BASE,
    METRIC,
    Counts,
    baseline_side,
    comparison,
    counted_comparison,
    flip,
    mean,
    outcome,
    plan,
    planned_baseline,
    report,
    side,
    suite_report,
    typed,
)
from tests.panel_factories import (
    MODELS,
    dimension,
    judge,
    objection,
    panel,
    panel_gate,
    panel_run,
    panel_suite,
    scored,
)

PER_TYPE = Rule(metric=METRIC, rule="significant", per="question-type")
WHOLE = Rule(metric=METRIC, rule="significant")
FLOOR = Rule(metric="ndcg@10", rule="threshold", at_least=0.65)
LATENCY = Rule(metric="latency_ms", rule="significant")
BROKEN = {
    "temporal-reasoning": (2, 16),
    "multi-session": (3, 3),
    "knowledge-update": (1, 2),
    "single-session-assistant": (1, 0),
    "single-session-preference": (0, 1),
}
RANKS = (
    (1, 9),
    (2, 14),
    (1, 0),
    (4, 0),
    (3, 8),
    (5, 11),
    (2, 6),
    (1, 7),
    (5, 0),
    (4, 6),
    (3, 12),
    (2, 0),
    (5, 6),
)


def passed() -> Report:
    """One `significant` rule on the whole metric, which holds."""
    return report()


def regression_in_one_type() -> Report:
    """The whole metric and every type are gated (a family of 7); one type broke."""
    whole = counted_comparison(Counts(470, 438, 7, 22), family=2)
    by_type = typed(BROKEN, gated=True, family=7)
    flips = tuple(
        flip(f"q-{4 * n + 112:04}", rank_before=before, rank_after=after)
        for n, (before, after) in enumerate(RANKS, start=1)
    )
    return report(
        verdict="fail",
        reason="regression",
        regressed=(f"{METRIC} (temporal-reasoning)",),
        plan=plan(rules=(WHOLE, PER_TYPE)),
        suites=(
            suite_report(
                comparisons=(whole, _ungated_answers()),
                by_type=by_type,
                flips=flips,
                flips_total=29,
                rankings_changed=143,
            ),
        ),
        outcomes=(
            outcome(
                verdict="fail",
                reason="regression",
                message=f"{METRIC} got significantly worse",
                value=-15 / 470,
            ),
            outcome(
                rule=PER_TYPE.id,
                verdict="fail",
                reason="regression",
                message=f"{METRIC} got significantly worse",
                types=("temporal-reasoning",),
                value=-14 / 127,
            ),
        ),
    )


def _ungated_answers() -> Comparison:
    return counted_comparison(Counts(500, 391, 31, 38), metric="qa_accuracy", gated=False)


def every_type_holds() -> Report:
    """The types alone are gated, a family of 6; one type changed, none is significant."""
    return report(
        plan=plan(rules=(PER_TYPE,)),
        suites=(
            suite_report(
                comparisons=(comparison(gated=False),),
                by_type=typed({"temporal-reasoning": (3, 1), "multi-session": (1, 1)}, gated=True, family=6),
            ),
        ),
        outcomes=(outcome(rule=PER_TYPE.id),),
    )


def threshold_missed() -> Report:
    """A floor of 65 % missed by 0.04 points."""
    found = _ndcg(baseline_mean=0.6581, candidate_mean=0.6496, delta=-0.0085)
    return report(
        verdict="fail",
        reason="threshold_missed",
        plan=plan(rules=(WHOLE, FLOOR)),
        suites=(suite_report(comparisons=(comparison(), found)),),
        outcomes=(
            outcome(),
            outcome(
                rule=FLOOR.id,
                metric="ndcg@10",
                verdict="fail",
                reason="threshold_missed",
                message="ndcg@10 misses its limit",
                value=0.6496,
                limit=0.65,
            ),
        ),
    )


def _ndcg(**overrides: float) -> Comparison:
    """A graded metric: 61 questions up, 78 down."""
    return comparison(
        metric="ndcg@10",
        wins=61,
        losses=78,
        ties=331,
        nontied_clusters=139,
        lower95=-0.0213,
        upper95=0.0041,
        p_value=0.1907,
        holm_p_value=None,
        significant=None,
        gated=False,
        detectable=0.0187,
        **overrides,
    )


def too_few() -> Report:
    """Four questions: no outcome could have been significant."""
    few = counted_comparison(Counts(4, 4, 0, 1), smallest_attainable_p=1.0)
    return report(
        verdict="inconclusive",
        reason="too_few_pairs",
        suites=(
            suite_report(
                candidate=side(questions=4, abstentions=0),
                baseline=baseline_side(questions=4, abstentions=0),
                paired=4,
                comparisons=(few,),
                by_type=(),
                flips=(flip("q-0003", question_type=None, rank_before=None, rank_after=None),),
                flips_total=1,
                rankings_changed=None,
            ),
        ),
        outcomes=(
            outcome(
                verdict="inconclusive",
                reason="too_few_pairs",
                message="4 paired questions are too few: no outcome could have been significant",
                value=4.0,
            ),
        ),
    )


def incomparable() -> Report:
    """The candidate was cut at another k."""
    k = FieldDiff(field="k", baseline="10", candidate="5", blocks=(METRIC,))
    message = "the two sides differ in what must be equal: k (10 → 5)"
    return report(
        verdict="inconclusive",
        reason="incomparable",
        suites=(
            suite_report(
                baseline=baseline_side(fingerprints={"k": "10"}),
                comparisons=(),
                by_type=(),
                flips=(),
                flips_total=0,
                differs=(k,),
            ),
        ),
        outcomes=(outcome(verdict="inconclusive", reason="incomparable", message=message),),
    )


def no_baseline() -> Report:
    """The ledger has no run to compare with, and the policy lets that through."""
    problem = BaselineProblem(
        reason="no_baseline", message="the ledger has no completed run in mode balanced"
    )
    return report(
        verdict="inconclusive",
        reason="no_baseline",
        exit_code=0,
        plan=plan(
            baseline=planned_baseline(chosen="", rows=(), problems=(problem,)),
            on_inconclusive={"no_baseline": "pass"},
        ),
        suites=(
            suite_report(
                baseline=None,
                paired=0,
                rankings_changed=None,
                comparisons=(),
                by_type=(),
                flips=(),
                flips_total=0,
                differs=(),
            ),
        ),
        outcomes=(outcome(verdict="inconclusive", reason="no_baseline", message=problem.message),),
    )


def advisory() -> Report:
    """The same regression, but the gate only advises."""
    found = regression_in_one_type()
    return replace(found, plan=replace(found.plan, mode="advisory"), mode="advisory", exit_code=0)


def identical() -> Report:
    """Every question scored the same and every ranking is the same."""
    return _tied(0)


def rankings_changed() -> Report:
    """Every question scored the same, but 61 rankings are not the same."""
    return _tied(61)


def _tied(rankings: int) -> Report:
    return report(
        reason="identical",
        suites=(
            suite_report(
                comparisons=(
                    counted_comparison(Counts(470, 438, 0, 0), ci_method="degenerate", p_method="degenerate"),
                ),
                by_type=typed(),
                flips=(),
                flips_total=0,
                rankings_changed=rankings,
                differs=(),
            ),
        ),
        outcomes=(outcome(reason="identical"),),
    )


def faster() -> Report:
    """Latency fell significantly: lower is better, so this is an improvement."""
    found = comparison(
        metric="latency_ms",
        better="lower",
        unit="ms",
        baseline_mean=812.44,
        candidate_mean=774.18,
        delta=-38.26,
        lower95=-55.9,
        upper95=-20.1,
        p_value=1 / 10_001,
        holm_p_value=2 / 10_001,
        significant=True,
        wins=152,
        losses=318,
        ties=0,
        nontied_clusters=470,
        detectable=26.4,
        matters=20.0,
    )
    return report(
        plan=plan(
            rules=(WHOLE, LATENCY),
            metrics=(
                MetricSpec(name=METRIC, better="higher", unit="share"),
                MetricSpec(name="latency_ms", better="lower", unit="ms", matters=20.0),
            ),
        ),
        suites=(suite_report(comparisons=(counted_comparison(Counts(470, 438, 4, 2), family=2), found)),),
        outcomes=(
            outcome(),
            outcome(rule=LATENCY.id, metric="latency_ms", message="no rise detected in latency_ms"),
        ),
    )


def introducing() -> Report:
    """The pull request that adds the gate."""
    found = no_baseline()
    rule = outcome(reason="introducing", message="there is nothing to compare with yet")
    return replace(found, verdict="pass", reason="introducing", outcomes=(rule,))


def cancelled() -> Report:
    """The run was cancelled half way."""
    found = no_baseline()
    rule = outcome(
        verdict="inconclusive", reason="cancelled", message="the run was cancelled after 212 of 500 questions"
    )
    measured = replace(found.suites[0], candidate=side(questions=212, abstentions=0, means=()))
    return replace(
        found, reason="cancelled", exit_code=2, complete=False, outcomes=(rule,), suites=(measured,)
    )


def two_suites() -> Report:
    """Two suites, one limit without a comparison, many things left out."""
    second = suite_report(
        suite="retrieval",
        name="docs",
        candidate=side(
            questions=212,
            errored=3,
            judge_errors=2,
            repeats=4,
            abstentions=0,
            means=(mean(n=209, mean=0.5),),
            notes=("3 torn lines skipped",),
        ),
        baseline=baseline_side(questions=210, abstentions=0),
        paired=205,
        baseline_only=5,
        candidate_only=7,
        content_changed=2,
        unpaired_ids=("d-1", "d-2", "d-3"),
        comparisons=(comparison(suite="docs", not_measured=3, judge_errors=2),),
        by_type=(),
        flips=(),
        flips_total=0,
        rankings_changed=None,
        notes=("2 rows without a question type",),
    )
    return report(
        suites=(suite_report(), second),
        outcomes=(outcome(), outcome(suite="docs")),
        notes=("the ledger has 1 torn line",),
        cost_usd=1.234,
        durations_ms={"suites": 81_000, "compare": 210},
    )


def panel_passes() -> Report:
    """A panel over eight batches, compared batch by batch."""
    found = panel(
        dimensions=tuple(dimension(name, before=7.7, delta=0.3, alpha=0.74) for name in DIMENSIONS),
        run=panel_run(batches=8, calls=24),
        alpha=0.71,
        units=8,
        overall_before=7.7,
        overall_delta=0.3,
    )
    compared = tuple(scored(metric=name) for name in DIMENSIONS)
    suite = panel_suite(panel=found, comparisons=compared, baseline=baseline_side(), paired=24)
    return panel_gate(suite=suite)


def panel_fails() -> Report:
    """One batch; a dimension fails on its mean, another on one judge's word; one judge did not answer."""
    found = panel(
        verdict="fail",
        reason="panel_fail",
        overall=7.4,
        dimensions=(
            dimension(before=8.0, delta=0.0),
            dimension("attribution", mean=6.3, least=6.0, failed="mean_below_7", before=7.5, delta=-1.2),
            dimension("weight_calibration", mean=7.5, least=4.0, range=6.0, sd=4.24, failed="min_below_5"),
            dimension("kind_classification"),
            dimension("signal_density"),
        ),
        judges=(judge(), judge(MODELS[1]), judge(MODELS[2], scores={}, error="provider_error")),
        unlike=("takes",),
    )
    said = (
        "the panel fails attribution (mean 6.3 of 10, 7 is needed) and weight_calibration (one score of 4, "
        "5 is needed)"
    )
    return panel_gate(objection("panel_fail", said), suite=panel_suite(panel=found))


def drifting() -> Report:
    """A drift watch whose reference lies 12 commits back: two watched files changed since, and one type broke."""
    found = regression_in_one_type()
    since = Drifted(
        reference=BASE,
        commits=12,
        changed=31,
        matched=("src/core/search/hybrid.ts", "src/core/search/rank.ts"),
        patterns=("src/core/search/",),
    )
    return replace(found, plan=replace(found.plan, purpose="drift", since=since))


SCENARIOS: dict[str, Callable[[], Report]] = {
    made.__name__: made
    for made in (
        regression_in_one_type,
        passed,
        every_type_holds,
        threshold_missed,
        too_few,
        incomparable,
        no_baseline,
        advisory,
        identical,
        rankings_changed,
        faster,
        introducing,
        cancelled,
        two_suites,
        panel_passes,
        panel_fails,
        drifting,
    )
}
