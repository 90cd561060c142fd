"""How to read the numbers, in plain words and with the numbers of this very report."""

from collections.abc import Iterator

from gate.core.report import Comparison, Report
from gate.core.wording import counted
from gate.render.changes import adverse_word, gained_lost, words
from gate.render.dialect import Dialect
from gate.render.gated import family, gated_metrics
from gate.render.numbers import count, interval, p_value, scale_of
from gate.render.outcomes import NOT_SIGNIFICANT, SIGNIFICANT, significance
from gate.render.sensitivity import needed_alike, unseen


def reading(report: Report, dialect: Dialect) -> tuple[str, ...]:
    """A handful of sentences, each about one column, for the first comparison of the gated table."""
    example = _example(report)
    if example is None:
        return ("Nothing was compared, so there is no p and no interval to read.", *_rules(report))
    return (*_about(example, report, dialect), *_rules(report))


def _example(report: Report) -> Comparison | None:
    """The comparison a reviewer looks at first: the type that broke, else the first gated metric."""
    for gated in gated_metrics(report):
        broken = [
            one for one in gated.by_type if any(one.question_type in said.types for said in gated.outcomes)
        ]
        if broken:
            return broken[0]
        if gated.comparison is not None:
            return gated.comparison
    return next((one for suite in report.suites for one in suite.comparisons), None)


def _about(found: Comparison, report: Report, dialect: Dialect) -> Iterator[str]:
    kind = "" if found.question_type is None else f", {dialect.name(found.question_type)}"
    yield f"The example is {dialect.name(found.metric)}{kind}."
    yield _pairing(found)
    yield _p(found)
    yield from _holm(found, report)
    yield _interval(found)
    yield _power(found, report)
    yield (
        f'"{NOT_SIGNIFICANT}" means that chance alone explains the difference well enough.'
        f" It does not mean that nothing got worse: a small {adverse_word(found.better)} can hide below it."
    )
    yield _measured(found, report)


def _measured(found: Comparison, report: Report) -> str:
    """How often each side was measured, and what that does to the numbers."""
    repeated = [
        word
        for suite in report.suites
        if suite.name == found.suite
        for word, side in (("The candidate", suite.candidate), ("The baseline", suite.baseline))
        if side is not None and side.repeats
    ]
    if not repeated:
        return "Both sides were measured once: what a rerun of the same commit would change is part of these numbers."
    sides = "Both sides were" if len(repeated) == 2 else f"{repeated[0]} was"
    return f"{sides} measured more than once: every question counts once, with the mean of its repeats."


def _pairing(found: Comparison) -> str:
    gained, lost = gained_lost(found)
    named = words(found)
    return (
        f"Paired: the same {counted(found.n, 'question')} on both sides. Only those that changed carry evidence:"
        f" {count(gained)} {named.gained}, {count(lost)} {named.lost}."
    )


def _p(found: Comparison) -> str:
    return (
        f"p = {p_value(found.p_value)}: how often a difference at least this large would come up"
        " if each changed question had been as likely to go the other way."
    )


def _holm(found: Comparison, report: Report) -> Iterator[str]:
    size = family(report)
    if found.holm_p_value is None:
        yield "This comparison is not gated: its p decides nothing and is not adjusted."
        return
    yield (
        f"Holm p = {p_value(found.holm_p_value)}: {_adjustment(found, size)}. At most 0.05, with an interval that"
        f" excludes 0, is significant; this one is {_verbatim(found)}."
    )


def _adjustment(found: Comparison, size: int) -> str:
    """Where the adjusted p comes from, and why it can be larger than p even where nothing is adjusted."""
    family_said = f"made stricter because {count(size)} gated comparisons could have raised a false alarm"
    if found.p_value < found.smallest_attainable_p:
        floor = p_value(found.smallest_attainable_p)
        changes = counted(found.nontied_clusters, "changed question")
        drawn = f"the {floor} that {changes} cannot go below (the resampling drew less by chance)"
        return f"{drawn}, {family_said}" if size > 1 else drawn
    return f"p, {family_said}" if size > 1 else "the same as p, because it is the only gated comparison"


def _verbatim(found: Comparison) -> str:
    said = significance(found)
    return f'"{said}"' if said in (SIGNIFICANT, NOT_SIGNIFICANT) else said


def _interval(found: Comparison) -> str:
    suffix = scale_of(found).delta_suffix
    return (
        f"95 % CI {interval(found)}: differences{suffix and ' in' + suffix} that these questions"
        " make plausible for others of their kind; not adjusted for the number of comparisons."
    )


def _power(found: Comparison, report: Report) -> str:
    alike = needed_alike(max(family(report), 1))
    return (
        f"{unseen(found, max(family(report), 1))} With {counted(found.nontied_clusters, 'changed question')}"
        f" the smallest p within reach was {p_value(found.smallest_attainable_p)};"
        f" fewer than {alike} changes, all the same way, are never significant."
    )


def _rules(report: Report) -> Iterator[str]:
    if any(rule.rule == "threshold" for rule in report.plan.rules):
        yield (
            "A limit is compared with the mean over all of the candidate's questions, paired or not, without an"
            " interval; a mean equal to it holds."
        )
