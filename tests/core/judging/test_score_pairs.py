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
    takes = [reference(row, row - 1) for row in range(1, batches + 1)]
    return receipt(**{"batches": batches, "cycles": list(cycles), "takes": takes, **overrides})


def reference(row: int, batch: int | None, sha8: str = "0a1b2c3d") -> dict[str, Any]:
    placed = {} if batch is None else {"batch": batch}
    return {"page": "people/ada", "row": row, "sha8": sha8, **placed}


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
        (of(takes=[]), of(), "no batch holds the same takes in both runs"),
        (of(cycle(0, 0, {})), of(cycle(0, 0, {"a": 8})), "no judge has complete scores"),
    ],
)
def test_where_nothing_pairs_the_reason_is_told(current: TakesReceipt, prior: TakesReceipt, why: str) -> None:
    found = paired_scores(current, prior)

    assert dict(found.by_dimension) == {}
    assert found.why_none.startswith(why)


def test_only_batches_that_hold_the_same_takes_in_the_same_words_are_paired_whatever_their_numbers() -> None:
    prior = of(
        *(cycle(batch, 0, {"a": 8}) for batch in range(4)),
        batches=4,
        takes=[reference(row, (row - 1) // 2) for row in range(1, 9)],
    )
    # the first batch is gone, the second lost a take, one take of the third was edited
    current = of(
        *(cycle(batch, 0, {"a": score}) for batch, score in enumerate((1, 1, 6))),
        batches=3,
        takes=[
            reference(3, 0),
            reference(5, 1),
            reference(6, 1, "ffffffff"),
            reference(7, 2),
            reference(8, 2),
        ],
    )

    found = paired_scores(current, prior)

    assert found.left_out == 2
    assert (found.by_dimension["accuracy"].n, found.by_dimension["accuracy"].delta) == (1, -2)


def test_an_earlier_receipt_without_batch_numbers_was_cut_evenly() -> None:
    prior = of(
        cycle(0, 0, {"a": 8}), cycle(1, 0, {"a": 8}), takes=[reference(row, None) for row in (1, 2, 3)]
    )
    current = of(
        cycle(0, 0, {"a": 7}),
        cycle(1, 0, {"a": 6}),
        takes=[reference(1, 0), reference(2, 1), reference(3, 1)],
    )

    found = paired_scores(current, prior)

    assert (found.by_dimension["accuracy"].n, found.left_out) == (2, 0)
