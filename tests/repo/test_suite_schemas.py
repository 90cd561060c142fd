"""The published schemas of the suites' inputs and what reads them agree on what is valid."""

import json
from collections.abc import Callable

import pytest
from jsonschema import Draft202012Validator

from gate.core.brainbench.result import baseline_of, baseline_text, read_baseline, read_result
from gate.core.replay.captures import read_captures
from gate.core.replay.publishing import baseline_bytes
from gate.core.replay.thresholds import Thresholds
from gate.store.schema_files import load
from tests.core.brainbench.results import BASELINE, DATA, RESULT, baseline_object, real, result, result_object
from tests.core.replay.captures import lines, row

Read = Callable[[bytes], object]

JUNK: tuple[object, ...] = (None, True, -1, 1.5, "text", [], {}, [1], {"a": "b"})


def accepted(read: Read, document: object) -> bool:
    try:
        read(json.dumps(document).encode())
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("key", ["schema_version", "tool_name", "query", "retrieved_slugs", "latency_ms"])
@pytest.mark.parametrize("value", JUNK)
def test_a_capture_is_valid_for_both_or_for_neither(key: str, value: object) -> None:
    document = row(**{key: value})
    assert Draft202012Validator(load("replay-capture.v1")).is_valid(document) == accepted(
        read_captures, document
    )


@pytest.mark.parametrize("key", [*result_object()])
@pytest.mark.parametrize("value", JUNK)
def test_a_result_is_valid_for_both_or_for_neither(key: str, value: object) -> None:
    document = {**result_object(), key: value}
    valid = Draft202012Validator(load("brainbench-result.v1")).is_valid(document)
    assert valid == accepted(read_result, document)


@pytest.mark.parametrize("key", ["schema_version", "fixtures_hash", "config"])
@pytest.mark.parametrize("value", JUNK)
def test_a_baseline_is_valid_for_both_or_for_neither(key: str, value: object) -> None:
    document = baseline_object(**{key: value})
    valid = Draft202012Validator(load("brainbench-baseline.v1")).is_valid(document)
    assert valid == accepted(read_baseline, document)


def test_what_is_published_follows_the_schema() -> None:
    captures = read_captures(lines(row())).captures
    made = baseline_bytes(
        captures, label="x", published_at="2026-11-30T12:00:00.000Z", thresholds=Thresholds()
    )
    for line in made.splitlines():
        Draft202012Validator(load("replay-baseline.v1")).validate(json.loads(line))
    text = baseline_text(baseline_of(result(), "first"))
    Draft202012Validator(load("brainbench-baseline.v1")).validate(json.loads(text))


def test_the_real_files_follow_their_schemas() -> None:
    Draft202012Validator(load("brainbench-result.v1")).validate(json.loads(real(RESULT)))
    Draft202012Validator(load("brainbench-baseline.v1")).validate(json.loads(real(BASELINE)))
    for line in real(DATA / "v0.41-launch.baseline.ndjson").splitlines():
        Draft202012Validator(load("replay-baseline.v1")).validate(json.loads(line))
