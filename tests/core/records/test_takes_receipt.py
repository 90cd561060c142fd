import json
import math
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from gate.core.records.takes_receipt import (
    DIMENSIONS,
    FILE_NAME,
    Agreement,
    Correction,
    Cycle,
    Fingerprints,
    SlotError,
    TakeReference,
    file_name,
    fingerprints_in,
    takes_document,
    takes_receipt,
    takes_receipt_bytes,
)
from tests.takes_factories import (
    SHARED,
    golden,
    inconclusive_document,
    receipt,
    receipt_document,
    shared,
)

REAL = ("real-pass", "real-fail-mean", "real-fenced", "real-inconclusive")
CONTRACT_KEYS = [
    "schema_version", "ts", "rubric_version", "rubric_sha8", "corpus", "prompt_sha8", "models_sha8", "models",
    "cycles_run", "successes_per_cycle", "verdict", "scores", "overall_score", "cost_usd", "improvements", "errors",
    "verdictMessage",
]  # fmt: skip


def as_jsonb(value: Any) -> Any:
    """The value as PostgreSQL's jsonb gives it back: keys by length, then by bytes."""
    if isinstance(value, dict):
        return {key: as_jsonb(value[key]) for key in sorted(value, key=lambda key: (len(key), key))}
    return [as_jsonb(each) for each in value] if isinstance(value, list) else value


def extended() -> dict[str, Any]:
    """A receipt with every key that came later."""
    cycle = {
        "batch": 0,
        "cycle": 0,
        "verdict": "inconclusive",
        "scores": {},
        "overall_score": None,
        "errors": [],
    }
    return receipt_document(
        protocol_version=2,
        correction_selection_rule="corrected_if_valid",
        corrections=[
            {"cycle": 0, "modelId": "b:two", "first_error": "parse_failed: x", "corrected": "valid"},
            {
                "cycle": 0,
                "modelId": "b:two",
                "first_error": "y",
                "corrected": "invalid",
                "corrected_error": "z",
            },
            {
                "cycle": 1,
                "modelId": "a:one",
                "first_error": "y",
                "corrected": None,
                "skipped_reason": "budget",
                "batch": 1,
            },
        ],
        seed=42,
        takes=[{"page": "people/ada", "row": 4, "sha8": "0a1b2c3d"}],
        batches=2,
        cycle_policy="median",
        cycles=[
            cycle,
            {
                **cycle,
                "batch": 1,
                "verdict": "pass",
                "scores": receipt_document()["scores"],
                "overall_score": 7.5,
            },
        ],
        agreement={
            name: {"range": 1, "sd": 0.5, "alpha": None, "units": 1}
            for name in sorted(DIMENSIONS, reverse=True)
        },
        unpriced_models=["a:one"],
    )


@pytest.mark.parametrize("name", REAL)
def test_a_receipt_of_the_original_program_is_written_again_byte_for_byte(name: str) -> None:
    document = shared(f"outputs/receipts/{name}.json")

    assert (
        takes_receipt_bytes(takes_receipt(document))
        == (SHARED / f"outputs/receipts/{name}.json").read_bytes()
    )


@pytest.mark.parametrize("name", REAL)
def test_a_receipt_out_of_the_database_has_the_bytes_it_has_on_disk(name: str) -> None:
    on_disk = takes_receipt(shared(f"outputs/receipts/{name}.json"))
    rows = shared("outputs/eval_takes_quality_runs-rows.json")

    (row,) = [one for one in rows if one["receipt_sha8_corpus"] == on_disk.fingerprints.corpus]

    assert takes_receipt_bytes(takes_receipt(row["receipt_json"])) == takes_receipt_bytes(on_disk)


def test_a_database_that_sorts_keys_loses_no_order() -> None:
    document = extended() | {"later": 1}

    again = takes_receipt(as_jsonb(document))

    assert takes_receipt_bytes(again) == takes_receipt_bytes(takes_receipt(document))
    assert again.agreement is not UNSET
    assert tuple(again.agreement) == DIMENSIONS


def test_keys_stand_in_the_contracts_order_and_later_ones_behind_them() -> None:
    written = list(json.loads(takes_receipt_bytes(takes_receipt(extended() | {"later": {"b": 1, "a": 2}}))))

    assert written[: len(CONTRACT_KEYS)] == CONTRACT_KEYS
    assert written[len(CONTRACT_KEYS) :] == [
        "protocol_version", "correction_selection_rule", "corrections", "seed", "takes", "batches", "cycle_policy",
        "cycles", "agreement", "unpriced_models", "later",
    ]  # fmt: skip


def test_a_receipt_without_later_keys_has_only_the_contracts() -> None:
    assert list(takes_document(receipt())) == CONTRACT_KEYS


def test_unknown_keys_are_kept() -> None:
    assert takes_document(receipt(later=[1, {"x": None}]))["later"] == [1, {"x": None}]


