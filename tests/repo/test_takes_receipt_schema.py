"""The published schema of a takes-quality receipt and the typed receipt say the same."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.core.contracts import contract_of
from gate.core.records.takes_receipt import DIMENSIONS, takes_receipt, takes_receipt_bytes
from gate.store.schema_files import load
from tests.takes_factories import inconclusive_document, receipt_document, shared

SCHEMA = load("takes-quality-receipt.v1")
VALIDATOR = Draft202012Validator(SCHEMA)
REAL = ("real-pass", "real-fail-mean", "real-fenced", "real-inconclusive")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([0.5, -0.5]) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
dimension_scores = st.fixed_dictionaries(
    {
        "mean": st.integers(0, 10),
        "min": st.sampled_from([1, 2.5]),
        "max": st.just(9) | json_values,
        "scores": st.lists(st.integers(0, 10), max_size=2),
        "per_model": st.dictionaries(st.text(max_size=3), st.integers(0, 10), max_size=2),
    },
    optional={"failReason": st.text(max_size=3) | st.none()},
)
scores = st.dictionaries(st.sampled_from(["extra", *DIMENSIONS]), dimension_scores)
likely = {
    "verdict": st.sampled_from(["pass", "fail", "inconclusive", "fine"]),
    "scores": scores | st.just({}) | st.just(receipt_document()["scores"]),
    "overall_score": st.none() | st.floats(0, 10),
    "schema_version": st.integers(0, 3),
    "protocol_version": st.integers(0, 3) | st.none(),
    "takes": st.lists(
        st.fixed_dictionaries({"page": st.text(max_size=2), "row": st.integers(0, 2), "sha8": st.just("0a1b2c3d")}),
        max_size=2,
    ),
    "agreement": st.dictionaries(
        st.sampled_from(DIMENSIONS),
        st.fixed_dictionaries(
            {"range": st.just(1), "sd": st.just(0.5), "alpha": st.none() | st.just(1), "units": st.integers(-1, 2)}
        ),
    ),
    "cycles": st.lists(
        st.fixed_dictionaries(
            {
                "cycle": st.integers(-1, 2),
                "verdict": st.sampled_from(["pass", "inconclusive"]),
                "scores": scores | st.just({}) | st.just(receipt_document()["scores"]),
                "overall_score": st.none() | st.just(7),
                "errors": st.just([]),
            }
        ),
        max_size=2,
    ),
}  # fmt: skip


def agree(document: dict[str, Any]) -> None:
    if VALIDATOR.is_valid(document):
        VALIDATOR.validate(json.loads(takes_receipt_bytes(takes_receipt(document))))
    else:
        with pytest.raises(ValueError, match=r"."):
            takes_receipt(document)


@given(st.fixed_dictionaries({}, optional=likely))
def test_schema_and_type_accept_and_refuse_the_same_receipts(overrides: dict[str, Any]) -> None:
    agree(receipt_document(**overrides))


@given(st.sampled_from(sorted(SCHEMA["properties"])), json_values)
def test_schema_and_type_agree_about_any_value_under_any_key(key: str, value: object) -> None:
    agree(inconclusive_document(**{key: value}))


@given(st.sampled_from(sorted(SCHEMA["properties"])))
def test_schema_and_type_agree_about_what_may_be_missing(key: str) -> None:
    document = receipt_document()
    document.pop(key, None)
    agree(document)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", REAL)
def test_receipts_the_original_program_wrote_follow_the_schema(name: str) -> None:
    VALIDATOR.validate(shared(f"outputs/receipts/{name}.json"))


def test_a_receipt_is_known_by_what_stands_in_it_whatever_its_version() -> None:
    assert contract_of(receipt_document()) == "takes-quality-receipt.v1"
    assert contract_of(receipt_document(schema_version=2)) == "takes-quality-receipt.v1"
