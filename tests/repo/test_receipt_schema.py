import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.generate_receipt_schema import PATH, text
from gate.core.receipt import receipt_bytes, sealed
from tests.scenarios import SIGNIFICANT, evidence, flipped, judged, plan
from tests.tables import table

SCHEMA = json.loads(PATH.read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_published_schema_is_the_one_the_report_gives() -> None:
    assert PATH.read_text() == text()
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@given(st.integers(0, 12), st.integers(0, 12))
def test_what_the_gate_writes_is_valid(losses: int, wins: int) -> None:
    before, after = flipped(30, losses=losses, wins=wins)
    report = sealed(judged(plan(SIGNIFICANT), evidence(table(30, hit=after), table(30, hit=before))))

    VALIDATOR.validate(json.loads(receipt_bytes(report)))


@pytest.mark.parametrize("key", ["verdict", "plan", "complete", "receipt-sha256", "schema_version", "kind"])
def test_a_receipt_without_a_part_that_matters_is_refused(key: str) -> None:
    document = json.loads(receipt_bytes(sealed(judged(plan(SIGNIFICANT)))))
    del document[key]

    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize(
    "change", [{"verdict": "fine"}, {"reason": "because"}, {"schema_version": 2}, {"receipt-sha256": "abc"}]
)
def test_values_off_the_lists_are_refused(change: dict[str, object]) -> None:
    document = json.loads(receipt_bytes(sealed(judged(plan(SIGNIFICANT)))))

    assert not VALIDATOR.is_valid(document | change)


def test_unknown_keys_are_kept_not_refused() -> None:
    document = json.loads(receipt_bytes(sealed(judged(plan(SIGNIFICANT)))))

    assert VALIDATOR.is_valid(document | {"later": 1})
