"""Run records and ledgers for tests: plain functions, keyword overrides."""

import json

from gate.core.records.ledger import Ledger, RunRecord, read_ledger
from gate.core.records.new_record import NewRecord


def run_object(run_id: str = "run-a", **overrides: object) -> dict[str, object]:
    """What a ledger line holds."""
    return {
        "schema_version": 3,
        "run_id": run_id,
        "ran_at": "2026-11-01T10:00:00.000Z",
        "suite": "longmemeval",
        "mode": "balanced",
        "commit": "a1b2c3d",
        "seed": 0,
        "params": {"output": f"{run_id}.ndjson"},
        "status": "completed",
        "duration_ms": 1000,
        **overrides,
    }


def run(run_id: str = "run-a", **overrides: object) -> RunRecord:
    """A record as the ledger reader returns it."""
    raw = run_object(run_id, **overrides)
    return RunRecord(run_id=run_id, suite=str(raw["suite"]), mode=str(raw["mode"]), raw=raw, line=1)


def ledger_bytes(*lines: object) -> bytes:
    """A ledger file: objects become JSON lines, bytes stay as they are."""
    return b"".join(
        (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines
    )


def ledger(*lines: object) -> Ledger:
    """A ledger as read."""
    return read_ledger(ledger_bytes(*lines))


def new_record(run_id: str = "run-a", **overrides: object) -> NewRecord:
    """A record to append."""
    return NewRecord(**{**run_object(run_id), **overrides})  # type: ignore[arg-type]  # tests pass wrong types on purpose
