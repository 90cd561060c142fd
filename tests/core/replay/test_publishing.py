"""A baseline is what its captures make it, to the byte."""

import json
from pathlib import Path

import pytest

from gate.core.replay.captures import CaptureError, read_captures
from gate.core.replay.publishing import baseline_bytes
from gate.core.replay.thresholds import Thresholds
from tests.core.replay.captures import lines, row

BASELINE = Path(__file__).parents[4] / "shared" / "data" / "gbrain" / "v0.41-launch.baseline.ndjson"


def published(data: bytes) -> bytes:
    captures = read_captures(data).captures
    return baseline_bytes(
        captures, label="new", published_at="2026-11-30T12:00:00.000Z", thresholds=Thresholds()
    )


def test_publishing_the_captures_of_the_published_baseline_gives_its_bytes() -> None:
    if not BASELINE.exists():
        pytest.skip(f"no shared data at {BASELINE}")
    rows = [json.loads(line) for line in BASELINE.read_text().splitlines()[1:]]
    captured = lines(
        *({name: value for name, value in each.items() if name != "query_hash"} for each in rows[::-1])
    )
    made = baseline_bytes(
        read_captures(captured).captures,
        label="v0.41-launch",
        published_at="2026-05-24T00:00:00.000Z",
        thresholds=Thresholds(),
    )
    assert made == BASELINE.read_bytes()


def test_a_baseline_reads_back_with_every_check_holding() -> None:
    file = read_captures(published(lines(row("b"), row("a", id=8, tool_name="search", latency_ms=40))))
    assert file.header is not None
    assert file.header.mean_latency_ms == 30
    assert [each.query for each in file.captures] == ["b", "a"]  # query before search


def test_everything_that_was_captured_is_kept() -> None:
    line = json.loads(published(lines(row(salience="high", schema_version=1))).splitlines()[1])
    assert line["salience"] == "high"
    assert next(iter(line)) == "schema_version"
    assert list(line)[-1] == "query_hash"


def test_the_same_query_of_other_sources_is_another_one() -> None:
    assert published(lines(row(), row(source_ids=["wiki"])))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            lines(row(), row("Who  runs widget-co"), row()),
            "2 captured queries are there more than once: query",
        ),
        (lines(row(source_ids=["b", "a"]), row(source_ids=["a", "b"])), "1 captured queries"),
        (lines(row(), row("x", latency_ms=None)), "capture 2: a baseline needs `latency_ms`"),
    ],
)
def test_what_cannot_be_a_baseline_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(CaptureError, match=said):
        published(data)


def test_nothing_is_no_baseline() -> None:
    with pytest.raises(CaptureError, match="no captured query"):
        baseline_bytes((), label="", published_at="", thresholds=Thresholds())
