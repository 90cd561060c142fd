"""The comparisons of `gate compare` as a script over scipy would make them; benchmarks/compare.py starts it."""

import json
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.comparator import scipy_statistics
from gate.core.stats.paired import PairedSample


def main(folder: Path, fields: list[str], runs: list[str]) -> None:
    """Read every run, compare every two of them in every field; what comes out is not looked at."""
    read = {run: _values(folder / f"{run}.ndjson", fields) for run in runs}
    for first, second in combinations(runs, 2):
        for field in fields:
            scipy_statistics(PairedSample(None, read[first][field], read[second][field]))


def _values(path: Path, fields: list[str]) -> dict[str, NDArray[np.float64]]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {field: np.array([row[field] for row in rows], dtype=np.float64) for field in fields}


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3].split(","))
