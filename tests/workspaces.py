"""Workspaces on disk for tests: a configuration, rows and a ledger, as a user would have them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

CONFIG = """\
version: 1
gate: tests
suites:
  - {suite: rows, name: main, rows: rows/candidate.ndjson}
baseline: {rows: rows/baseline.ndjson}
metrics:
  hit: {better: higher, unit: share}
rules:
  - {metric: hit, rule: significant}
stats: {draws: 1000}
"""


def rows(values: Sequence[object], **more: object) -> bytes:
    """Generic rows q000, q001, … with one metric, `hit`."""
    return b"".join(
        json.dumps({"question_id": f"q{number:03d}", "hit": value, **more}).encode() + b"\n"
        for number, value in enumerate(values)
    )


def workspace(
    folder: Path,
    *,
    config: str = CONFIG,
    baseline: bytes = rows([1] * 40),
    candidate: bytes = rows([1] * 40),
    files: Mapping[str, bytes] | None = None,
) -> Path:
    """A folder with everything `gate run` needs; returns the path of the configuration."""
    contents = {
        "eval-gate.yml": config.encode(),
        "rows/baseline.ndjson": baseline,
        "rows/candidate.ndjson": candidate,
        **(files or {}),
    }
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / "eval-gate.yml"


def losing(count: int, n: int = 40) -> bytes:
    """Candidate rows of which the first ones are lost."""
    return rows([0] * count + [1] * (n - count))
