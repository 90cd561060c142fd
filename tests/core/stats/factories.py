"""Samples for the comparator, and where the contract's numbers lie."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gate.core.stats.paired import PairedSample, PairedStatistics, compare_paired
from tests.core.stats.reference import Pair

REPOSITORY = Path(__file__).parents[3]
GOLDEN = REPOSITORY / "tests" / "golden"
SHARED = REPOSITORY.parent / "shared" / "data" / "gbrain"

PRINTED = (
    "n",
    "clusters",
    "baseline_mean",
    "candidate_mean",
    "delta",
    "wins",
    "losses",
    "ties",
    "lower95",
    "upper95",
    "p_value",
)
UNBOUNDED = {"-Infinity": None, "Infinity": None}


def golden(name: str) -> Any:
    """A file of golden values that is part of this repository."""
    return json.loads((GOLDEN / name).read_text())


def shared(name: str) -> Path:
    """A data file that lies beside this repository; without it the test is skipped."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not part of this repository and not beside it")
    return path


def rows(name: str) -> dict[str, dict[str, Any]]:
    """The rows of a shared file by question id, in file order."""
    lines = shared(name).read_text().splitlines()
    return {row["question_id"]: row for row in map(json.loads, lines)}


def joined(baseline_file: str, candidate_file: str, metric: str) -> list[Pair]:
    """The pairs of a metric of two shared files, in the order of the baseline."""
    baseline, candidate = rows(baseline_file), rows(candidate_file)
    return [
        (key, float(row[metric]), float(candidate[key][metric]))
        for key, row in baseline.items()
        if metric in row and metric in candidate.get(key, {})
    ]


def sample(pairs: Iterable[Pair]) -> PairedSample:
    """A sample from (cluster, baseline, candidate) triples."""
    clusters, baseline, candidate = zip(*pairs, strict=True)
    return PairedSample(clusters, np.array(baseline, dtype=np.float64), np.array(candidate, dtype=np.float64))


def compared(pairs: Iterable[Pair], *, draws: int = 1_000, seed: int = 42) -> PairedStatistics:
    """One sample compared alone."""
    return compare_paired([sample(pairs)], draws=draws, seed=seed)[0]


def printed(statistics: PairedStatistics) -> dict[str, Any]:
    """What the contract prints of the statistics."""
    return {name: getattr(statistics, name) for name in PRINTED}


def bounded(expected: dict[str, Any]) -> dict[str, Any]:
    """Golden values as we state them: an unbounded side is None."""
    return {name: UNBOUNDED.get(value, value) for name, value in expected.items()}
