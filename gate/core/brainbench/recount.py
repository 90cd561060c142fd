"""A result's figures counted again from its own turns: a figure that does not follow from them is not believed.

Know-to-ask and push are told by their turns alone; write-back and continuity are scored on stored facts that a
result does not hold. Of a cell with unlabelled turns only the injected tokens and the leaks can be counted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.brainbench.result import Cell, Gold, Result, Turn
from gate.core.records.ecmascript import math_round

_DECIMALS: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the turns of one cell say; counts are None where the turns do not tell them."""

    gold_total: int | None
    gold_failed: int | None
    metrics: Mapping[str, float]


def contradictions(result: Result) -> tuple[str, ...]:
    """Every figure of a cell that its turns contradict; a result without turns contradicts nothing."""
    turns: dict[str, list[Turn]] = {}
    for turn in result.turn_rows:
        turns.setdefault(f"{turn.harness}/{turn.suite}", []).append(turn)
    return tuple(
        f"{cell.key}: `{name}` is {stated:g}, its turns say {counted:g}"
        for cell in result.cells
        if cell.key in turns
        for name, stated, counted in _compared(cell, figures(cell.suite, turns[cell.key]))
        if stated != counted
    )


def figures(suite: str, turns: Sequence[Turn]) -> Figures:
    """The figures of one cell, metrics rounded as the contract rounds them."""
    labelled = [(turn, turn.gold) for turn in turns if turn.gold is not None]
    count = _COUNTED.get(suite)
    told = count(labelled) if count is not None and len(labelled) == len(turns) else _UNTOLD
    tokens = sum(turn.injected_tokens for turn in turns) / len(turns) if turns else 0
    leaks = sum(len(turn.cross_source_slugs) for turn in turns)
    shared = {"avg_injected_tokens": tokens, "source_isolation_violations": leaks}
    metrics = {name: _rounded(value) for name, value in {**told.metrics, **shared}.items()}
    return Figures(gold_total=told.gold_total, gold_failed=told.gold_failed, metrics=metrics)


def missed(turn: Turn, gold: Gold) -> bool:
    """Whether a turn that should have brought something up brought nothing right."""
    return gold.should_retrieve and not _right(gold).intersection(turn.injected_slugs)


def fired(turn: Turn, gold: Gold) -> bool:
    """Whether something was brought up where there should have been silence."""
    return not gold.should_retrieve and bool(turn.injected_slugs)


def precision_parts(turn: Turn, gold: Gold) -> tuple[int, int]:
    """How many of the injected pages were right, of how many."""
    right = _right(gold)
    return sum(slug in right for slug in turn.injected_slugs), len(turn.injected_slugs)


def recall_parts(turn: Turn, gold: Gold) -> tuple[int, int]:
    """How many of the gold pages were injected, of how many; none are asked for in silence."""
    wanted = frozenset(gold.gold_slugs) if gold.should_retrieve else frozenset[str]()
    return len(wanted.intersection(turn.injected_slugs)), len(wanted)


_Labelled = Sequence[tuple[Turn, Gold]]
_UNTOLD: Final = Figures(gold_total=None, gold_failed=None, metrics={})


def _know_to_ask(labelled: _Labelled) -> Figures:
    misses = sum(missed(turn, gold) for turn, gold in labelled)
    fires = sum(fired(turn, gold) for turn, gold in labelled)
    asked = sum(gold.should_retrieve for _, gold in labelled)
    return Figures(
        gold_total=len(labelled),
        gold_failed=misses + fires,
        metrics={
            "know_to_ask_failure_rate": _share(misses, asked, 0),
            "false_fire_rate": _share(fires, len(labelled) - asked, 0),
        },
    )


def _push(labelled: _Labelled) -> Figures:
    right, injected = _sums(precision_parts(turn, gold) for turn, gold in labelled)
    pushed, wanted = _sums(recall_parts(turn, gold) for turn, gold in labelled)
    return Figures(
        gold_total=wanted,
        gold_failed=wanted - pushed,
        metrics={"push_precision": _share(right, injected, 1), "push_recall": _share(pushed, wanted, 1)},
    )


_COUNTED: Final[Mapping[str, Callable[[_Labelled], Figures]]] = {
    "know-to-ask": _know_to_ask,
    "push": _push,
}


def _right(gold: Gold) -> frozenset[str]:
    return frozenset((*gold.gold_slugs, *gold.acceptable_slugs))


def _sums(parts: Iterator[tuple[int, int]]) -> tuple[int, int]:
    first = second = 0
    for one, other in parts:
        first, second = first + one, second + other
    return first, second


def _share(part: int, whole: int, empty: float) -> float:
    return part / whole if whole else empty


def _rounded(value: float) -> float:
    return math_round(value * _DECIMALS) / _DECIMALS


def _compared(cell: Cell, counted: Figures) -> Iterator[tuple[str, float, float]]:
    """Each figure that both have: its name, what the cell states, what was counted."""
    if counted.gold_total is not None and counted.gold_failed is not None:
        yield "gold_total", cell.gold_total, counted.gold_total
        yield "gold_failed", cell.gold_failed, counted.gold_failed
    for name in sorted(cell.metrics.keys() & counted.metrics.keys()):
        yield name, cell.metrics[name], counted.metrics[name]
