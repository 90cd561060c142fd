import json

import msgspec
import pytest

from gate.core.replay.captures import CaptureFile, read_captures
from gate.core.replay.joined import objections_of_rows
from gate.core.replay.publishing import baseline_bytes
from gate.core.replay.thresholds import Thresholds
from tests.core.replay.captures import lines, row

FILE: CaptureFile = read_captures(lines(row("one", id=1), row("two", id=2, latency_ms=60)))
STRICT = Thresholds(jaccard=0.8, top1=0.5, latency_multiplier=2)


def line(**members: object) -> bytes:
    return json.dumps({"question_id": "1", **members}).encode()


def replayed(at_k: float, top1: float, delta: float | None = 0.0) -> bytes:
    figures = {"jaccard": at_k, "jaccard@k": at_k, "top1_stability": top1, "latency_ms": 40.0}
    return line(**figures, **({} if delta is None else {"latency_delta_ms": delta, "over_2x_latency": 0.0}))


def reasons(*rows: bytes) -> list[str]:
    return [f"{each.reason}: {each.message}" for each in objections_of_rows(rows, FILE.names(), FILE, STRICT)]


def test_a_replay_that_holds_has_nothing_against_it() -> None:
    assert reasons(replayed(0.8, 1.0), replayed(0.8, 0.0, None)) == []


def test_every_threshold_that_the_whole_misses_is_an_objection() -> None:
    assert reasons(replayed(1.0, 0.0), replayed(0.4, 0.5)) == [
        "threshold_missed: mean_jaccard@k is 0.7, the threshold is 0.8",
    ]
    # an errored query has found nothing: (1 + 0) / 2
    assert reasons(replayed(1.0, 1.0), line(error="timeout")) == [
        "threshold_missed: mean_jaccard@k is 0.5, the threshold is 0.8"
    ]


def test_the_latency_is_held_against_the_captures_that_were_asked() -> None:
    # captured: 20 ms and 60 ms, a mean of 40; twice as slow is 41 ms more
    assert reasons(replayed(1.0, 1.0, 41.0)) == [
        "threshold_missed: latency_ratio is 2.025, the threshold is 2"
    ]
    first = FILE.names()[:1]
    assert objections_of_rows([replayed(1.0, 1.0, 19.0)], first, FILE, STRICT) == ()
    assert objections_of_rows([replayed(1.0, 1.0, 21.0)], first, FILE, STRICT) != ()


def test_without_a_row_nothing_is_known() -> None:
    assert [each.partition(":")[0] for each in reasons()] == ["not_measured", "not_measured"]


def test_what_is_no_row_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        reasons(b"nonsense")


def test_a_baseline_that_is_asked_whole_brings_its_own_mean() -> None:
    data = baseline_bytes(
        FILE.captures, label="launch", published_at="2026-11-30T12:00:00.000Z", thresholds=STRICT
    )
    file = read_captures(data)
    (slow,) = objections_of_rows([replayed(1.0, 1.0, 41.0)] * 2, file.names(), file, STRICT)
    assert slow.message == "latency_ratio is 2.025, the threshold is 2"
