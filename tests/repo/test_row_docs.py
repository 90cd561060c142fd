"""The list of fields that are no metrics is the same in the code, in the schema and in docs/rows.md."""

import json
import re
from pathlib import Path

import pytest

from gate.core.records.row_decoder import decode_rows
from gate.core.records.row_fields import (
    BOOKKEEPING,
    BOOKKEEPING_PREFIXES,
    BOOKKEEPING_SUFFIXES,
    METRIC_SUFFIXES,
    NATIVE_FIELDS,
    RESERVED,
)
from gate.core.records.row_lines import MAX_LINE_BYTES
from gate.core.records.row_shape import MAX_FIELDS
from gate.core.records.row_types import MEANT

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rows.md").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "schemas" / "question-row.v1.schema.json").read_text(encoding="utf-8"))
LISTED = RESERVED | set(BOOKKEEPING)
AFFIXES = {*BOOKKEEPING_PREFIXES, *BOOKKEEPING_SUFFIXES, *METRIC_SUFFIXES}


def named(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_the_page_lists_exactly_the_fields_that_are_no_metrics() -> None:
    listed = section("What is never a metric").partition("A field with numbers")[0]
    assert named(listed) == LISTED | AFFIXES


def test_the_schema_lists_exactly_the_fields_that_are_no_metrics() -> None:
    row = SCHEMA["$defs"]["row"]
    assert set(row["properties"]) == LISTED
    words = set(re.findall(r"[\w@]+", SCHEMA["description"]))
    assert words >= LISTED | AFFIXES


@pytest.mark.parametrize("affix", sorted(AFFIXES))
def test_the_schema_knows_every_beginning_and_ending(affix: str) -> None:
    patterns = " ".join(SCHEMA["$defs"]["row"]["patternProperties"])
    assert affix.removesuffix("_rank") in patterns


def test_the_page_explains_every_field_of_generic_rows() -> None:
    fields = set(MEANT) - set(NATIVE_FIELDS) - {"answer_session_ids"} | {"retrieved"}
    rows = [line for line in section("Fields that tell more").splitlines() if line.startswith("| `")]
    assert {line.split("`")[1] for line in rows} == fields


def test_the_page_names_what_makes_rows_native() -> None:
    assert named(section("Native LongMemEval rows").partition("are native")[0]) == set(NATIVE_FIELDS)


def test_the_examples_of_the_page_can_be_read() -> None:
    examples = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        decode_rows([example.encode()], name="docs/rows.md")


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    assert f"longer than {MAX_LINE_BYTES >> 20} MiB" in PAGE
    assert f"more than {MAX_FIELDS:,} different field names" in PAGE
    assert SCHEMA["$defs"]["row"]["maxProperties"] == MAX_FIELDS
