"""The published schema of a run record and the typed record that the gate writes say the same."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.core.records.new_record import record_line
from gate.store.schema_files import load
from tests.run_factories import new_record, run_object

VALIDATOR = Draft202012Validator(load("run-record.v3"))
SHARED = Path(__file__).parents[3] / "shared" / "data" / "gbrain"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=5), json_values), st.sampled_from(["completed", "failed"]))
def test_every_line_the_gate_writes_follows_the_schema(params: dict[str, object], status: str) -> None:
    VALIDATOR.validate(json.loads(record_line(new_record(params=params, status=status))))


@given(
    st.sampled_from(
        ["run_id", "ran_at", "suite", "mode", "commit", "seed", "params", "status", "duration_ms"]
    ),
    json_values,
)
def test_what_the_schema_refuses_is_never_written(key: str, value: object) -> None:
    if VALIDATOR.is_valid({**run_object(), key: value}):
        record_line(new_record(**{key: value}))
    else:
        with pytest.raises(ValueError, match=r"Expected|Invalid"):
            record_line(new_record(**{key: value}))


@pytest.mark.parametrize("version", [2, 3])
def test_records_of_both_versions_follow_the_schema(version: int) -> None:
    assert VALIDATOR.is_valid(run_object(schema_version=version))


@pytest.mark.parametrize(
    "overrides",
    [
        {"schema_version": 1},
        {"schema_version": 2, "mode": "n/a"},
        {"status": "done"},
        {"ran_at": "now"},
        {"metrics": 1},
    ],
)
def test_what_is_no_record_is_refused(overrides: dict[str, object]) -> None:
    assert not VALIDATOR.is_valid(run_object(**overrides))


def test_unknown_keys_are_allowed() -> None:
    assert VALIDATOR.is_valid(run_object(later=1))


@pytest.mark.parametrize("name", ["gbrain-ledger-eval-results.jsonl", "outputs/ledger-final.jsonl"])
def test_ledgers_the_original_program_wrote_follow_the_schema(name: str) -> None:
    path = SHARED / name
    if not path.exists():
        pytest.skip("the shared data set is not beside the repository")

    for line in path.read_text(encoding="utf-8").splitlines():
        VALIDATOR.validate(json.loads(line))
