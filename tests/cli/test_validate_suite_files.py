"""`gate validate` on captures, replay baselines and BrainBench files: the schema first, then what it cannot say."""

import json
from pathlib import Path

import pytest

from gate.core.replay.captures import read_captures
from gate.core.replay.publishing import baseline_bytes
from gate.core.replay.thresholds import Thresholds
from tests.core.brainbench.results import baseline_object, cell_object, result_object
from tests.core.replay.captures import lines, row
from tests.program import gate

Printed = pytest.CaptureFixture[str]
PUBLISHED = baseline_bytes(
    read_captures(lines(row())).captures,
    label="launch",
    published_at="2026-11-30T12:00:00.000Z",
    thresholds=Thresholds(),
)


@pytest.mark.parametrize(
    ("name", "data", "contract"),
    [
        ("captures.ndjson", lines(row()), "replay-capture.v1"),
        ("x.baseline.ndjson", PUBLISHED, "replay-baseline.v1"),
        ("result.json", json.dumps(result_object(), indent=2).encode(), "brainbench-result.v1"),
        ("line.json", json.dumps(result_object()).encode(), "brainbench-result.v1"),
        ("main.json", json.dumps(baseline_object(), indent=2).encode(), "brainbench-baseline.v1"),
    ],
)
def test_each_is_recognised_by_its_content(
    tmp_path: Path, capsys: Printed, name: str, data: bytes, contract: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    done = gate(capsys, "validate", path)
    assert (done.code, done.err) == (0, "")
    assert f"valid {contract}" in done.out


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("captures.ndjson", lines(row(), row(latency_ms="slow")), "latency_ms"),
        ("x.baseline.ndjson", PUBLISHED.replace(b'"row_count":1', b'"row_count":2'), "there are 1 rows"),
        (
            "result.json",
            json.dumps(result_object(cells=[cell_object(gold_failed=9)])).encode(),
            "more than `gold_total` 1",
        ),
        ("main.json", json.dumps(baseline_object(counts={})).encode(), "under only one"),
    ],
)
def test_what_is_not_true_is_not_valid(
    tmp_path: Path, capsys: Printed, name: str, data: bytes, said: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    done = gate(capsys, "validate", path)
    assert done.code == 65
    assert said in done.out + done.err
