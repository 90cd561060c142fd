"""The typed decoder and the published schema accept and refuse the same lines."""

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.core.records.objections import REASONS
from gate.core.records.row_decoder import decode_rows
from gate.core.records.row_fields import BOOKKEEPING, RESERVED
from gate.core.records.run_info import SHORTFALLS
from gate.errors import EvidenceError

ROOT = Path(__file__).parents[3]
DATA = ROOT.parent / "shared" / "data" / "gbrain"
REAL = (
    "lme-opaque-a.ndjson",
    "lme-opaque-r1.ndjson",
    "lme-opaque-r2.ndjson",
    "compare-w10a-a.ndjson",
    "compare-w10c-noninferiority-b.ndjson",
    "longmemeval-native-rows-a-sample.ndjson",
    "longmemeval-native-rows-r1-sample.ndjson",
    "outputs/lme-nightly-balanced.jsonl",
)


@cache
def validator() -> Draft202012Validator:
    schema = json.loads((ROOT / "schemas" / "question-row.v1.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def decodes(document: object) -> bool:
    try:
        decode_rows([json.dumps(document).encode()], name="rows")
    except EvidenceError:
        return False
    return True


def agree(document: object) -> None:
    assert decodes(document) == validator().is_valid(document)


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
number = st.one_of(
    st.integers(-3, 12),
    st.sampled_from(
        [2**31 - 1, 2**31, 2**53, 2**53 + 2, -(2**53) - 2, 10**308, 10**400, 1.0, 1.5, 1e308, -0.0]
    ),
    st.floats(allow_nan=False, allow_infinity=False),
)
leaf = st.one_of(st.none(), st.booleans(), number, text)
value = st.one_of(
    leaf,
    st.lists(leaf, max_size=3),
    st.lists(text, max_size=3),
    st.dictionaries(text, leaf, max_size=3),
)
named = st.sampled_from(
    sorted(RESERVED | set(BOOKKEEPING) | {"x_rank", "rank_x", "reciprocal_rank", "m", "recall@5"})
)
names = st.one_of(named, named, text)
row = st.fixed_dictionaries(
    {"question_id": st.one_of(text, text, text, value)},
    optional={"kind": st.sampled_from(["row", "by_type_summary", 3])},
)
rows = st.builds(lambda known, others: {**others, **known}, row, st.dictionaries(names, value, max_size=5))
objection = st.one_of(
    st.fixed_dictionaries(
        {
            "rule": st.one_of(text, value),
            "reason": st.sampled_from([*REASONS, "tired"]),
            "message": st.one_of(text, value),
        },
        optional={"more": value},
    ),
    value,
)
run_line = st.builds(
    lambda known, others: {**others, **known},
    st.fixed_dictionaries(
        {"kind": st.one_of(st.just("run_info"), st.just("by_type_summary"), value)},
        optional={
            "units": st.one_of(st.dictionaries(text, st.one_of(text, text, leaf), max_size=2), value),
            "metrics": st.one_of(st.lists(names, max_size=2), value),
            "native": st.one_of(st.booleans(), value),
            "fingerprints": st.one_of(st.dictionaries(text, leaf, max_size=2), value),
            "questions": st.one_of(number, value),
            "shortfalls": st.one_of(
                st.dictionaries(st.sampled_from([*SHORTFALLS, "x"]), leaf, max_size=2), value
            ),
            "applies_to": st.one_of(st.dictionaries(text, leaf, max_size=2), value),
            "objections": st.one_of(st.lists(objection, max_size=2), value),
            "notes": value,
        },
    ),
    st.dictionaries(names.filter(lambda name: name != "question_id"), leaf, max_size=3),
)


@settings(max_examples=400, deadline=None)
@given(rows)
@example({"question_id": "a", 'quo"te': 1})
@example({"question_id": "a", "line\n": 1})
@example({"question_id": "a", "m": 10**400})
@example({"question_id": "a", "seed": 10**400})
@example({"question_id": 3, "kind": "by_type_summary"})
def test_rows(document: dict[str, object]) -> None:
    agree(document)


@pytest.mark.parametrize("fields", [1999, 2000])
def test_no_more_fields_than_a_row_can_mean(fields: int) -> None:
    agree({"question_id": "a", **{f"f{number}": 1 for number in range(fields)}})


@pytest.mark.parametrize("field", sorted(RESERVED | {"m", "seed", "x_rank", "reciprocal_rank"}))
def test_every_kind_of_value_in_every_field(field: str) -> None:
    whole = [0, 1, -1, 1.0, 1.5, 2**31, 2**53, 2**53 + 2, 10**400]
    for content in (None, True, False, *whole, "", "t", [], ["t"], ["t", 1], {}, {"a": 1}):
        agree({"question_id": "a", field: content})


@settings(max_examples=400, deadline=None)
@given(run_line)
@example({"kind": "run_info", "x" * 201: None})
@example({"kind": "run_info", "fingerprints": {"x" * 201: "t"}})
@example({"kind": "run_info", "k": 10**400})
@example({"kind": "other", "k": 10**400, "metrics": 3})
@example({"kind": "run_info", "applies_to": {"m": 1.0}})
@example({"kind": "run_info", "applies_to": {"m": True}})
@example({"kind": "run_info", "shortfalls": {"deadline": None}})
@example({"kind": "run_info", "shortfalls": {"deadline": 1.0}})
@example({"kind": "run_info", "questions": 10**400})
@example({"kind": "run_info", "objections": [{"rule": "r", "reason": "panel_fail", "message": "m" * 501}]})
@example({"kind": "run_info", "objections": [{"rule": "", "reason": "panel_fail", "message": "m"}]})
@example({"kind": "run_info", "objections": [{"rule": "r", "reason": "identical", "message": "m"}]})
def test_lines_about_the_run(document: dict[str, object]) -> None:
    agree(document)


@pytest.mark.parametrize("document", [None, 3, "t", [], {}, {"m": 1}, {"question_id": None}, {"kind": 3}])
def test_what_is_no_row(document: object) -> None:
    assert not decodes(document)
    agree(document)


def test_the_examples_of_the_schema_are_accepted() -> None:
    for document in validator().schema["examples"]:
        assert decodes(document)
        agree(document)


@pytest.mark.parametrize("name", REAL)
def test_real_rows(name: str) -> None:
    file = DATA / name
    if not file.exists():
        pytest.skip("../shared/data is not here")
    for line in file.read_text().splitlines():
        document = json.loads(line)
        assert decodes(document)
        agree(document)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_real_rows_with_one_field_changed(data: st.DataObject) -> None:
    file = DATA / "longmemeval-native-rows-a-sample.ndjson"
    if not file.exists():
        pytest.skip("../shared/data is not here")
    document = json.loads(file.read_text().splitlines()[0])
    document[data.draw(st.sampled_from(sorted(document)))] = data.draw(value)
    agree(document)
