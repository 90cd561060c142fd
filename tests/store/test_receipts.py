"""Receipts that are to be a reference: only of a run that measured everything."""

import pytest

from gate.core.receipt import receipt_bytes, sealed
from gate.ports import UnusableReceiptError
from gate.store.receipts import finished_receipt_of, receipt_of
from tests.factories import outcome, report

MISSING_SHARD = outcome(reason="cancelled", verdict="inconclusive", message="shard 2/3 is missing")
FAILED = outcome(reason="threshold_missed", verdict="fail", message="hit misses its limit")


@pytest.mark.parametrize(
    ("verdict", "reason", "outcomes"),
    [
        ("inconclusive", "cancelled", (MISSING_SHARD,)),
        ("fail", "threshold_missed", (FAILED, MISSING_SHARD)),
    ],
)
def test_a_run_that_lacks_a_part_is_no_reference_whatever_its_verdict(
    verdict: str, reason: str, outcomes: tuple[object, ...]
) -> None:
    data = receipt_bytes(sealed(report(verdict=verdict, reason=reason, outcomes=outcomes)))

    assert finished_receipt_of(data, "receipt.json").reason == reason
    with pytest.raises(UnusableReceiptError, match="measured only a part"):
        receipt_of(data, "receipt.json")


def test_a_run_that_failed_is_a_reference_all_the_same() -> None:
    made = report(verdict="fail", reason="threshold_missed", outcomes=(FAILED,))

    assert receipt_of(receipt_bytes(sealed(made)), "receipt.json").verdict == "fail"
