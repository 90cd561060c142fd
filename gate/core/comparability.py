"""What must be equal before two runs may be compared, judged metric by metric."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from gate.core.plan import MetricSpec
from gate.core.records.takes_receipt import DIMENSIONS
from gate.core.report import FieldDiff

_AT_K: Final = re.compile(r"@(k|\d+)$")
_TIME_OR_MONEY: Final = re.compile(r"(^|_)(ms|seconds|latency|usd|cost|duration)(_|$|@)")


def _every_metric(_metric: str) -> bool:
    return True


def _cut_at_k(metric: str) -> bool:
    return _AT_K.search(metric) is not None


def _judged(metric: str) -> bool:
    return metric.startswith(("qa_", "judge_"))


def _scored_by_panel(metric: str) -> bool:
    return metric in DIMENSIONS


def _scored_by_a_prompt(metric: str) -> bool:
    return _judged(metric) or _scored_by_panel(metric)


def _time_or_money(metric: str) -> bool:
    return _TIME_OR_MONEY.search(metric) is not None


MUST_MATCH: Final[Mapping[str, Callable[[str], bool]]] = {
    "dataset_sha256": _every_metric,
    "corpus_sha256": _every_metric,
    "k": _cut_at_k,
    "judge_model": _judged,
    "judge_prompt_version": _scored_by_a_prompt,
    "judge_config_hash": _judged,
    "rubric_sha8": _scored_by_panel,
    "cache": _time_or_money,
}
"""Fingerprint → the metrics it must match for. Everything else is what is under test, and may differ."""


def differing(
    baseline: Mapping[str, str],
    candidate: Mapping[str, str],
    *,
    metrics: tuple[str, ...],
    hold_fixed: tuple[str, ...] = (),
    settled: frozenset[str] = frozenset(),
) -> tuple[FieldDiff, ...]:
    """Every fingerprint that differs, with the metrics it makes incomparable.

    A fingerprint that only one side states cannot differ: it is listed, and blocks only when held fixed. One
    that must match and of which a run states several ("mixed: …") matches nothing, not even its equal.
    `settled` names fingerprints that something finer answers (a content hash per question).
    """
    names = sorted(baseline.keys() | candidate.keys() | set(hold_fixed))
    diffs = []
    for name in names:
        before, after = baseline.get(name), candidate.get(name)
        held = name in hold_fixed
        if before == after and not (held and before is None) and not _mixed(name, before):
            continue
        stated = before is not None and after is not None
        blocks = () if name in settled and not held else _blocked(name, metrics, held=held, stated=stated)
        diffs.append(FieldDiff(field=name, baseline=before, candidate=after, blocks=blocks))
    return tuple(diffs)


def _mixed(name: str, stated: str | None) -> bool:
    return name in MUST_MATCH and stated is not None and stated.startswith("mixed: ")


def _blocked(name: str, metrics: tuple[str, ...], *, held: bool, stated: bool) -> tuple[str, ...]:
    if held:
        return metrics
    matters_for = MUST_MATCH.get(name)
    if matters_for is None or not stated:
        return ()
    return tuple(metric for metric in metrics if matters_for(metric))


def definition_differs(baseline: MetricSpec | None, candidate: MetricSpec) -> tuple[FieldDiff, ...]:
    """The parts of a metric's definition that both sides declare and that are not the same."""
    if baseline is None:
        return ()
    parts = (
        ("unit", baseline.unit, candidate.unit),
        ("better", baseline.better, candidate.better),
    )
    return tuple(
        FieldDiff(field=f"{candidate.name} {part}", baseline=old, candidate=new, blocks=(candidate.name,))
        for part, old, new in parts
        if old is not None and new is not None and old != new
    )


def scale_differs(
    metric: str, baseline: tuple[float, float], candidate: tuple[float, float]
) -> FieldDiff | None:
    """A share on one side and a percentage on the other: (smallest, largest) value of each side.

    One side lies within 0..1, the other reaches beyond 1 and its largest value is at least 20 times as large:
    no real change of a share does that, and values in 0..1 on one side alone are otherwise left alone.
    """
    small, large = sorted((baseline, candidate), key=lambda span: span[1])
    within_share = small[0] >= 0 and 0 < small[1] <= 1
    if not within_share or large[1] <= 1 or large[1] < 20 * small[1] or large[0] < 0:
        return None
    return FieldDiff(
        field=f"{metric} scale", baseline=_span(baseline), candidate=_span(candidate), blocks=(metric,)
    )


def outside_share(
    metric: str, baseline: tuple[float, float], candidate: tuple[float, float]
) -> FieldDiff | None:
    """A metric declared as a share (0..1) of which exactly one side leaves that range."""
    inside = [low >= 0 and high <= 1 for low, high in (baseline, candidate)]
    if inside[0] == inside[1]:
        return None
    return FieldDiff(
        field=f"{metric} scale", baseline=_span(baseline), candidate=_span(candidate), blocks=(metric,)
    )


def _span(values: tuple[float, float]) -> str:
    return f"{values[0]:g} to {values[1]:g}"
