"""The LongMemEval suite as a whole process on the built-in system: time, and memory against the number of questions.

``python -m benchmarks.longmemeval`` prints the table. The datasets are made on the spot, in the shape and about
the size of the published S file: 500 questions of 50 sessions, some 250 MB.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.table import Row, table

QUESTIONS: Final = 500
FEWER: Final = 100
SESSIONS: Final = 50
TURNS: Final = 10
WORDS_PER_TURN: Final = 150
VOCABULARY: Final = 20_000
BUDGET: Final = 60.0
MEMORY_BUDGET: Final = 1536.0
FLAT: Final = 1.25
"""Five times the questions may take at most so many times the memory."""
MEBIBYTE: Final = 2**20

_RUN: Final = """
import resource, sys
from gate.cli import invoke
code = invoke(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
# ru_maxrss would remember the process that started this one; the peak of its own memory is the kernel's VmHWM
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(used.ru_utime + used.ru_stime, peak.split()[1])
sys.exit(code)
"""


def rows() -> list[Row]:
    """Measure the run of all questions, its peak of memory, and that of a fifth of them."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _, _, few = _measured(root, FEWER)
        seconds, busy, many = _measured(root, QUESTIONS)
    name = f"{QUESTIONS} questions of {SESSIONS} sessions"
    return [
        Row(f"gate suite longmemeval, {name}, whole process", seconds, "–", None, budget=BUDGET),
        Row("its processor time, which a busy machine does not lengthen", busy, "–", None, budget=BUDGET),
        Row(f"its memory, {name}", many, f"{FEWER} questions", few, budget=MEMORY_BUDGET, unit="MiB"),
        Row("its memory over that of a fifth of the questions", many / few, "–", None, budget=FLAT, unit="×"),
    ]


def _measured(root: Path, questions: int) -> tuple[float, float, float]:
    """Seconds, seconds of a processor, and mebibytes of one run."""
    dataset = root / f"{questions}.json"
    with dataset.open("w") as file:
        file.writelines(_array(questions))
    arguments = ["suite", "longmemeval", str(dataset), "--output", str(root / f"{questions}.ndjson")]
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", _RUN, *arguments], capture_output=True, check=True)
    seconds = time.perf_counter() - started
    dataset.unlink()
    if (root / f"{questions}.ndjson").read_bytes().count(b'"question_id"') != questions:
        raise AssertionError("not every question has a row")
    busy, kibibytes = done.stdout.split()[-2:]
    return seconds, float(busy), int(kibibytes) * 1024 / MEBIBYTE


def _array(questions: int) -> Iterator[str]:
    """The dataset, question by question."""
    generator = np.random.default_rng(20260101)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = ["".join(generator.choice(letters, generator.integers(2, 10))) for _ in range(VOCABULARY)]
    for number in range(questions):
        yield ("[" if number == 0 else ",\n") + json.dumps(_question(number, words, generator))
    yield "]\n"


def _question(number: int, words: list[str], generator: np.random.Generator) -> dict[str, object]:
    drawn = generator.integers(0, VOCABULARY, (SESSIONS, TURNS, WORDS_PER_TURN))
    sessions = [
        [
            {"role": ("user", "assistant")[turn % 2], "content": " ".join(words[word] for word in said)}
            for turn, said in enumerate(session.tolist())
        ]
        for session in drawn
    ]
    ids = [f"session-{number}-{place}" for place in range(SESSIONS)]
    gold = number % SESSIONS
    return {
        "question_id": f"q{number:05d}",
        "question_type": ("multi-session", "temporal-reasoning", "knowledge-update")[number % 3],
        "question": " ".join(words[word] for word in drawn[gold, 0, :12].tolist()),
        "answer": "a private answer",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"] * SESSIONS,
        "haystack_session_ids": ids,
        "haystack_sessions": sessions,
        "answer_session_ids": [ids[gold]],
    }


if __name__ == "__main__":
    print(table(rows()), end="")
