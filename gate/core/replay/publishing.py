"""Captures become a baseline: sorted, each query once, with what a later reader verifies it by."""

from collections.abc import Sequence
from typing import Final

from gate.core.records.ecmascript import json_text
from gate.core.replay.captures import (
    HEADER_KIND,
    SCHEMA_VERSION,
    Capture,
    CaptureError,
    mean_latency,
    source_hash,
)
from gate.core.replay.thresholds import Thresholds

_MOST_NAMED: Final = 5


def baseline_bytes(
    captures: Sequence[Capture], *, label: str, published_at: str, thresholds: Thresholds
) -> bytes:
    """The baseline file of these captures; equal captures give equal bytes.

    CaptureError, naming the first few, when a query is there twice, or has not what a baseline needs.
    """
    if not captures:
        raise CaptureError("no captured query in it")
    _refuse_incomplete(captures)
    _refuse_duplicates(captures)
    ordered = sorted(captures, key=lambda capture: (capture.tool, capture.query_hash))
    header = {
        "schema_version": SCHEMA_VERSION,
        "_kind": HEADER_KIND,
        "label": label,
        "published_at": published_at,
        "source_hash": source_hash(captures),
        "thresholds": {
            "jaccard": thresholds.jaccard,
            "top1": thresholds.top1,
            "latency_multiplier": thresholds.latency_multiplier,
        },
        "row_count": len(captures),
        "baseline_mean_latency_ms": mean_latency(captures),
    }
    return "".join(f"{json_text(line)}\n" for line in (header, *map(_row, ordered))).encode()


def _row(capture: Capture) -> dict[str, object]:
    fields = {name: value for name, value in capture.raw.items() if name != "query_hash"}
    return {"schema_version": SCHEMA_VERSION, **fields, "query_hash": capture.query_hash}


def _refuse_incomplete(captures: Sequence[Capture]) -> None:
    for number, capture in enumerate(captures, 1):
        lacking = [name for name in ("source_ids", "latency_ms") if capture.raw.get(name) is None]
        if lacking:
            raise CaptureError(f"capture {number}: a baseline needs `{lacking[0]}`")


def _refuse_duplicates(captures: Sequence[Capture]) -> None:
    keys = [capture.key for capture in captures]
    if len(set(keys)) == len(keys):
        return
    seen: set[str] = set()
    twice = [key for key in keys if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    named = ", ".join(dict.fromkeys(twice[:_MOST_NAMED]))
    raise CaptureError(f"{len(twice)} captured queries are there more than once: {named}")
