"""One sentence for the verdict and one for what to do next: the first thing anybody reads, and often the last."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gate.core.drift import as_watched
from gate.core.judging.judgement import RULE as PANEL_RULE
from gate.core.plan import WHOLE, Purpose
from gate.core.records.ledger import NO_MODE
from gate.core.records.stopped import STOPPED
from gate.core.report import Comparison, Outcome, Report, Verdict
from gate.core.wording import counted
from gate.render.advice import ADVICE, NEXT, advice
from gate.render.changes import QUESTIONS, adverse_word, gained_lost, improved, words
from gate.render.dialect import PLAIN, Dialect, listed
from gate.render.gated import Gated, family, gated_metrics, rule_of
from gate.render.numbers import count
from gate.render.outcomes import against_limit, is_significance
from gate.render.panel import panel_verdict, panels
from gate.render.policy import accepted_by
from gate.render.sensitivity import needed_alike
from gate.render.sentences import in_short
from gate.render.ungated import NEXT_STEP, only_by_type, told, worse_wholes

Level = Literal["note", "tip", "important", "warning", "caution"]
_LEADS: Final[Mapping[Purpose, Mapping[Verdict, str]]] = {
    "gate": {"pass": "Passed: ", "fail": "Failed: ", "inconclusive": "Cannot tell: "},
    "drift": {"pass": "No drift: ", "fail": "Drift: ", "inconclusive": "Could not measure: "},
}
_BEFORE: Final[Mapping[Purpose, str]] = {
    "gate": "before this change",
    "drift": "when the reference was measured",
    "sweep": "when the baseline was measured",
}
_EVIDENCE: Final[Mapping[Purpose, str]] = {
    "gate": "against this change",
    "drift": "of drift",
    "sweep": "against the release",
}
_NEW_REFERENCE: Final = (
    "Accept this run as the new reference (`gate baseline accept`): room above an old one hides regressions."
)
_MEASURED: Final = ("identical", "introducing")
"""Reasons of a pass that numbers stand behind."""


@dataclass(frozen=True, slots=True)
class Headline:
    """`level` names GitHub's alert; `title` is the verdict's sentence, `action` what to do next."""

    level: Level
    title: str
    action: str


def headline(report: Report, dialect: Dialect = PLAIN) -> Headline:
    """The verdict in one sentence and the next step, in the given dialect; what is only partial says so first."""
    metrics = gated_metrics(report)
    deciding = _deciding(report)
    gated = next((one for one in metrics if deciding in one.outcomes), None)
    core = _core(report, metrics, deciding, gated, dialect)
    fallen = worse_wholes(report)
    return Headline(
        level="warning" if fallen else _level(report),
        title=f"{_partial(report)}{_led_in(report, core)}. {told(report, fallen, dialect)}".strip(),
        action=" ".join(
            filter(
                None,
                (
                    accepted_by(report, dialect),
                    NEXT_STEP if fallen else _action(report, deciding),
                    _others(report, deciding),
                    _policy(report),
                ),
            )
        ),
    )


def _level(report: Report) -> Level:
    if _introducing(report):
        return "tip"
    if report.reason == "acknowledged":
        return "important"
    if report.verdict != "pass" and report.mode == "advisory":
        return "tip"
    if report.verdict == "fail":
        return "caution"
    partial = _partial(report) or report.verdict == "inconclusive"
    return "warning" if partial else "note"


def _partial(report: Report) -> str:
    """Said before everything else: numbers from a part of a run are not the run's numbers."""
    if report.reason in STOPPED or report.cut_short:
        return "Nothing was measured. " if _measured_nothing(report) else "Only a part was measured. "
    return "" if report.complete else "Incomplete receipt, not to be relied on. "


def _measured_nothing(report: Report) -> bool:
    """Whether not one question was asked; a run that was cancelled on its way may have kept rows of some."""
    if not report.suites:
        return report.reason == "budget_exhausted" and not report.complete
    return not any(suite.candidate.questions for suite in report.suites)


def _led_in(report: Report, core: str) -> str:
    if _introducing(report):
        return f"Introducing the gate: {core}"
    if report.reason == "not_applicable":
        return f"Not applicable: {core}"
    if report.reason == "acknowledged":
        return f"Failed, and accepted: {core}"
    if report.plan.purpose == "drift":
        return _LEADS["drift"][as_watched(report)] + core
    would: dict[Verdict, str] = {
        "pass": "Passed: ",
        "fail": "Would have failed: ",
        "inconclusive": "Would not have been able to tell: ",
    }
    if report.mode == "advisory":
        return would[report.verdict] + core
    if report.reason == "regression":
        return core[:1].upper() + core[1:]
    return _LEADS["gate"][report.verdict] + core


def _deciding(report: Report) -> Outcome | None:
    """The outcome with the verdict's own reason, one that names types before one that does not."""
    same = [outcome for outcome in report.outcomes if outcome.verdict == report.verdict]
    exact = [outcome for outcome in same if outcome.reason == report.reason]
    return min(exact or same, key=lambda outcome: not outcome.types, default=None)


