"""The contract comparator in process, against scipy and against a plain JavaScript port of the contract.

``python -m benchmarks.comparator`` prints the table. All figures of a line come from the same run; the port's
answers are compared with ours to the last bit while we are at it.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.table import Row, interleaved, table
from gate.core.stats.paired import PairedSample, compare_paired

QUESTIONS = 470
DRAWS = 10_000
COMPARISONS = 12
REPEATS = 7
SCIPY_BATCH = 1_000  # scipy's default holds all draws at once and is slower

PORT = Path(__file__).with_name("contract_port.mjs")


def rows() -> list[Row]:
    """Measure one comparison and a report of twelve, with whole and with fractional differences."""
    whole, fractional = _samples(_outcomes), _samples(_scores)
    return [
        _against_scipy("one comparison, whole differences", whole[:1], budget=0.080),
        _against_scipy("one comparison, fractional differences", fractional[:1], budget=0.150),
        _against_scipy(f"report of {COMPARISONS}, whole", whole, budget=0.120),
        _against_scipy(f"report of {COMPARISONS}, fractional", fractional, budget=1.0),
        *_against_port("one comparison, whole differences", whole[:1]),
        *_against_port(f"report of {COMPARISONS}, whole", whole),
        *_against_port(f"report of {COMPARISONS}, fractional", fractional),
    ]


Draw = Callable[[np.random.Generator], tuple[NDArray[np.float64], NDArray[np.float64]]]


def _samples(draw: Draw) -> list[PairedSample]:
    generator = np.random.default_rng(20260101)
    keys = tuple(f"q{i:05d}" for i in range(QUESTIONS))
    return [PairedSample(keys, *draw(generator)) for _ in range(COMPARISONS)]


def _outcomes(generator: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Hits of a run that finds four in five, and of one that differs in a tenth of the questions."""
    baseline = generator.random(QUESTIONS) < 0.8
    candidate = baseline ^ (generator.random(QUESTIONS) < 0.1)
    return baseline.astype(np.float64), candidate.astype(np.float64)


def _scores(generator: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    baseline = generator.random(QUESTIONS)
    return baseline, np.clip(baseline + generator.normal(0, 0.2, QUESTIONS), 0, 1)


def _against_scipy(name: str, samples: Sequence[PairedSample], *, budget: float) -> Row:
    repeats = REPEATS if len(samples) == 1 else 3
    ours, peer = interleaved(
        repeats,
        lambda: compare_paired(samples, draws=DRAWS),
        lambda: [scipy_statistics(each) for each in samples],
    )
    return Row(f"{name}, {QUESTIONS} pairs", ours, "scipy bootstrap + permutation_test", peer, budget)


def scipy_statistics(sample: PairedSample) -> object:
    """What scipy offers for the same question: a paired percentile bootstrap and a sign-flip test."""
    from scipy import stats

    def difference(
        candidate: NDArray[np.float64], baseline: NDArray[np.float64], axis: int = -1
    ) -> NDArray[np.float64]:
        means: NDArray[np.float64] = np.mean(candidate, axis=axis) - np.mean(baseline, axis=axis)
        return means

    sides = (sample.candidate, sample.baseline)
    interval = stats.bootstrap(
        sides,
        difference,
        paired=True,
        method="percentile",
        n_resamples=DRAWS,
        batch=SCIPY_BATCH,
        rng=np.random.default_rng(1),
    )
    test = stats.permutation_test(
        (sample.candidate - sample.baseline,),
        np.mean,
        permutation_type="samples",
        n_resamples=DRAWS,
        batch=SCIPY_BATCH,
        rng=np.random.default_rng(2),
    )
    return interval, test


def _against_port(name: str, samples: Sequence[PairedSample]) -> list[Row]:
    """Compare with the port's own clock (its start and reading left out); no row where there is no node."""
    node = shutil.which("node")
    if node is None:
        return []
    (ours,) = interleaved(REPEATS, lambda: compare_paired(samples, draws=DRAWS))
    answers = _ported(node, samples)
    found = compare_paired(samples, draws=DRAWS)
    if [(each.lower95, each.upper95, each.p_value) for each in found] != [
        (answer["lower95"], answer["upper95"], answer["p_value"]) for answer in answers
    ]:
        raise AssertionError("the port and the comparator disagree: one of them breaks the contract")
    peer = sum(answer["milliseconds"] for answer in answers) / 1000
    return [Row(f"{name}, {QUESTIONS} pairs", ours, "JavaScript port, without its start", peer)]


def _ported(node: str, samples: Sequence[PairedSample]) -> list[dict[str, float]]:
    metrics = [f"m{i}" for i in range(len(samples))]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, "baseline.ndjson"), Path(folder, "candidate.ndjson")]
        for path, side in zip(paths, ("baseline", "candidate"), strict=True):
            path.write_text("".join(_lines(samples, metrics, side)))
        command = [node, str(PORT), *map(str, paths), ",".join(metrics), str(DRAWS), "42"]
        answers: list[dict[str, float]] = json.loads(subprocess.check_output(command))
    return answers


def _lines(samples: Sequence[PairedSample], metrics: Sequence[str], side: str) -> list[str]:
    values = [getattr(sample, side).tolist() for sample in samples]
    keys = samples[0].clusters or ()
    return [
        json.dumps({"question_id": key} | dict(zip(metrics, row, strict=True))) + "\n"
        for key, row in zip(keys, zip(*values, strict=True), strict=True)
    ]


if __name__ == "__main__":
    print(table(rows()), end="")
