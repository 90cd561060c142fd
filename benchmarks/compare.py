"""`gate compare` as a whole process: three modes of a ledger, every two of them compared in three metrics.

``python -m benchmarks.compare`` prints the table. The peers are whole processes too and get the easier job: a
script over scipy that reads the three files of rows and prints nothing, and the JavaScript port, which starts
once and reads one pair of files that holds all nine comparisons.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.comparator import PORT
from benchmarks.table import Row, interleaved, table

REPOSITORY: Final = Path(__file__).parents[1]
QUESTIONS: Final = 470
DRAWS: Final = 10_000
REPEATS: Final = 7
MODES: Final = ("conservative", "balanced", "tokenmax")
FIELDS: Final = ("recall_all_hit", "recall_any_hit", "judge_correct")
PAIRS: Final = tuple(combinations(MODES, 2))
BUDGET: Final = 0.3
OVER_SCIPY: Final = 10.0
OVER_PORT: Final = 4.0

Outcomes = dict[str, dict[str, NDArray[np.bool_]]]


def rows() -> list[Row]:
    """Measure the command against a script over scipy and against the port."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _write(root, _outcomes())
        ours, scipy = interleaved(REPEATS, lambda: _compare(root), lambda: _scipy(root))
        name = f"gate compare, whole process, {len(FIELDS) * len(PAIRS)} comparisons"
        found = [Row(name, ours, "script over scipy", scipy, budget=BUDGET, least_ratio=OVER_SCIPY)]
        node = shutil.which("node")
        if node is not None:
            ours, port = interleaved(REPEATS, lambda: _compare(root), lambda: _port(node, root))
            found.append(Row(name, ours, "JavaScript port", port, budget=BUDGET, least_ratio=OVER_PORT))
    return found


def _outcomes() -> Outcomes:
    """Three modes that answer four of five questions and differ from each other in a tenth."""
    generator = np.random.default_rng(20260101)
    truth = {field: generator.random(QUESTIONS) < 0.8 for field in FIELDS}
    return {
        mode: {field: truth[field] ^ (generator.random(QUESTIONS) < 0.06) for field in FIELDS}
        for mode in MODES
    }


def _write(root: Path, outcomes: Outcomes) -> None:
    """The ledger and its rows for us; the nine comparisons in one pair of files for the port."""
    (root / ".gbrain-evals").mkdir()
    records = [
        {
            "schema_version": 3, "run_id": f"run-{mode}", "ran_at": "2026-11-01T10:00:00.000Z",
            "suite": "longmemeval", "mode": mode, "commit": "a1b2c3d", "seed": 0,
            "params": {"output": f"{mode}.ndjson"}, "status": "completed", "duration_ms": 1,
        }
        for mode in MODES
    ]  # fmt: skip
    _lines(root / ".gbrain-evals" / "eval-results.jsonl", records)
    for mode, fields in outcomes.items():
        _lines(root / f"{mode}.ndjson", [_native(index, fields) for index in range(QUESTIONS)])
    for side in (0, 1):
        pairs = [(pair[side], field) for pair in PAIRS for field in FIELDS]
        _lines(
            root / f"port-{side}.ndjson",
            [
                {"question_id": f"q{index:05d}"}
                | {
                    f"m{number}": bool(outcomes[mode][field][index])
                    for number, (mode, field) in enumerate(pairs)
                }
                for index in range(QUESTIONS)
            ],
        )


def _native(index: int, fields: dict[str, NDArray[np.bool_]]) -> dict[str, object]:
    return {
        "question_id": f"q{index:05d}",
        "question": f"What did the user say about subject number {index}?",
        "question_type": "multi-session",
        "hypothesis": "It was said that this is what it was.",
        "abstention": False,
        "retrieved_session_ids": [f"session-{index}-{rank}" for rank in range(5)],
        "answer_session_ids": [f"session-{index}-2"],
        **{field: bool(values[index]) for field, values in fields.items()},
    }


def _lines(path: Path, objects: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(one) + "\n" for one in objects))


def _compare(root: Path) -> None:
    command = [sys.executable, "-m", "gate", "compare", "--json", "--draws", str(DRAWS)]
    printed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    if len(json.loads(printed)["paired"]) != len(FIELDS) * len(PAIRS):
        raise AssertionError("not everything was compared")


def _port(node: str, root: Path) -> None:
    files = [str(root / f"port-{side}.ndjson") for side in (0, 1)]
    metrics = ",".join(f"m{number}" for number in range(len(FIELDS) * len(PAIRS)))
    subprocess.run([node, str(PORT), *files, metrics, str(DRAWS), "42"], capture_output=True, check=True)


def _scipy(root: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.scipy_peer", str(root), ",".join(FIELDS), ",".join(MODES)]
    subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)


if __name__ == "__main__":
    print(table(rows()), end="")