def _core(
    report: Report,
    metrics: Sequence[Gated],
    deciding: Outcome | None,
    gated: Gated | None,
    dialect: Dialect,
) -> str:
    if report.verdict == "pass" and deciding is not None and report.reason in (None, *_MEASURED):
        return _passed(report, metrics, dialect)
    if deciding is None or report.reason not in (deciding.reason, "acknowledged"):
        return _without_rule(report, dialect)
    if gated is None:
        return _message(report, deciding, dialect)
    name = f"{dialect.name(gated.metric)}{_of_suite(report, deciding, dialect)}"
    if deciding.reason == "regression":
        return _regressed(name, gated, deciding, dialect)
    limit = against_limit(report, gated, deciding)
    if limit is not None:
        return f"{name} {_missed(report, deciding)} ({limit})"
    return _message(report, deciding, dialect)


def _of_suite(report: Report, outcome: Outcome, dialect: Dialect) -> str:
    """The one suite of several that an outcome is about; in a sweep with its mode, where its name does not say it."""
    if outcome.suite is None or len(report.suites) < 2:
        return ""
    planned = next((suite for suite in report.plan.suites if suite.name == outcome.suite), None)
    mode = planned.mode if planned is not None and report.plan.purpose == "sweep" else None
    told = mode in {None, NO_MODE} or outcome.suite.endswith(f"-{mode}")
    return f" of {dialect.name(outcome.suite)}" + ("" if told else f" in {dialect.name(mode or '')}")


def _message(report: Report, outcome: Outcome, dialect: Dialect) -> str:
    """What an outcome says itself, and of which suite, where it does not say that."""
    said, suite = dialect.prose(outcome.message), outcome.suite
    if suite is None or len(report.suites) < 2 or _mentions(outcome.message, suite):
        return said
    return f"{dialect.name(suite)}: {said}"


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _missed(report: Report, outcome: Outcome) -> str:
    if outcome.reason != "preexisting":
        return "misses its limit"
    return f"misses its limit, and missed it {_BEFORE[report.plan.purpose]}"


def _without_rule(report: Report, dialect: Dialect) -> str:
    known = advice(report.reason)
    if known is not None:
        return known.happened
    if report.reason is None:
        return "no rule was applied" if report.verdict == "pass" else "no rule says why"
    return dialect.prose(report.reason)


def _regressed(name: str, gated: Gated, outcome: Outcome, dialect: Dialect) -> str:
    """ "regression of `recall_all@5` in `temporal-reasoning`: 16 of 127 questions broke, 2 were fixed (…)"."""
    names = tuple(dialect.name(kind) for kind in outcome.types)
    place = f" in {listed(names)}" if names else ""
    shown = _decisive(gated, outcome)
    said = f"regression of {name}{place}"
    if shown is None:
        return said
    worst = f" {names[0]} is the worst:" if len(names) > 1 else ""
    return f"{said}:{worst} {_what_changed(shown)}"


def _decisive(gated: Gated, outcome: Outcome) -> Comparison | None:
    if not outcome.types:
        return gated.comparison
    return next((one for one in gated.by_type if one.question_type == outcome.types[0]), None)


def _what_changed(comparison: Comparison) -> str:
    gained, lost = gained_lost(comparison)
    change = f"({in_short(comparison)})"
    if words(comparison) == QUESTIONS:
        fixed = (
            "none was fixed" if not gained else f"{count(gained)} {'was' if gained == 1 else 'were'} fixed"
        )
        return f"{count(lost)} of {counted(comparison.n, 'question')} broke, {fixed} {change}"
    named = words(comparison)
    return f"{count(lost)} of {counted(comparison.n, 'question')} {named.lost}, {count(gained)} {named.gained} {change}"


def _passed(report: Report, metrics: Sequence[Gated], dialect: Dialect) -> str:
    parts = [
        *_judged(report, dialect),
        *_no_drop(report, metrics, dialect),
        *_limits(report, metrics, dialect),
    ]
    if any(outcome.reason == "introducing" for outcome in report.outcomes):
        parts.append("there is nothing to compare with yet")
    parts += _better(metrics, dialect)
    parts += _all_tied(report, metrics)
    return "; ".join(parts) or "every rule held"


def _judged(report: Report, dialect: Dialect) -> list[str]:
    """What panels of judges say of a run that passed: they passed it, too."""
    return [panel_verdict(report, suite, panel, dialect) for suite, panel in panels(report)]


