"""Any report a receipt could hold: hypothesis strategies, and a way to put evil text where names stand."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from hypothesis import strategies as st

from gate.core.plan import (
    BaselineProblem,
    Commits,
    Drifted,
    FileRef,
    MetricSpec,
    Plan,
    PlannedBaseline,
    PlannedSuite,
    PolicyChange,
    PolicySource,
    Rule,
    Stats,
    Watched,
)
from gate.core.reasons import FAILING, INCONCLUSIVE, INFORMATIONAL
from gate.core.records.panel_figures import PanelDimension, PanelJudge, PanelReport, PanelRun
from gate.core.report import (
    Acceptance,
    Comparison,
    FieldDiff,
    Flip,
    Mean,
    Outcome,
    Report,
    SideReport,
    SuiteReport,
)

NAMES = [f"name{number}z" for number in range(12)]
_NAME = re.compile(r"name\d+z")

names = st.sampled_from(NAMES)
numbers = st.one_of(
    st.floats(0, 1),
    st.floats(-1e4, 1e4),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 1.0, -1.0, 1e-9]),
)
counts = st.integers(0, 2_000)
shares = st.floats(0, 1)
betters = st.sampled_from(["higher", "lower", None])
units = st.sampled_from(["share", "ms", None, NAMES[0]])
verdicts = st.sampled_from(["pass", "fail", "inconclusive"])
reasons = st.sampled_from([None, *FAILING, *INCONCLUSIVE, *INFORMATIONAL, NAMES[1]])
optional_names = st.none() | names
optional_numbers = st.none() | numbers


def tuples(of: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=most).map(tuple)


file_refs = st.builds(FileRef, path=names, sha256=names, bytes=counts, commit=optional_names)
metric_specs = st.builds(MetricSpec, name=names, better=betters, unit=units, matters=optional_numbers)
rules = st.builds(
    Rule,
    metric=names,
    rule=st.sampled_from(["significant", "threshold"]),
    per=st.sampled_from([None, "question-type"]),
    at_least=optional_numbers,
    at_most=optional_numbers,
    suite=optional_names,
)
baselines = st.builds(
    PlannedBaseline,
    kind=st.just("ledger"),
    source=names,
    chosen=st.just("") | names,
    problems=tuples(st.builds(BaselineProblem, reason=names, message=names, suite=optional_names), 2),
    notes=tuples(names, 2),
)
policies = st.builds(
    PolicySource,
    origin=st.sampled_from(["own", "base", "introducing"]),
    commit=optional_names,
    changes=tuples(st.builds(PolicyChange, place=names, base=optional_names, proposed=optional_names)),
)
watches = st.builds(Watched, patterns=tuples(names), changed=st.none() | counts, matched=tuples(names))
since = st.builds(
    Drifted,
    reference=optional_names,
    commits=st.none() | counts,
    changed=st.none() | counts,
    matched=tuples(names),
    local=tuples(names),
    patterns=tuples(names),
    unknown=tuples(names),
)
planned_suites = st.builds(
    PlannedSuite, suite=names, name=names, earlier=tuples(file_refs, 2), anchored=optional_names
)
plans = st.builds(
    Plan,
    policy=policies,
    watch=st.none() | watches,
    since=st.none() | since,
    purpose=st.sampled_from(["gate", "drift", "sweep"]),
    anchor=st.none() | baselines,
    suites=tuples(planned_suites, 2),
    gate=names,
    mode=st.sampled_from(["blocking", "advisory"]),
    config=st.none() | file_refs,
    commits=st.builds(Commits, head=optional_names, base=optional_names),
    baseline=st.none() | baselines,
    metrics=tuples(metric_specs),
    rules=tuples(rules),
    on_inconclusive=st.dictionaries(names, st.sampled_from(["pass", "fail"]), max_size=2),
    stats=st.builds(Stats, draws=counts, seed=st.integers(0, 2**32)),
)


def comparisons(question_type: st.SearchStrategy[str | None]) -> st.SearchStrategy[Comparison]:
    return st.builds(
        Comparison,
        suite=names,
        metric=names,
        question_type=question_type,
        better=betters,
        unit=units,
        matters=optional_numbers,
        n=counts,
        clusters=counts,
        nontied_clusters=counts,
        baseline_mean=numbers,
        candidate_mean=numbers,
        delta=numbers,
        lower95=optional_numbers,
        upper95=optional_numbers,
        p_value=shares,
        p_method=st.sampled_from(["exact-sign-flip", "degenerate", NAMES[2]]),
        ci_method=st.sampled_from(["percentile-bootstrap", "degenerate", NAMES[2]]),
        smallest_attainable_p=shares,
        wins=counts,
        losses=counts,
        ties=counts,
        holm_p_value=st.none() | shares,
        significant=st.sampled_from([None, True, False]),
        gated=st.booleans(),
        detectable=optional_numbers,
        not_measured=counts,
        judge_errors=counts,
    )


outcomes = st.builds(
    Outcome,
    rule=names,
    metric=st.just("") | names,
    suite=optional_names,
    verdict=verdicts,
    reason=reasons,
    message=names,
    types=tuples(names, 4),
    value=optional_numbers,
    limit=optional_numbers,
)
ranks = st.none() | st.integers(0, 1_000)
flips = st.builds(
    Flip,
    question_id=names,
    question_type=optional_names,
    suite=names,
    metric=names,
    baseline=numbers,
    candidate=numbers,
    rank_before=ranks,
    rank_after=ranks,
)
diffs = st.builds(
    FieldDiff, field=names, baseline=optional_names, candidate=optional_names, blocks=tuples(names, 5)
)
sides = st.builds(
    SideReport,
    rows=st.none() | file_refs,
    copy=st.none() | file_refs,
    run_id=optional_names,
    commit=optional_names,
    ran_at=st.sampled_from(
        [None, NAMES[3], "2026-03-01T00:00:00Z", "2026-03-01T00:00:00", "2027-01-01T00:00:00Z"]
    ),
    questions=counts,
    repeats=counts,
    errored=counts,
    judge_errors=counts,
    abstentions=counts,
    fingerprints=st.dictionaries(st.sampled_from(["k", "dataset_sha256", "judge_model"]), names, max_size=3),
    means=tuples(st.builds(Mean, metric=names, n=counts, mean=numbers, better=betters, unit=units)),
    notes=tuples(names, 2),
)
panels = st.builds(
    PanelReport,
    receipt=file_refs,
    verdict=verdicts,
    reason=optional_names,
    overall=optional_numbers,
    overall_before=optional_numbers,
    overall_delta=optional_numbers,
    dimensions=tuples(
        st.builds(
            PanelDimension,
            name=names,
            mean=numbers,
            least=numbers,
            greatest=numbers,
            failed=optional_names,
            before=optional_numbers,
            delta=optional_numbers,
            range=optional_numbers,
            sd=optional_numbers,
            alpha=optional_numbers,
        )
    ),
    judges=tuples(
        st.builds(
            PanelJudge,
            model=names,
            scores=st.dictionaries(names, numbers, max_size=2),
            error=optional_names,
        )
    ),
    alpha=optional_numbers,
    units=counts,
    run=st.builds(
        PanelRun,
        source=names,
        slug_prefix=optional_names,
        takes=counts,
        eligible=st.none() | counts,
        batches=counts,
        cycles=counts,
        cycle_policy=st.sampled_from(["last", "all", "median"]),
        calls=st.none() | counts,
        replayed=counts,
        corrections=counts,
        charged_at_bound=counts,
    ),
    cost_usd=optional_numbers,
    budget_usd=optional_numbers,
    unpriced=tuples(names),
    rubric_version=names,
    rubric_sha8=names,
    corpus_sha8=names,
    prompt_sha8=names,
    models_sha8=names,
    unlike=tuples(st.just("rubric") | names, 2),
)
suites = st.builds(
    SuiteReport,
    panel=st.none() | panels,
    suite=names,
    name=names,
    candidate=sides,
    baseline=st.none() | sides,
    paired=counts,
    baseline_only=counts,
    candidate_only=counts,
    content_changed=counts,
    unpaired_ids=tuples(names, 12),
    rankings_changed=st.none() | counts,
    comparisons=tuples(comparisons(st.none())),
    by_type=tuples(comparisons(names), 10),
    flips=tuples(flips, 12),
    flips_total=counts,
    differs=tuples(diffs),
    notes=tuples(names, 2),
)
acceptances = st.builds(Acceptance, by=names, reason=names, until=names, head=names)
reports = st.builds(
    Report,
    acceptance=st.none() | acceptances,
    tool_version=st.just("0.1.0"),
    created_at=st.sampled_from(["2026-03-02T10:31:40Z", NAMES[3]]),
    gate=names,
    mode=st.sampled_from(["blocking", "advisory"]),
    verdict=verdicts,
    reason=reasons,
    exit_code=st.sampled_from([0, 1, 2]),
    plan=plans,
    plan_sha256=names,
    suites=tuples(suites, 2),
    outcomes=tuples(outcomes, 5),
    notes=tuples(names, 2),
    cost_usd=st.none() | numbers,
    durations_ms=st.dictionaries(names, counts, max_size=2),
    complete=st.booleans(),
    receipt_sha256=st.just(msgspec.UNSET) | names,
)


def consistent(report: Report) -> Report:
    """The same report where outcomes name rules, metrics and suites that there are, as in every receipt of ours."""
    if not report.plan.rules or not report.suites:
        return report
    fitted = tuple(
        msgspec.structs.replace(
            outcome,
            rule=(rule := report.plan.rules[number % len(report.plan.rules)]).id,
            metric=rule.metric,
            suite=report.suites[number % len(report.suites)].name,
        )
        for number, outcome in enumerate(report.outcomes)
    )
    return msgspec.structs.replace(
        report, outcomes=fitted, suites=tuple(_about(suite, report) for suite in report.suites)
    )


def _about(suite: SuiteReport, report: Report) -> SuiteReport:
    """Every suite measures the first rule's metric."""
    metric = report.plan.rules[0].metric
    same = {"metric": metric, "suite": suite.name}
    return msgspec.structs.replace(
        suite,
        comparisons=tuple(msgspec.structs.replace(one, **same) for one in suite.comparisons[:1]),
        by_type=tuple(msgspec.structs.replace(one, **same) for one in suite.by_type),
        flips=tuple(msgspec.structs.replace(one, **same) for one in suite.flips),
    )


any_report = st.one_of(reports, reports.map(consistent))


def renamed(report: Report, texts: Mapping[str, str]) -> Report:
    """The same report with every name replaced, wherever it stands."""

    def inside(value: object) -> object:
        if isinstance(value, str):
            return _NAME.sub(lambda found: texts[found[0]], value)
        if isinstance(value, list):
            return [inside(one) for one in value]
        if isinstance(value, dict):
            return {inside(key): inside(one) for key, one in value.items()}
        return value

    return msgspec.convert(inside(msgspec.to_builtins(report)), Report)
