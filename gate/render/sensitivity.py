"""What a pass of a `significant` rule can and cannot claim: counts, and the differences that would have gone unseen."""

from collections.abc import Iterator, Sequence
from typing import Final

from gate.core.plan import QUESTION_TYPE
from gate.core.report import Comparison, Outcome, Report
from gate.core.stats.detectable import losses_needed
from gate.core.wording import counted
from gate.render.changes import adverse_word, gain, improved, words
from gate.render.dialect import Dialect
from gate.render.gated import Gated, family, gated_metrics, rule_of
from gate.render.numbers import SHARE, count, p_value, scale_of
from gate.render.outcomes import is_significance
from gate.render.sentences import counts

_FEW_CLUSTERS: Final = 100


def needed_alike(family_size: int) -> int:
    """The fewest questions that must change, all the same way, before that can be significant."""
    return losses_needed(family_size)


def sensitivity(report: Report, dialect: Dialect) -> tuple[str, ...]:
    """One sentence or two for every passing `significant` rule, in the order of the metrics."""
    return tuple(
        sentence
        for gated in gated_metrics(report)
        for outcome in gated.outcomes
        for sentence in _sentences(report, gated, outcome, dialect)
    )


def _sentences(report: Report, gated: Gated, outcome: Outcome, dialect: Dialect) -> Iterator[str]:
    rule = rule_of(report, outcome)
    compared = outcome.verdict == "pass" and outcome.reason in (None, "identical")
    if rule is None or not is_significance(rule) or not compared:
        return
    place = f", {dialect.name(gated.suite.name)}" if gated.suite and len(report.suites) > 1 else ""
    if rule.per == QUESTION_TYPE and gated.by_type:
        yield f"{dialect.name(gated.metric)}{place} by type: {_by_type(gated, report, dialect)}"
    elif gated.comparison is not None:
        yield f"{dialect.name(gated.metric)}{place}: {_whole(gated.comparison, report)}"


def _whole(comparison: Comparison, report: Report) -> str:
    return " ".join(
        filter(None, (f"{counts(comparison)}.", _no_claim(comparison), unseen(comparison, family(report))))
    )


def _no_claim(comparison: Comparison) -> str:
    if improved(comparison) or gain(comparison.better, comparison.delta) <= 0:
        return ""
    return f"p = {p_value(comparison.p_value)}: no improvement is claimed either."


def unseen(comparison: Comparison, family_size: int) -> str:
    """How large a true difference can be and still pass unseen, in frequencies."""
    word, measure = adverse_word(comparison.better), scale_of(comparison)
    if comparison.detectable is None or not _able(comparison, family_size):
        return _never_significant(comparison, family_size)
    told = (
        f"A true {word} of {measure.size(comparison.detectable)} would pass here unseen"
        f" {_one_in_five(comparison)}, a smaller one more often."
    )
    if comparison.matters is None or comparison.detectable <= comparison.matters:
        return told
    return f"{told} That is more than the {measure.size(comparison.matters)} declared to matter."


def _one_in_five(comparison: Comparison) -> str:
    """The reckoning is a normal approximation, which promises too much below a hundred clusters."""
    return "at least 1 time in 5" if comparison.clusters < _FEW_CLUSTERS else "about 1 time in 5"


def _able(comparison: Comparison, family_size: int) -> bool:
    """Whether there are questions enough for any outcome at all to be significant."""
    return comparison.clusters >= needed_alike(max(family_size, 1))


def _never_significant(comparison: Comparison, family_size: int) -> str:
    """Without any change there is no spread to reckon with: only the count that chance cannot explain is known."""
    if not _able(comparison, family_size):
        return f"With n = {count(comparison.n)} no change of any size could have been significant."
    alike, named = needed_alike(max(family_size, 1)), words(comparison)
    share = comparison.unit == SHARE
    points = f" ({scale_of(comparison).size(alike / max(comparison.n, 1))})" if share else ""
    return (
        f"Fewer than {alike} {named.lost} with none {named.gained}{points} could not have been significant."
    )


def _by_type(gated: Gated, report: Report, dialect: Dialect) -> str:
    """The type in which least goes unseen and the one in which most does; the others are counted."""
    able = [one for one in gated.by_type if _able(one, family(report))]
    small = len(gated.by_type) - len(able)
    parts = [*_range(able, dialect)] or [
        _never_significant(max(able or gated.by_type, key=_size), family(report))
    ]
    if small and able:
        parts.append(f"{counted(small, 'type')} too small for anything to be significant.")
    return " ".join(parts)


def _range(able: Sequence[Comparison], dialect: Dialect) -> Iterator[str]:
    known = sorted((one for one in able if one.detectable is not None), key=lambda one: one.detectable or 0.0)
    if not known:
        return
    first, last = known[0], known[-1]
    other = "" if last is first else f", and when it is {_in_type(last, dialect)}"
    tied = len(able) - len(known)
    rest = f"; {tied} without any change cannot be reckoned" if tied else ""
    yield (
        f"a true {adverse_word(first.better)} would pass unseen {_one_in_five(last)}"
        f" when it is {_in_type(first, dialect)}{other}{rest}."
    )


def _size(comparison: Comparison) -> int:
    return comparison.n


def _in_type(comparison: Comparison, dialect: Dialect) -> str:
    kind = dialect.name(comparison.question_type or "")
    return f"{scale_of(comparison).size(comparison.detectable)} in {kind} (n = {count(comparison.n)})"