def _no_drop(report: Report, metrics: Sequence[Gated], dialect: Dialect) -> list[str]:
    """One part for metrics where higher is better, one where lower is, one where rules ask about types only."""
    tested = [
        one
        for one in metrics
        if any(
            is_significance(rule_of(report, said)) and said.reason != "introducing" for said in one.outcomes
        )
        and not (one.comparison is not None and improved(one.comparison))
    ]
    wholes = [one for one in tested if not only_by_type(one)]
    parts = []
    for direction in ("drop", "rise"):
        named = _named([one for one in wholes if adverse_word(one.better) == direction], dialect)
        parts += [f"no {direction} detected in {named}"] if named else []
    by_type = _named([one for one in tested if only_by_type(one)], dialect)
    return [*parts, *([f"no question type is significantly worse in {by_type}"] if by_type else [])]


def _named(metrics: Sequence[Gated], dialect: Dialect) -> str:
    return listed(tuple(dict.fromkeys(dialect.name(one.metric) for one in metrics)))


def _limits(report: Report, metrics: Sequence[Gated], dialect: Dialect) -> list[str]:
    held = [
        (one.metric, limit)
        for one in metrics
        for outcome in one.outcomes
        if (limit := against_limit(report, one, outcome)) is not None
    ]
    if len(held) == 1:
        metric, limit = held[0]
        return [f"{dialect.name(metric)} holds its limit ({limit})"]
    every = "both" if len(held) == 2 else f"all {len(held)}"
    return [f"{every} limits hold"] if held else []


def _better(metrics: Sequence[Gated], dialect: Dialect) -> list[str]:
    return [
        f"{dialect.name(one.metric)} is significantly better ({in_short(one.comparison)})"
        for one in metrics
        if one.comparison is not None and improved(one.comparison)
    ]


def _all_tied(report: Report, metrics: Sequence[Gated]) -> list[str]:
    """Never "identical": rankings can change under equal scores."""
    compared = [one.comparison for one in metrics if one.comparison is not None]
    if not compared or any(one.wins or one.losses for one in compared):
        return []
    known = [suite.rankings_changed for suite in report.suites if suite.rankings_changed is not None]
    if not known:
        return ["every compared question scored the same"]
    changed = sum(known)
    if not changed:
        return ["every compared question scored the same and no ranking changed"]
    return [f"every compared question scored the same, though {counted(changed, 'ranking')} changed"]


def _introducing(report: Report) -> bool:
    """A gate that judges itself never says plainly "passed"."""
    measured = report.verdict == "pass" and report.reason != "not_applicable"
    first_run = "introducing" in {outcome.reason for outcome in report.outcomes}
    return measured and (first_run or report.plan.policy.origin == "introducing")


def _action(report: Report, deciding: Outcome | None) -> str:
    passed = _after_a_pass(report) if report.verdict == "pass" else ""
    if passed:
        return passed
    if report.reason == "too_few_pairs":
        alike = needed_alike(max(family(report), 1))
        return f"Add questions: fewer than {alike} that change, all the same way, are never more than chance."
    if report.reason == "not_measured" and deciding is not None and deciding.rule == PANEL_RULE:
        return "Run it where the secrets are: on a branch of this repository."
    if deciding is not None and deciding.rule == WHOLE:
        return "For a verdict run it without `suites`, `modes` and `limit`: what is left out is never a pass."
    if report.reason == "regression" and not any(suite.flips for suite in report.suites):
        return "Look at where it was lost, type by type."
    known = advice(report.reason)
    if known is None:
        return "" if deciding is None else "The receipt says what was found."
    return NEXT[report.plan.purpose].get(report.reason or "", known.action)


def _after_a_pass(report: Report) -> str:
    """What to do after a pass; empty where its reason has words of its own."""
    if _introducing(report):
        return ADVICE["introducing"].action
    if report.plan.purpose == "drift" and _outgrown(report):
        return _NEW_REFERENCE
    return "Nothing to do." if report.reason is None else ""


def _outgrown(report: Report) -> bool:
    """Whether something is better than the reference, which is no drift."""
    better = (one.comparison for one in gated_metrics(report) if one.comparison is not None)
    return any(map(improved, better))


def _others(report: Report, deciding: Outcome | None) -> str:
    """What the sentence above does not name: other rules that failed or could not be decided."""
    rest = [outcome for outcome in report.outcomes if outcome is not deciding]
    failed = sum(outcome.verdict == "fail" for outcome in rest)
    unsure = sum(outcome.verdict == "inconclusive" for outcome in rest)
    parts = []
    if failed:
        parts.append(f"{counted(failed, 'more rule')} failed.")
    if unsure:
        parts.append(
            f"{counted(unsure, 'rule' if report.verdict == 'fail' else 'more rule')} could not be decided."
        )
    return " ".join(parts)


def _policy(report: Report) -> str:
    """What the verdict means for merging, wherever the verdict alone does not say it."""
    if report.verdict == "pass" or report.reason == "acknowledged":
        return ""
    if report.mode == "advisory":
        return "Advisory mode: nothing is blocked."
    if report.verdict == "fail":
        return ""
    against = _EVIDENCE[report.plan.purpose]
    if report.exit_code == 0:
        return f"Not evidence {against}; the policy lets it through."
    return f"Not evidence {against}, but the policy (`on-inconclusive`) blocks what cannot be told."
