"""The published splits of LongMemEval, made again from their seeds with the contract's generator."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, get_args

from gate.core.longmemeval.question import ABSTENTION

SplitName = Literal["dev40", "decision430", "halfA470", "halfB470", "halfA430", "halfB430"]
SPLIT_NAMES: Final[tuple[SplitName, ...]] = get_args(SplitName)

DEV_SIZE: Final = 40
DEV_SEED: Final = 42
SCORED_HALVES_SEED: Final = 4242
DECISION_HALVES_SEED: Final = 4243


def shuffled(ids: Sequence[str], seed: int) -> tuple[str, ...]:
    """The ids after Fisher and Yates, from the last place down; each place takes one number of the stream."""
    from gate.core.stats.generator import uniforms  # numpy: only who draws pays for it

    order = list(ids)
    draws = uniforms(seed, 0, max(len(order) - 1, 0)).tolist()
    for place, draw in zip(range(len(order) - 1, 0, -1), draws, strict=True):
        other = int(draw * (place + 1))
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def sample(ids: Iterable[str], size: int, seed: int) -> tuple[str, ...]:
    """`size` of the ids, sorted: the first of the shuffled sorted ids, as the development slice is drawn."""
    return tuple(sorted(shuffled(sorted(ids), seed)[:size]))


def splits(ids: Iterable[str]) -> Mapping[SplitName, tuple[str, ...]]:
    """Every split of a dataset's questions, sorted; questions to abstain from belong to none."""
    scored = sorted(each for each in ids if not each.endswith(ABSTENTION))
    dev = sample(scored, DEV_SIZE, DEV_SEED)
    decision = _without(scored, dev)
    half_scored = sample(scored, len(scored) // 2, SCORED_HALVES_SEED)
    half_decision = sample(decision, len(decision) // 2, DECISION_HALVES_SEED)
    return {
        "dev40": dev,
        "decision430": decision,
        "halfA470": half_scored,
        "halfB470": _without(scored, half_scored),
        "halfA430": half_decision,
        "halfB430": _without(decision, half_decision),
    }


def _without(ids: Sequence[str], left_out: Sequence[str]) -> tuple[str, ...]:
    gone = set(left_out)
    return tuple(each for each in ids if each not in gone)
