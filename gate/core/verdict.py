"""Rules: each looks at what was measured and says whether it held, with a closed reason code."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.findings import Findings, Lost, Measurement, column_of, lost_by_type
from gate.core.plan import WHOLE, BaselineProblem, Plan, PlannedSuite, Rule, RuleKind
from gate.core.reasons import verdict_of, without_metric
from gate.core.report import Comparison, FieldDiff, Outcome
from gate.core.significance import adverse, could_be_significant
from gate.core.wording import counted

TOLERANCE: Final = 1e-12
"""A mean that equals the floor but for the last bits of its sum holds."""


SHORTFALLS: Final[Mapping[str, str]] = {
    "reranker_fell_open": "{count} of {questions} answers came without the reranker",
    "vector_degraded": "{count} of {questions} answers came without vector search",
    "expansion_failed": "{count} of {questions} answers came without query expansion",
    "suite_failed": "the system failed: none of {counted} counts",
    "deadline": "the deadline came before {counted}",
    "budget_exhausted": "the budget was used up before {counted}",
    "cancelled": "the run did not go to its end: {counted} without a row",
}
NOTHING: Final[Mapping[str, str]] = {
    "suite_failed": "the system failed, and nothing was measured",
    "deadline": "the deadline came before anything was measured",
}
"""The same of a run without a row, which does not know how many there should have been."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One rule before one suite: what the rule may look at."""

    plan: Plan
    rule: Rule
    findings: Findings
    found: Measurement
    family: int
    """How many comparisons Holm ran over."""

    @property
    def suite(self) -> str:
        """The suite's name."""
        return self.findings.evidence.planned.name


def decide(plan: Plan, findings: Sequence[Findings], *, family: int) -> tuple[Outcome, ...]:
    """One outcome for every rule and suite it speaks about, in the order of the rules."""
    outcomes = [_empty(suite) for suite in findings if not len(suite.candidate) and not _says_why(suite)]
    outcomes.extend(_left_out(plan))
    outcomes.extend(cut for suite in findings for cut in _cut_short(suite))
    outcomes.extend(_unused_baselines(plan, findings))
    outcomes.extend(fell for suite in findings for fell in _fell_short(suite))
    outcomes.extend(said for suite in findings for said in _objected(suite))
    for rule in plan.rules:
        outcomes.extend(_applied(plan, rule, findings, family))
    return tuple(outcomes)


def _applied(plan: Plan, rule: Rule, findings: Sequence[Findings], family: int) -> Iterator[Outcome]:
    asked = [suite for suite in findings if _speaks_about(rule, suite.evidence.planned)]
    cases = [
        Case(plan, rule, suite, found, family)
        for suite in asked
        if (found := suite.measurement(rule.metric)) is not None
    ]
    yield from (_judge(case) for case in cases)
    if not cases:
        yield _nowhere(rule, asked)


def _speaks_about(rule: Rule, suite: PlannedSuite) -> bool:
    """A floor or ceiling looks at the candidate alone: once is enough, whatever it is compared with."""
    if suite.anchored is not None and rule.rule == "threshold":
        return False
    return rule.suite in (None, suite.subject)


def _judge(case: Case) -> Outcome:
    return _unmeasurable(case) or RULES[case.rule.rule](case)


def significant(case: Case) -> Outcome:
    """The contract's rule, adverse direction only: Holm p ≤ 0.05 and an interval that excludes 0."""
    blocked = _uncompared(case)
    if blocked is not None:
        return blocked
    comparisons = _asked_for(case)
    broken = [made for made in comparisons if made.significant and adverse(made)]
    if broken:
        return _regression(case, broken)
    lost = _lost_in_a_type(case)
    if lost is not None:
        return lost
    able = [made for made in comparisons if _able(case, made)]
    if not able:
        return _too_few(case, comparisons)
    return _no_drop(case, comparisons, able)


def threshold(case: Case) -> Outcome:
    """A floor or a ceiling for the candidate's mean; a value equal to it holds."""
    mean = case.found.candidate_mean
    if mean is None:
        return _no_value(case)
    if _holds(case.rule, mean):
        return _outcome(
            case, None, f"{case.found.metric} holds its limit", value=mean, limit=_limit(case.rule)
        )
    before = case.found.baseline_mean
    if before is not None and not case.found.incomparable and not _holds(case.rule, before):
        message = f"{case.found.metric} misses its limit, and the baseline missed it already"
        return _outcome(case, "preexisting", message, value=mean, limit=_limit(case.rule))
    message = f"{case.found.metric} misses its limit"
    return _outcome(case, "threshold_missed", message, value=mean, limit=_limit(case.rule))


RULES: Final[Mapping[RuleKind, Callable[[Case], Outcome]]] = {
    "significant": significant,
    "threshold": threshold,
}