def test_every_part_is_read() -> None:
    found = takes_receipt(extended())

    assert found.fingerprints == Fingerprints("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd")
    assert found.takes == (TakeReference(page="people/ada", row=4, sha8="0a1b2c3d"),)
    assert found.corrections == (
        Correction(cycle=0, model_id="b:two", first_error="parse_failed: x", corrected="valid"),
        Correction(cycle=0, model_id="b:two", first_error="y", corrected="invalid", corrected_error="z"),
        Correction(
            cycle=1, model_id="a:one", first_error="y", corrected=None, skipped_reason="budget", batch=1
        ),
    )
    assert found.agreement == {name: Agreement(range=1, sd=0.5, alpha=None, units=1) for name in DIMENSIONS}
    assert found.cycles is not UNSET
    assert found.cycles[0] == Cycle(cycle=0, verdict="inconclusive", scores={}, overall_score=None, errors=())
    assert found.cycles[1].batch == 1


def test_an_inconclusive_receipt_needs_no_scores_and_may_have_all() -> None:
    assert takes_receipt(inconclusive_document()).errors == (
        SlotError(model_id="b:two", error="provider_error: 503"),
    )
    assert takes_receipt(receipt_document(verdict="inconclusive")).overall_score == 7.5


def without(dimension: str) -> dict[str, Any]:
    scores = receipt_document()["scores"]
    return {name: one for name, one in scores.items() if name != dimension}


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"schema_version": 2}, "schema_version is 2; this program reads version 1"),
        ({"schema_version": True}, r"schema_version"),
        ({"verdict": "fine"}, r"Invalid enum value 'fine' - at `\$\.verdict`"),
        ({"scores": without("signal_density")}, "scores lack signal_density"),
        ({"scores": {}}, "scores lack accuracy, attribution"),
        ({"overall_score": None}, "overall_score is null though there are scores"),
        ({"verdict": "inconclusive", "scores": without("accuracy")}, "scores lack accuracy"),
        ({"corpus": {"source": "db", "n_takes": 1, "slug_prefix": None}}, "corpus_sha8"),
        ({"prompt_sha8": "XYZ"}, r"prompt_sha8"),
        ({"ts": "yesterday"}, r"\$\.ts"),
        ({"models": []}, r"\$\.models"),
        ({"cost_usd": -0.5}, r"\$\.cost_usd"),
        ({"cycles_run": 1.5}, r"\$\.cycles_run"),
        ({"takes": [{"page": "a", "row": 0, "sha8": "0a1b2c3d"}]}, r"\$\.takes\[0\]\.row"),
        (
            {"cycles": [{"cycle": 0, "verdict": "pass", "scores": {}, "overall_score": 1, "errors": []}]},
            r"cycles\[0\]",
        ),
    ],
)
def test_what_is_no_receipt_of_version_one_is_refused_with_its_place(
    overrides: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        takes_receipt(receipt_document(**overrides))


@pytest.mark.parametrize("document", [None, [], "receipt", 1])
def test_what_is_no_object_is_no_receipt(document: object) -> None:
    with pytest.raises(ValueError, match="JSON object"):
        takes_receipt(document)


@pytest.mark.parametrize("key", CONTRACT_KEYS)
def test_every_key_of_the_contract_is_needed(key: str) -> None:
    document = receipt_document()
    del document[key]

    with pytest.raises(ValueError, match=key):
        takes_receipt(document)


def test_an_unknown_cost_is_unknown_and_not_zero() -> None:
    assert receipt(cost_usd=None).cost_usd is None
    assert b'"cost_usd": null' in takes_receipt_bytes(receipt(cost_usd=None))


@pytest.mark.parametrize(
    "broken",
    [
        {"overall_score": math.nan},
        {"overall_score": math.inf},
        {"cost_usd": -1.0},
        {"rubric_version": ""},
        {"others": {"schema_version": 7}},
        {"others": {"ts": "2026-11-30T12:00:01Z"}},
    ],
)
def test_what_would_not_be_read_again_is_not_written(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        takes_receipt_bytes(replace(receipt(), **broken))


def test_a_receipt_whose_scores_contradict_its_verdict_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="scores lack"):
        replace(receipt(), scores={})


def test_the_files_name_is_the_originals() -> None:
    name = golden("receipt_filename")

    found = fingerprints_in(name)

    assert found == Fingerprints("7a8db594", "f8c51b25", "8b36fee4", "b3d3c9a5")
    assert file_name(found) == name


@given(st.integers(1, 10**6))
def test_repeats_are_told_apart_and_still_known(repeat: int) -> None:
    fingerprints = receipt().fingerprints

    name = file_name(fingerprints, repeat=repeat)

    assert fingerprints_in(name) == fingerprints
    assert name.endswith(f"-{repeat}.json") is (repeat > 1)
    assert FILE_NAME.fullmatch(name)


@pytest.mark.parametrize(
    "name",
    [
        "takes-quality-7a8db594-f8c51b25-8b36fee4.json",
        "takes-quality-7a8db594-f8c51b25-8b36fee4-b3d3c9a5-0.json",
        "takes-quality-7A8DB594-f8c51b25-8b36fee4-b3d3c9a5.json",
        "takes-quality-7a8db594-f8c51b25-8b36fee4-b3d3c9a5.json.tmp",
        "takes-quality-7a8db594-f8c51b25-8b36fee4-b3d3c9a5.json\n",
        "x/takes-quality-7a8db594-f8c51b25-8b36fee4-b3d3c9a5.json",
    ],
)
def test_other_names_are_no_receipts(name: str) -> None:
    assert fingerprints_in(name) is None


def test_reading_changes_nothing_of_the_document() -> None:
    document = extended()
    before = deepcopy(document)

    takes_receipt(document)

    assert document == before
