"""The comparator against another engine: the plain JavaScript port that the benchmark races against."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from gate.core.stats.paired import PairedSample, compare_paired
from tests.core.stats.factories import REPOSITORY, printed

PORT = REPOSITORY / "benchmarks" / "contract_port.mjs"
METRICS = ("binary", "fifths", "score", "milliseconds")
CLUSTERS = ["\ue000", "\U00010000", "é", "a", "B", "10", "9", "\ud83d", "\uffff"]


def run_of(generator, size, clusters):
    """Rows of one run, and the key each of them is clustered by."""
    values = {
        "binary": generator.integers(0, 2, size).tolist(),
        "fifths": (generator.integers(0, 6, size) / 5).tolist(),
        "score": generator.random(size).tolist(),
        "milliseconds": generator.lognormal(5, 1, size).tolist(),
    }
    return [
        {"question_id": f"q{i}", "cluster_id": clusters[i]} | {name: values[name][i] for name in METRICS}
        for i in range(size)
    ]


def ported(folder, baseline, candidate, draws, seed):
    """What the port says about both runs."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not on this machine: there is no other engine to ask")
    paths = [folder / "baseline.ndjson", folder / "candidate.ndjson"]
    for path, rows in zip(paths, (baseline, candidate), strict=True):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    command = [node, str(PORT), *map(str, paths), ",".join(METRICS), str(draws), str(seed)]
    return json.loads(subprocess.check_output(command))


@pytest.mark.parametrize(
    ("size", "keys"),
    [(1, 1), (2, 2), (9, 9), (40, 9), (17, 17), (60, 16), (60, 60), (300, 150), (470, 470)],
)
def test_both_engines_print_the_same_numbers(tmp_path, size, keys):
    generator = np.random.default_rng(size)
    names = CLUSTERS + [f"c{i}" for i in range(keys)]
    clusters = [names[i % keys] for i in range(size)]
    baseline, candidate = (run_of(generator, size, clusters) for _ in range(2))
    samples = [
        PairedSample(
            tuple(clusters), *(np.array([float(row[name]) for row in run]) for run in (baseline, candidate))
        )
        for name in METRICS
    ]

    ours = compare_paired(samples, draws=2_000, seed=7)
    answers = ported(tmp_path, baseline, candidate, 2_000, 7)

    expected = [
        {k: v for k, v in answer.items() if k not in ("metric", "milliseconds")} for answer in answers
    ]
    assert [printed(statistics) for statistics in ours] == expected
