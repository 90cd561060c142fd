"""Captures for tests: plain functions, keyword overrides."""

import json

from gate.core.replay.captures import Capture, read_captures


def row(query: object = "who runs widget-co", **overrides: object) -> dict[str, object]:
    """One captured query as a line holds it."""
    return {
        "schema_version": 1,
        "id": 7,
        "tool_name": "query",
        "query": query,
        "retrieved_slugs": ["people/a", "people/b"],
        "source_ids": ["default"],
        "latency_ms": 20,
        **overrides,
    }


def lines(*rows: object) -> bytes:
    """A file of such lines."""
    return b"".join(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in rows)


def capture(**overrides: object) -> Capture:
    """One capture as it is read."""
    return read_captures(lines(row(**overrides))).captures[0]
