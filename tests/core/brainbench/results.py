"""BrainBench results and baselines for tests, and the real ones where the shared data is there."""

import json
from pathlib import Path

import pytest

from gate.core.brainbench.result import Baseline, Result, read_baseline, read_result

DATA = Path(__file__).parents[4] / "shared" / "data" / "gbrain"
RESULT = DATA / "outputs" / "brainbench-out.json"
BASELINE = DATA / "brainbench-baseline-main.json"


def real(path: Path) -> bytes:
    """A real file; the test is skipped where it is not there."""
    if not path.exists():
        pytest.skip(f"no shared data at {path}")
    return path.read_bytes()


def turn_object(number: int = 1, **overrides: object) -> dict[str, object]:
    return {
        "fixture_id": "kta-001",
        "turn_id": number,
        "harness": "codex",
        "suite": "know-to-ask",
        "injected_slugs": ["a"],
        "injected_tokens": 10,
        "gold": {"should_retrieve": True, "gold_slugs": ["a"]},
        "cross_source_slugs": [],
        "latency_ms": 2.5,
        **overrides,
    }


def cell_object(**overrides: object) -> dict[str, object]:
    return {
        "suite": "know-to-ask",
        "harness": "codex",
        "seam": "contract",
        "gold_total": 1,
        "gold_failed": 0,
        "metrics": {
            "know_to_ask_failure_rate": 0,
            "false_fire_rate": 0,
            "source_isolation_violations": 0,
            "avg_injected_tokens": 10,
        },
        "fixtures": ["kta-001"],
        **overrides,
    }


def result_object(**overrides: object) -> dict[str, object]:
    return {
        "receipt": {
            "result_schema_version": 1,
            "fixtures_hash": "a" * 64,
            "harness_sha": "1e025c0",
            "ts": "2026-11-30T01:18:37.672Z",
            "cmd_args": [],
            "seed": 42,
            "include_holdout": False,
            "llm": False,
        },
        "cells": [cell_object()],
        "turn_rows": [turn_object()],
        "seed_failures": [],
        "_meta": {"metric_glossary": {}},
        **overrides,
    }


def result(**overrides: object) -> Result:
    return read_result(json.dumps(result_object(**overrides)).encode())


def baseline_object(**overrides: object) -> dict[str, object]:
    return {
        "schema_version": 1,
        "fixtures_hash": "a" * 64,
        "config": {"include_holdout": False, "llm": False, "harnesses": ["codex"], "suites": ["push"]},
        "cells": {"codex/push": {"push_recall": 0.5, "push_precision": 1, "source_isolation_violations": 0}},
        "counts": {"codex/push": {"gold_total": 10, "gold_failed": 5}},
        **overrides,
    }


def baseline(**overrides: object) -> Baseline:
    return read_baseline(json.dumps(baseline_object(**overrides)).encode())


def pushed(*, failed: int = 5, total: int = 10, **metrics: float) -> dict[str, object]:
    """Overrides for one cell of push, its recall following from its counts."""
    stated = {
        "push_recall": round((total - failed) / total, 4),
        "push_precision": 1,
        "source_isolation_violations": 0,
    }
    return {
        "cells": {"codex/push": {**stated, **metrics}},
        "counts": {"codex/push": {"gold_total": total, "gold_failed": failed}},
    }
