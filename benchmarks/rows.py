"""Rows read from disk, validated and joined, against json.loads and a dictionary.

``python -m benchmarks.rows`` prints the table. Ours checks every field of every row and keeps every metric; the
peer only parses and keeps one number. Sizes are of both files together.
"""

import json
import random  # noqa: TID251  # made-up rows, the same every time
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from benchmarks.table import Row, interleaved, table

ROWS: Final = 60_000
REPEATS: Final = 5
BYTES_PER_SECOND: Final = 250e6
LEAST_RATIO: Final = 2.9
"""What 250 MB/s was to json.loads where the budget was set; on a slower machine the ratio tells more."""
MANY: Final = 1_000_000
MANY_REPEATS: Final = 2
MANY_SECONDS: Final = 8.0
MANY_MEBIBYTES: Final = 500.0
PEER: Final = "json.loads, dict"

TYPES = ("single-session-user", "multi-session", "temporal-reasoning", "knowledge-update")
QUESTION = "Which of the two cities that we talked about in spring did I say I would rather live in, and why?"
ANSWER = "Lisbon, because of the light in the evening and the short way to the sea."

Record = dict[str, object]
Maker = Callable[[int, random.Random], Record]


def rows() -> list[Row]:
    """Measure three kinds of rows, and a million paired ones in a process of their own."""
    kinds: tuple[tuple[str, Maker, str, float | None], ...] = (
        ("generic rows", generic, "recall@5", BYTES_PER_SECOND),
        ("LongMemEval rows", native, "recall_all_hit", BYTES_PER_SECOND),
        ("LongMemEval rows without chunks", short_native, "recall_all_hit", None),
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        return [*(_kind(root, *kind) for kind in kinds), *_many(root)]


def generic(number: int, chance: random.Random) -> Record:
    """What a system of one's own might write: 17 fields, 4 of them metrics."""
    return {
        "question_id": f"q-{number:07d}",
        "question_type": chance.choice(TYPES),
        "cluster_id": f"conversation-{number // 4}",
        "recall@5": chance.randrange(6) / 5,
        "ndcg@10": round(chance.random(), 4),
        "hit@1": chance.random() < 0.6,
        "latency_ms": chance.randrange(90, 900),
        "question": QUESTION,
        "answer": ANSWER,
        "model": "reader-small-2",
        "prompt": "v4-notes",
        "started_at": "2026-10-07T10:00:00Z",
        "seed": 42,
        "attempts": 1,
        "note": "",
        "tool": "own-harness 1.4",
        "error": None,
    }


def short_native(number: int, chance: random.Random) -> Record:
    """A LongMemEval row as older versions write it: sessions, but no chunks."""
    sessions = [f"s{chance.randrange(10**6):06x}" for _ in range(5)]
    hit = chance.random() < 0.8
    return {
        "question_id": f"{number:08x}",
        "question": QUESTION,
        "question_type": chance.choice(TYPES),
        "hypothesis": ANSWER,
        "abstention": False,
        "recall_all_hit": hit,
        "recall_any_hit": True,
        "recall_hit": True,
        "answer_session_ids": [sessions[2] if hit else "s-elsewhere"],
        "retrieved_session_ids": sessions,
        "mode": "balanced",
        "judge_correct": chance.random() < 0.7,
        "judge_model": "openai:gpt-4o",
    }


def native(number: int, chance: random.Random) -> Record:
    """A LongMemEval row with its chunks and what reader and judge say: nearly as long as real ones."""
    chunks = [
        {
            "slug": f"chat/s-{chance.randrange(16**10):010x}",
            "chunk_id": chance.randrange(99),
            "session_id": f"answer_{chance.randrange(16**8):08x}",
            "rank": rank,
            "score": chance.random(),
            "rerank_score": chance.random(),
        }
        for rank in range(1, 9)
    ]
    reader = {
        "retrieval_config_hash": "db0f604787e2" * 5,
        "reader_model": "anthropic:reader-4",
        "reader_mode": "notes",
        "reader_prompt_version": "reader-v4-notes-fullsessions",
        "reader_prompt_sha": "3db7ccbb12b2" * 5,
        "reader_config_hash": "14f1b82eec68" * 5,
        "reader_context_chars": chance.randrange(50_000, 80_000),
        "search_meta": {"vector_enabled": True, "degraded": [], "reranked": True},
    }
    judge = {
        "judge_raw": "Yes",
        "judge_cost_usd": 0.0008725,
        "judge_prompt_version": "anscheck-v1",
        "judge_config_hash": "4273e33feecf" * 5,
    }
    return {**reader, **short_native(number, chance), "retrieved": chunks, **judge}


def _kind(root: Path, name: str, make: Maker, metric: str, speed: float | None) -> Row:
    paths = [_written(root / f"{make.__name__}-{side}", make, seed=side) for side in (1, 2)]
    size = sum(path.stat().st_size for path in paths)
    ours, peer = interleaved(REPEATS, lambda: read_and_join(*paths), lambda: parse_and_join(*paths, metric))
    label = f"{name}, {size / 2 / ROWS:,.0f} B each, {size / 1e6:.0f} MB: {size / ours / 1e6:.0f} MB/s"
    if speed is None:
        return Row(label, ours, PEER, peer)
    return Row(label, ours, PEER, peer, budget=size / speed, least_ratio=LEAST_RATIO)


def read_and_join(baseline: Path, candidate: Path) -> int:
    """Ours: how many questions both files have."""
    from gate.core.compare import join
    from gate.store.row_files import read_rows

    joined = join(read_rows(baseline, name="baseline"), read_rows(candidate, name="candidate"))
    return int(joined.left.size)


def parse_and_join(baseline: Path, candidate: Path, metric: str) -> int:
    """The peer's: the same, without looking at anything but id and metric."""
    sides = []
    for path in (baseline, candidate):
        with path.open() as file:
            sides.append({row["question_id"]: row[metric] for row in map(json.loads, file)})
    return len([(value, sides[1][key]) for key, value in sides[0].items() if key in sides[1]])


def _many(root: Path) -> Iterator[Row]:
    paths = [_written(root / f"many-{side}", _small, seed=side, count=MANY) for side in (1, 2)]
    memory: dict[str, float] = {}

    def run(job: str, *arguments: str) -> None:
        script = (
            "import resource, sys; from pathlib import Path; from benchmarks import rows;"
            f"rows.{job}(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]);"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
        )
        command = [sys.executable, "-c", script, *map(str, paths), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        memory[job] = max(memory.get(job, 0), float(done.stdout))

    ours, peer = interleaved(MANY_REPEATS, lambda: run("read_and_join"), lambda: run("parse_and_join", "m"))
    name = f"{MANY:,} paired rows, one metric, whole process"
    yield Row(name, ours, PEER, peer, budget=MANY_SECONDS)
    peaks = memory["read_and_join"], memory["parse_and_join"]
    yield Row(f"{name}: peak memory", peaks[0], PEER, peaks[1], budget=MANY_MEBIBYTES, unit="MiB")


def _small(number: int, chance: random.Random) -> Record:
    return {
        "question_id": f"q-{number:07d}",
        "question_type": chance.choice(TYPES),
        "m": chance.random() < 0.7,
    }


def _written(path: Path, make: Maker, *, seed: int, count: int = ROWS) -> Path:
    chance = random.Random(seed)  # noqa: S311  # reproducible, not secret
    with path.open("w") as file:
        file.writelines(
            json.dumps(make(number, chance), separators=(",", ":")) + "\n" for number in range(count)
        )
    return path


if __name__ == "__main__":
    print(table(rows()))
