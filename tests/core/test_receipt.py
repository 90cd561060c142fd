import json

import msgspec
import pytest
from msgspec.structs import replace

from gate.core.plan import Plan
from gate.core.receipt import digest, plan_digest, receipt_bytes, report_of, sealed
from tests.scenarios import SIGNIFICANT, evidence, flipped, judged, plan
from tests.tables import table


def finished() -> "object":
    before, after = flipped(40, losses=12)
    return sealed(judged(plan(SIGNIFICANT), evidence(table(40, hit=after), table(40, hit=before))))


def test_a_receipt_survives_the_way_to_disk_and_back() -> None:
    report = finished()

    assert report_of(json.loads(receipt_bytes(report))) == report  # type: ignore[arg-type]


def test_a_sealed_receipt_is_complete_and_carries_its_own_digest() -> None:
    document = json.loads(receipt_bytes(finished()))  # type: ignore[arg-type]

    assert document["complete"] is True
    assert document["receipt-sha256"] == digest(document)


def test_the_digest_covers_every_other_field() -> None:
    document = json.loads(receipt_bytes(finished()))  # type: ignore[arg-type]
    sealed_as = document["receipt-sha256"]

    for key in document.keys() - {"receipt-sha256"}:
        assert digest(document | {key: "changed"}) != sealed_as
    assert digest(document | {"receipt-sha256": "changed"}) == sealed_as
    assert digest(document | {"added": 1}) != sealed_as


def test_the_order_of_keys_does_not_matter_to_the_digest() -> None:
    document = json.loads(receipt_bytes(finished()))  # type: ignore[arg-type]

    assert digest(dict(reversed(document.items()))) == document["receipt-sha256"]


def test_sealing_again_changes_nothing() -> None:
    report = finished()

    assert sealed(report) == report  # type: ignore[arg-type]


def test_equal_plans_have_equal_digests() -> None:
    assert plan_digest(plan(SIGNIFICANT)) == plan_digest(plan(SIGNIFICANT))
    assert plan_digest(plan(SIGNIFICANT)) != plan_digest(replace(plan(SIGNIFICANT), gate="other"))
    assert plan_digest(Plan()) == plan_digest(msgspec.convert(msgspec.to_builtins(Plan()), Plan))


def test_a_document_of_another_shape_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        report_of({"verdict": "pass"})
