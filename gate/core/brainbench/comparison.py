"""A BrainBench run against the baseline of the base's tree: whole pieces of gold first, then the metrics.

One rule is stricter than the contract's: a pointer into another source is a leak of data, and no justification
makes it acceptable.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from msgspec.structs import replace

from gate.core.brainbench.result import Baseline, baseline_text

ISOLATION: Final = "source_isolation_violations"
HIGHER_IS_BETTER: Final[Mapping[str, bool]] = {
    "know_to_ask_failure_rate": False,
    "false_fire_rate": False,
    "push_precision": True,
    "push_recall": True,
    "write_back_fidelity": True,
    "provenance_accuracy": True,
    "continuity_rate": True,
    "extraction_recall": True,
    "extraction_precision": True,
}
"""Every gated metric, and whether more of it is better; what is not here is shown and never judged."""

Verdict = Literal["pass", "regression", "inconclusive"]
Mode = Literal["same-hash", "corpus-bless"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One thing that got worse. `metric` may be a count; a figure is None where that side has none."""

    cell: str
    metric: str
    baseline: float | None
    current: float | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a comparison, everything that was found, and what a reader should know."""

    verdict: Verdict
    mode: Mode
    breaches: tuple[Breach, ...] = ()
    notes: tuple[str, ...] = ()


def judge(
    base: Baseline, current: Baseline, *, committed: Baseline | None = None, allowed: str | None = None
) -> Outcome:
    """The run `current` against `base`, by the rules of the contract.

    `committed` is the baseline in the tree under test: it must be this run where it speaks for other fixtures,
    or differs from `base`, and its justification then answers for what got worse. `allowed` is a reason given on
    the command line.
    """
    mode: Mode = "same-hash" if base.fixtures_hash == current.fixtures_hash else "corpus-bless"
    found = tuple(breaches(base, current))
    notes = tuple(_asides(base, current))
    if base.config != current.config:
        notes = (*notes, "the two were run with different settings: nothing can be compared")
        return Outcome(verdict="inconclusive", mode=mode, breaches=found, notes=notes)
    doubt = _doubt(base, current, committed, mode)
    if doubt is not None:
        return Outcome(verdict="inconclusive", mode=mode, breaches=found, notes=(*notes, doubt))
    verdict, why = _answered(found, _justification(base, committed, mode), allowed)
    return Outcome(verdict=verdict, mode=mode, breaches=found, notes=(*notes, *why))


def first_landing(current: Baseline, committed: Baseline) -> Outcome:
    """A run where the base has no baseline yet: the one that is committed must be this run."""
    found = tuple(leaks(current))
    if not same_figures(current, committed):
        note = "the committed baseline is not what this run measured"
        return Outcome(verdict="inconclusive", mode="same-hash", breaches=found, notes=(note,))
    note = "the first baseline: nothing to compare with"
    return Outcome(verdict="regression" if found else "pass", mode="same-hash", breaches=found, notes=(note,))


def same_figures(one: Baseline, other: Baseline) -> bool:
    """Whether two baselines are the same text but for their justifications."""
    return baseline_text(replace(one, justification=other.justification)) == baseline_text(other)


def breaches(base: Baseline, current: Baseline) -> Iterator[Breach]:
    """Everything that is worse than in the base: leaks, missed gold, lost gold, metrics."""
    yield from leaks(current)
    for cell in base.counts:
        if cell in current.counts:
            yield from _counted(base, current, cell)
            yield from _moved(base, current, cell)
        else:
            total = base.counts[cell].gold_total
            yield Breach(
                cell=cell, metric="gold_total", baseline=total, current=None, detail="the cell is missing"
            )


def leaks(current: Baseline) -> Iterator[Breach]:
    """Every cell that brought up pages of another source: there may be none in any run."""
    for cell, metrics in current.cells.items():
        leaked = metrics.get(ISOLATION, 0)
        if not leaked <= 0:
            detail = f"{leaked:g} pointers into another source: there may be none"
            yield Breach(cell=cell, metric=ISOLATION, baseline=0, current=leaked, detail=detail)


def _counted(base: Baseline, current: Baseline, cell: str) -> Iterator[Breach]:
    then, now = base.counts[cell], current.counts[cell]
    same = base.fixtures_hash == current.fixtures_hash
    if same and now.gold_failed > then.gold_failed:
        detail = f"{now.gold_failed - then.gold_failed} more pieces of gold missed"
        yield Breach(
            cell=cell,
            metric="gold_failed",
            baseline=then.gold_failed,
            current=now.gold_failed,
            detail=detail,
        )
    if now.gold_total < then.gold_total or (same and now.gold_total != then.gold_total):
        detail = "the same fixtures gave another amount of gold" if same else "the fixtures hold less gold"
        yield Breach(
            cell=cell, metric="gold_total", baseline=then.gold_total, current=now.gold_total, detail=detail
        )


def _moved(base: Baseline, current: Baseline, cell: str) -> Iterator[Breach]:
    then, now = base.cells[cell], current.cells[cell]
    for metric, higher in HIGHER_IS_BETTER.items():
        if metric in then and metric in now:
            held = now[metric] >= then[metric] if higher else now[metric] <= then[metric]
            if not held:
                yield Breach(
                    cell=cell,
                    metric=metric,
                    baseline=then[metric],
                    current=now[metric],
                    detail=f"{then[metric]:g} → {now[metric]:g}",
                )


def _asides(base: Baseline, current: Baseline) -> Iterator[str]:
    """What is no breach by the contract, and must not pass unseen."""
    for cell in sorted(current.counts.keys() - base.counts.keys()):
        yield f"{cell}: new, there is nothing to compare it with"
    for cell in sorted(current.cells.keys() & base.cells.keys()):
        gone = [name for name in HIGHER_IS_BETTER if name in base.cells[cell].keys() - current.cells[cell]]
        if gone:
            yield f"{cell}: no longer measured: {', '.join(gone)}"


def _doubt(base: Baseline, current: Baseline, committed: Baseline | None, mode: Mode) -> str | None:
    """Why the committed baseline leaves open what is right; None when it does not."""
    if committed is None:
        return "other fixtures, and no committed baseline speaks for them" if mode == "corpus-bless" else None
    changed = mode == "corpus-bless" or baseline_text(committed) != baseline_text(base)
    if changed and not same_figures(current, committed):
        return "the committed baseline is not what this run measured"
    return None


def _justification(base: Baseline, committed: Baseline | None, mode: Mode) -> str | None:
    """The reason that a changed baseline gives for itself."""
    if committed is None or (mode == "same-hash" and baseline_text(committed) == baseline_text(base)):
        return None
    return committed.reason


def _answered(
    found: tuple[Breach, ...], justification: str | None, allowed: str | None
) -> tuple[Verdict, tuple[str, ...]]:
    if not found:
        return "pass", ()
    if any(breach.metric == ISOLATION for breach in found):
        return "regression", ("a leak into another source is never justified",)
    if justification is not None:
        return "pass", (f"justified by the committed baseline: {justification}",)
    if allowed is not None and allowed.strip():
        return "pass", (f"allowed: {allowed.strip()}",)
    return "regression", ()
