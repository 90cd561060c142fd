"""The least that a committed BrainBench baseline must hold, whatever it replaces."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.core.brainbench.comparison import ISOLATION, Breach
from gate.core.brainbench.result import Baseline

CEILINGS: Final[Mapping[str, float]] = {
    "know_to_ask_failure_rate": 0.05,
    "false_fire_rate": 0.03,
    ISOLATION: 0,
}
PRECISION_FLOOR: Final = 0.95
RECALL_FLOORS: Final[Mapping[str, float]] = {"openclaw": 0.88, "claude-code": 0.72, "codex": 0.52}
"""By harness; one that is not here has no floor."""


def floors(baseline: Baseline) -> tuple[Breach, ...]:
    """Every figure beyond its floor or ceiling; one equal to it holds."""
    return tuple(_beyond(baseline))


def _beyond(baseline: Baseline) -> Iterator[Breach]:
    for cell, metrics in baseline.cells.items():
        for metric, seen in metrics.items():
            ceiling, floor = CEILINGS.get(metric), _floor(cell, metric)
            if ceiling is not None and not seen <= ceiling:
                yield _breach(cell, metric, ceiling, seen, "at most")
            if floor is not None and not seen >= floor:
                yield _breach(cell, metric, floor, seen, "at least")


def _floor(cell: str, metric: str) -> float | None:
    if metric == "push_precision":
        return PRECISION_FLOOR
    return RECALL_FLOORS.get(cell.partition("/")[0]) if metric == "push_recall" else None


def _breach(cell: str, metric: str, limit: float, seen: float, word: str) -> Breach:
    return Breach(
        cell=cell, metric=metric, baseline=limit, current=seen, detail=f"{word} {limit:g}, not {seen:g}"
    )