def _unmeasurable(case: Case) -> Outcome | None:
    """What no rule can be applied to, whichever it is."""
    found, limits = case.found, case.plan.limits
    share = found.errored / found.questions if found.questions else 0.0
    if share > limits.errors:
        message = f"{found.errored} of {found.questions} questions ended in an error"
        return _outcome(case, "errors_over_limit", message, value=share, limit=limits.errors)
    if found.baseline_n and not found.incomparable:
        return _lost(case)
    silent = found.silent / (found.silent + found.candidate_n) if found.silent else 0.0
    if silent > limits.unpaired:
        message = (
            f"{found.silent} of {found.silent + found.candidate_n} questions have no value for {found.metric}"
        )
        return _outcome(case, "not_measured", message, value=silent, limit=limits.unpaired)
    return None


def _lost(case: Case) -> Outcome | None:
    """Whether too much of what the baseline measured has no value now."""
    found, limit = case.found, case.plan.limits.unpaired
    share = found.lost / found.baseline_n
    if share > limit:
        asked = f"{found.lost} of the {found.baseline_n} questions the baseline measured"
        message = f"{asked} have no value for {found.metric} now"
        return _outcome(case, "not_measured", message, value=share, limit=limit)
    return None


def _lost_in_a_type(case: Case) -> Outcome | None:
    """Whether a type lost too much to be judged: missing values must not hide what broke in it."""
    limit, joined = case.plan.limits.unpaired, case.findings.joined
    if case.rule.per is None or joined is None:
        return None
    gone = {kind: lost for kind, lost in lost_by_type(joined, case.found).items() if _too_many(lost, limit)}
    if not gone:
        return None
    worst = max(gone, key=lambda kind: (gone[kind].lost / gone[kind].measured, kind))
    message = (
        f"{gone[worst].lost} of the {gone[worst].measured} questions of {worst} that the baseline measured "
        f"have no value for {case.found.metric} now"
    )
    value = gone[worst].lost / gone[worst].measured
    return _outcome(case, "not_measured", message, types=tuple(sorted(gone)), value=value, limit=limit)


def _too_many(lost: Lost, limit: float) -> bool:
    """One question is never too many: in a small type it would be a large share."""
    return lost.lost > 1 and lost.lost / lost.measured > limit


def _uncompared(case: Case) -> Outcome | None:
    """Why there is no comparison to judge, if there is none."""
    found, limits = case.found, case.plan.limits
    joined = case.findings.joined
    if joined is not None and not joined.left.size and joined.changed:
        changed = counted(len(joined.changed), "question")
        return _outcome(
            case, "incomparable", f"not one question is unchanged: {changed} with another content"
        )
    if joined is None or not found.baseline_n:
        return _without_baseline(case)
    if not found.candidate_n:
        return _no_value(case)
    if found.incomparable:
        return _outcome(case, "incomparable", _differences(found.incomparable))
    gained = found.gained / found.candidate_n
    if gained > limits.unpaired:
        message = f"{found.gained} of {found.candidate_n} questions have no value in the baseline"
        return _outcome(case, "incomparable", message, value=gained, limit=limits.unpaired)
    if found.comparison is None:
        return _outcome(case, "too_few_pairs", "no question was measured on both sides")
    if case.rule.per is not None and not found.by_type:
        return _outcome(case, "not_measured", "no row names its question type")
    return None


def _no_value(case: Case) -> Outcome:
    return _outcome(case, "not_measured", f"no question has a value for {case.found.metric}")


def _without_baseline(case: Case) -> Outcome:
    problem = case.findings.evidence.problem
    if problem is None:
        message = (
            f"the baseline has no value for {case.found.metric}"
            if case.findings.joined is not None
            else "the config names no baseline"
        )
        problem = BaselineProblem(reason="no_baseline", message=message)
    if problem.reason == "no_baseline" and case.plan.policy.origin == "introducing":
        return _outcome(
            case, "introducing", f"{case.found.metric} has no baseline yet: the gate is being introduced"
        )
    return _outcome(case, problem.reason, problem.message)


def _asked_for(case: Case) -> tuple[Comparison, ...]:
    if case.rule.per is not None:
        return case.found.by_type
    return () if case.found.comparison is None else (case.found.comparison,)


def _able(case: Case, comparison: Comparison) -> bool:
    return could_be_significant(comparison, family=case.family, draws=case.plan.stats.draws)


def _regression(case: Case, broken: Sequence[Comparison]) -> Outcome:
    ordered = sorted(broken, key=lambda made: (-abs(made.delta), made.question_type or ""))
    types = tuple(made.question_type for made in ordered if made.question_type is not None)
    message = f"{case.found.metric} got significantly worse"
    return _outcome(case, "regression", message, types=types, value=ordered[0].delta)


def _too_few(case: Case, comparisons: Sequence[Comparison]) -> Outcome:
    largest = max((made.clusters for made in comparisons), default=0)
    pairs = counted(largest, "paired question")
    message = f"{pairs} {'is' if largest == 1 else 'are'} too few: no outcome could have been significant"
    return _outcome(case, "too_few_pairs", message, value=float(largest))


def _no_drop(case: Case, comparisons: Sequence[Comparison], able: Sequence[Comparison]) -> Outcome:
    tied = all(made.wins + made.losses == 0 for made in comparisons)
    too_small = tuple(made.question_type or "" for made in comparisons if made not in able)
    by_type = case.rule.per is not None
    held = "no question type is significantly worse in" if by_type else "no drop detected in"
    message = f"{held} {case.found.metric}"
    if too_small:
        message += f"; {len(too_small)} of {len(comparisons)} types are too small to tell"
    return _outcome(case, "identical" if tied else None, message)


