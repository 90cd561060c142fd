"""With batches, two receipts over the same takes are paired: batch × model is the unit, the batch its cluster.

Only batches that hold the very same takes in the same words are paired, whatever their numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from msgspec import UNSET

from gate.core.judging.cycles import CyclePolicy
from gate.core.records.takes_receipt import DIMENSIONS, Cycle, TakesReceipt
from gate.core.stats.paired import PairedSample, PairedStatistics, compare_paired
from gate.core.takes.references import batch_numbers

_Units = Mapping[tuple[int, str], float]
"""A score of one dimension by batch and model."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Statistics by dimension; empty with the reason where nothing can be paired."""

    by_dimension: Mapping[str, PairedStatistics]
    why_none: str = ""
    left_out: int = 0
    """Batches of this run that hold other takes, or other words, than any of the earlier one."""


def paired_scores(current: TakesReceipt, prior: TakesReceipt) -> Paired:
    """Every dimension's difference, interval and p-value over the units both runs have."""
    if min(_batches(current), _batches(prior)) < 2:
        return Paired(
            {}, "one batch each gives no pairs: three scores cannot tell a drop from the noise of judges"
        )
    then = _same_batches(current, prior)
    left_out = _batches(current) - len(then)
    if not then:
        return Paired({}, "no batch holds the same takes in both runs: nothing pairs", left_out)
    samples = {
        name: _sample(_units(current, name), _renumbered(_units(prior, name), then)) for name in DIMENSIONS
    }
    kept = {name: sample for name, sample in samples.items() if sample is not None}
    if not kept:
        return Paired({}, "no judge has complete scores for the same batch in both runs", left_out)
    return Paired(dict(zip(kept, compare_paired(tuple(kept.values())), strict=True)), left_out=left_out)


def _same_batches(current: TakesReceipt, prior: TakesReceipt) -> Mapping[int, int]:
    """This run's number of a batch by the earlier run's, where both hold the same takes in the same order."""
    now = {content: number for number, content in _contents(current).items()}
    return {number: now[content] for number, content in _contents(prior).items() if content in now}


def _contents(receipt: TakesReceipt) -> Mapping[int, tuple[tuple[str, int, str], ...]]:
    """What every batch holds: page, row and digest of its takes; nothing where a receipt does not name them."""
    contents: dict[int, tuple[tuple[str, int, str], ...]] = {}
    takes = () if receipt.takes is UNSET else receipt.takes
    for number, take in zip(batch_numbers(receipt), takes, strict=True):
        contents[number] = (*contents.get(number, ()), (take.page, take.row, take.sha8))
    return contents


def _renumbered(units: _Units, numbers: Mapping[int, int]) -> _Units:
    return {(numbers[batch], model): score for (batch, model), score in units.items() if batch in numbers}


def _batches(receipt: TakesReceipt) -> int:
    return 1 if receipt.batches is UNSET else receipt.batches


def _sample(current: _Units, prior: _Units) -> PairedSample | None:
    """Pairs in order of batch and model; None when there is none."""
    both = sorted(current.keys() & prior.keys())
    if not both:
        return None
    return PairedSample(
        clusters=tuple(f"batch-{batch + 1:03d}" for batch, _ in both),
        baseline=np.array([prior[key] for key in both], dtype=np.float64),
        candidate=np.array([current[key] for key in both], dtype=np.float64),
    )


def _units(receipt: TakesReceipt, name: str) -> _Units:
    """What counts of every judge in every batch: of the cycle that decided, or the median over them."""
    cycles = () if receipt.cycles is UNSET else receipt.cycles
    policy: CyclePolicy = "last" if receipt.cycle_policy is UNSET else receipt.cycle_policy
    found: dict[tuple[int, str], list[float]] = {}
    for cycle in _deciding(cycles, policy):
        scores = cycle.scores.get(name)
        for model, score in scores.per_model.items() if scores is not None else ():
            found.setdefault((cycle.batch, model), []).append(score)
    return {key: median(values) for key, values in found.items()}


def _deciding(cycles: Sequence[Cycle], policy: CyclePolicy) -> Sequence[Cycle]:
    """The last cycle decides but for medians: where all must pass, the first that does not ends the run."""
    last = max((cycle.cycle for cycle in cycles), default=0)
    return [cycle for cycle in cycles if policy == "median" or cycle.cycle == last]
