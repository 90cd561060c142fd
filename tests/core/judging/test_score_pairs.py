from typing import Any

import pytest

from gate.core.judging.score_pairs import paired_scores
from gate.core.records.takes_receipt import DIMENSIONS, TakesReceipt
from tests.takes_factories import receipt


def cycle(batch: int, number: int, per_model: dict[str, float]) -> dict[str, Any]:
    values = list(per_model.values())
    one = {"mean": 8, "min": 7, "max": 9, "scores": values, "per_model": per_model}
    return {
        "batch": batch,
        "cycle": number,
        "verdict": "pass" if values else "inconclusive",
        "scores": dict.fromkeys(DIMENSIONS, one) if values else {},
        "overall_score": 8 if values else None,
        "errors": [],
    }


def of(*cycles: dict[str, Any], batches: int = 2, **overrides: Any) -> TakesReceipt:
    return receipt(batches=batches, cycles=list(cycles), **overrides)


def test_units_are_paired_by_batch_and_model_and_clustered_by_batch() -> None:
    prior = of(cycle(0, 0, {"a": 8, "b": 9}), cycle(1, 0, {"a": 7, "b": 8}))
    current = of(cycle(0, 0, {"a": 7, "b": 9}), cycle(1, 0, {"a": 6, "c": 1}))

    found = paired_scores(current, prior).by_dimension["accuracy"]

    assert (found.n, found.clusters, found.wins, found.losses, found.ties) == (3, 2, 0, 2, 1)
    assert found.delta == pytest.approx(-2 / 3)
    assert found.lower95 is not None


def test_the_last_cycle_counts_but_medians_are_over_all() -> None:
    cycles = [
        cycle(batch, number, {"a": score}) for number, score in enumerate((2.0, 9.0, 5.0)) for batch in (0, 1)
    ]
    prior = of(cycle(0, 0, {"a": 4}), cycle(1, 0, {"a": 4}))
    rising = of(*cycles[:4])

    last = paired_scores(rising, prior).by_dimension["accuracy"]
    medians = paired_scores(of(*cycles, cycle_policy="median"), prior).by_dimension["accuracy"]

    assert (last.candidate_mean, medians.candidate_mean) == (9, 5)


@pytest.mark.parametrize(
    ("current", "prior", "why"),
    [
        (receipt(), receipt(), "one batch each gives no pairs"),
        (of(batches=3), of(batches=2), "the runs have 2 and 3 batches"),
        (of(cycle(0, 0, {})), of(cycle(0, 0, {"a": 8})), "no judge has complete scores"),
    ],
)
def test_where_nothing_pairs_the_reason_is_told(current: TakesReceipt, prior: TakesReceipt, why: str) -> None:
    found = paired_scores(current, prior)

    assert dict(found.by_dimension) == {}
    assert found.why_none.startswith(why)