def _holds(rule: Rule, mean: float) -> bool:
    if rule.at_least is not None:
        return mean >= rule.at_least - TOLERANCE
    return rule.at_most is not None and mean <= rule.at_most + TOLERANCE


def _limit(rule: Rule) -> float | None:
    return rule.at_least if rule.at_least is not None else rule.at_most


def _differences(diffs: Sequence[FieldDiff]) -> str:
    if all(diff.baseline is None and diff.candidate is None for diff in diffs):
        return f"neither side states what must be equal: {', '.join(diff.field for diff in diffs)}"
    named = ", ".join(f"{diff.field} ({_side(diff.baseline)} → {_side(diff.candidate)})" for diff in diffs)
    return f"the two sides differ in what must be equal: {named}"


def _side(value: str | None) -> str:
    return "not stated" if value is None else value


def _nowhere(rule: Rule, asked: Sequence[Findings]) -> Outcome:
    """No suite measures the metric under that name: another k, or not at all."""
    column = column_of(rule.metric)
    others = [found for suite in asked if (found := suite.measurement(column)) is not None]
    if others and column != rule.metric:
        cut = others[0].metric
        said = "the run does not state its k" if cut == column else f"the run measured {cut}"
        reason, message = "incomparable", f"the rule asks for {rule.metric}, but {said}"
    else:
        reason, message = "not_measured", f"no row has a value for {rule.metric}"
    return Outcome(
        rule=rule.id,
        metric=rule.metric,
        suite=rule.suite,
        verdict=verdict_of(reason),
        reason=reason,
        message=message,
    )


def _left_out(plan: Plan) -> Iterator[Outcome]:
    """A run that was asked to measure less than the configuration says can fail, and never pass."""
    for each in plan.left_out:
        yield _not_asked(each.suite, f"{each.suite} is left out: {each.why}")


def _cut_short(suite: Findings) -> Iterator[Outcome]:
    """A limit that was given beside the configuration, and was reached."""
    planned, questions = suite.evidence.planned, len(suite.candidate)
    limit = planned.limited_to
    if planned.anchored is None and limit is not None and questions >= limit:
        yield _not_asked(
            planned.name,
            f"{planned.name}: at most {counted(limit, 'question')} were asked, as the limit given for this run says",
        )


def _not_asked(suite: str, message: str) -> Outcome:
    return without_metric(WHOLE, "not_measured", message, suite=suite)


def _unused_baselines(plan: Plan, findings: Sequence[Findings]) -> Iterator[Outcome]:
    """A baseline that was asked for and cannot be used is never a PASS, even where no rule needs it."""
    if any(rule.rule == "significant" for rule in plan.rules):
        return
    introducing = plan.policy.origin == "introducing"
    for suite in findings:
        problem = suite.evidence.problem
        if problem is not None and not (introducing and problem.reason == "no_baseline"):
            yield without_metric(
                "the baseline can be used", problem.reason, problem.message, suite=suite.evidence.planned.name
            )


def _fell_short(suite: Findings) -> Iterator[Outcome]:
    """What the run states about itself: a guard that failed, questions that were not asked."""
    planned, questions = suite.evidence.planned, len(suite.candidate)
    if planned.anchored is not None:
        return
    for reason, count in sorted(suite.evidence.candidate.shortfalls.items()):
        yield without_metric(
            "the suite ran as it was asked to",
            reason,
            f"{planned.name}: {_short(reason, count, questions)}",
            suite=planned.name,
            value=float(count),
        )


def _short(reason: str, count: int, questions: int) -> str:
    if not questions and count == 1 and reason in NOTHING:
        return NOTHING[reason]
    return SHORTFALLS[reason].format(count=count, questions=questions, counted=counted(count, "question"))


def _objected(suite: Findings) -> Iterator[Outcome]:
    """What the suite itself holds against its run: its own thresholds, its own panel."""
    planned = suite.evidence.planned
    if planned.anchored is not None:
        return
    for each in suite.evidence.candidate.objections:
        yield without_metric(each.rule, each.reason, f"{planned.name}: {each.message}", suite=planned.name)


def _says_why(suite: Findings) -> bool:
    """Whether a suite states itself what became of its rows; every such statement is an outcome, and none a pass."""
    table = suite.evidence.candidate
    return suite.evidence.planned.anchored is None and bool(table.shortfalls or table.objections)


def _empty(suite: Findings) -> Outcome:
    name = suite.evidence.planned.name
    return without_metric("every suite has rows", "empty_suite", f"{name} has no rows", suite=name)


def _outcome(
    case: Case,
    reason: str | None,
    message: str,
    *,
    types: tuple[str, ...] = (),
    value: float | None = None,
    limit: float | None = None,
) -> Outcome:
    return Outcome(
        rule=case.rule.id,
        metric=case.found.metric,
        suite=case.suite,
        verdict=verdict_of(reason),
        reason=reason,
        message=message,
        types=types,
        value=value,
        limit=limit,
    )
