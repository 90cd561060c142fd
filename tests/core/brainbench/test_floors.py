"""A committed baseline holds its floors, whatever it replaces."""

import pytest

from gate.core.brainbench.floors import floors
from gate.core.brainbench.result import read_baseline
from tests.core.brainbench.results import BASELINE, baseline, pushed, real


def test_the_real_baseline_holds_every_floor() -> None:
    assert floors(read_baseline(real(BASELINE))) == ()


@pytest.mark.parametrize(("harness", "floor"), [("openclaw", 0.88), ("claude-code", 0.72), ("codex", 0.52)])
def test_every_harness_has_a_recall_of_its_own_to_hold(harness: str, floor: float) -> None:
    def with_recall(recall: float) -> int:
        cell = f"{harness}/push"
        counts = {cell: {"gold_total": 1, "gold_failed": 0}}
        return len(floors(baseline(cells={cell: {"push_recall": recall}}, counts=counts)))

    assert with_recall(floor) == 0
    assert with_recall(floor - 0.0001) == 1


def test_an_unknown_harness_has_no_recall_to_hold() -> None:
    counts = {"new/push": {"gold_total": 1, "gold_failed": 1}}
    assert floors(baseline(cells={"new/push": {"push_recall": 0}}, counts=counts)) == ()


def test_what_lies_beyond_is_named_with_its_limit() -> None:
    found = floors(
        baseline(**pushed(failed=0, push_precision=0.9, false_fire_rate=0.04, source_isolation_violations=1))
    )
    assert [(each.metric, each.detail) for each in found] == [
        ("push_precision", "at least 0.95, not 0.9"),
        ("source_isolation_violations", "at most 0, not 1"),
        ("false_fire_rate", "at most 0.03, not 0.04"),
    ]
