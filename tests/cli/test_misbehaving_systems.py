"""Systems that misbehave at one question, or at every one: through each suite, as a user runs it.

The other questions keep their results, the rows say which one failed, and no exit code calls it a success.
"""

import json
import random  # noqa: TID251 - the random moments of a test
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gate.store.row_files import read_rows
from tests.cli.calls import Shell
from tests.core.replay.captures import lines, row
from tests.longmemeval_files import array, document
from tests.programs import ROOT, everybodys_python, open_folder, searching

__all__ = ["open_folder"]

COUNT = 6
MODE = ("--mode", "balanced", "--output", "rows.ndjson")
SUITES = {
    "longmemeval": ("lme.json",),
    "retrieval": ("--corpus", "docs", "--qrels", "qrels.json"),
    "replay": ("--against", "captures.ndjson", "--corpus", "docs"),
}
CONFIG = """version: 1
system: {kind: command, run: [%s, -I, %s], timeout: %s}
suites: [{suite: retrieval, name: pages, corpus: docs, qrels: qrels.json}]
rules: [{metric: mrr, rule: threshold, at-least: 0}]
"""
GOOD = """
import os, sys, time

def hits(known):
    return [{"doc_id": name, "score": 1.0 / rank, "rank": rank} for rank, name in enumerate(sorted(known), 1)]

def search(query, known):
    if "odd" in query["text"]:
        BEHAVIOUR
    return {"hits": hits(known)[: query["k"]]}
"""

FAILURES = {
    "crashes": ("os._exit(7)", "crash"),
    "hangs": ("time.sleep(600)", "timeout"),
    "answers garbage": ('print("no index here", flush=True)', "garbage"),
    "closes mid-message": ('os.write(1, b\'{"id": 9, "result": {"hi\'); os._exit(0)', "crash"),
    "names documents nobody gave it": ('return {"hits": [{"doc_id": "x", "score": 1.0, "rank": 1}]}', "unknown_id"),
}  # fmt: skip
ODDITIES = {
    "is slow": "time.sleep(0.3)",
    "says everything twice": 'return {"hits": (hits(known)[:1] * 2)[: query["k"]]}',
    "says it in the wrong order": 'return {"hits": hits(known)[: query["k"]][::-1]}',
    "is talkative": 'return {"hits": hits(known)[:1], "thoughts": "x" * 10_000_000}',
}


def ask(shell: Shell, folder: Path, suite: str, behaviour: str, *, odd: tuple[int, ...]) -> tuple[int, str]:
    """Run a suite of six questions on a program that behaves like this at the odd ones."""
    prepare(shell, folder, behaviour, odd)
    done = shell.gate("suite", suite, *SUITES[suite], *MODE)
    assert "Traceback" not in done.err
    return done.code, done.out + done.err


def prepare(shell: Shell, folder: Path, behaviour: str, odd: tuple[int, ...]) -> None:
    shell.folder.chmod(0o755)
    (folder / "program.py").write_text(searching(GOOD.replace("BEHAVIOUR", behaviour)))
    waits = "0.7" if "600" in behaviour else "20"
    shell.write("eval-gate.yml", CONFIG % (everybodys_python(), folder / "program.py", waits))
    texts = [f"{'odd' if number in odd else 'plain'} question {number}" for number in range(COUNT)]
    array(shell.folder / "lme.json", [document(n) | {"question": text} for n, text in enumerate(texts)])
    for page in "abc":
        shell.write(f"docs/{page}.md", f"page {page}")
    judged = [{"id": f"q{n}", "query": text, "relevant": ["b"]} for n, text in enumerate(texts)]
    shell.write("qrels.json", json.dumps({"version": 1, "queries": judged}))
    shell.write("captures.ndjson", lines(*(row(text, id=None, retrieved_slugs=["b"]) for text in texts)))


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("case", FAILURES)
def test_a_failure_costs_its_question_and_is_no_zero(
    shell: Shell, open_folder: Path, suite: str, case: str
) -> None:
    behaviour, kind = FAILURES[case]
    code, said = ask(shell, open_folder, suite, behaviour, odd=(2,))
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert (code, len(table), table.errored.tolist().count(True)) == (0, COUNT, 1), said
    errors = [line for line in (shell.folder / "rows.ndjson").read_text().splitlines() if '"error":' in line]
    assert f'"error":"{kind}: ' in errors[0]
    assert "odd question" not in errors[0] + said


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("case", FAILURES)
def test_a_system_that_always_fails_is_a_failure(
    shell: Shell, open_folder: Path, suite: str, case: str
) -> None:
    code, said = ask(shell, open_folder, suite, FAILURES[case][0], odd=tuple(range(COUNT)))
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert (code, table.errored.tolist()) == (1, [True] * COUNT), said
    assert "suite_failed" in said


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("case", ODDITIES)
def test_an_oddity_costs_nothing_and_no_share_exceeds_one(
    shell: Shell, open_folder: Path, suite: str, case: str
) -> None:
    code, said = ask(shell, open_folder, suite, ODDITIES[case], odd=(2,))
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert (code, len(table), table.errored.any()) == (0, COUNT, False), said
    shares = [
        metric for name, metric in table.metrics.items() if not name.startswith(("latency", "delivered"))
    ]
    assert shares
    assert all(0 <= value <= 1 for metric in shares for value in metric.values.tolist())


@pytest.mark.parametrize("suite", SUITES)
def test_texts_of_ten_megabytes_go_through(shell: Shell, open_folder: Path, suite: str) -> None:
    prepare(shell, open_folder, "pass", ())
    shell.write("docs/b.md", "page b " * 1_500_000)
    turns = [{"role": "user", "content": "long talk " * 1_000_000}]
    shell.write("lme.json", json.dumps([document(0) | {"haystack_sessions": [turns] * 2,
        "haystack_session_ids": ["s0", "s1"], "answer_session_ids": ["s0"]}]))  # fmt: skip
    done = shell.gate("suite", suite, *SUITES[suite], *MODE)
    assert done.code == 0, done.err
    assert not read_rows(shell.folder / "rows.ndjson", name="rows").errored.any()


@pytest.mark.parametrize("case", FAILURES)
def test_the_gate_does_not_pass_what_it_could_not_measure(shell: Shell, open_folder: Path, case: str) -> None:
    prepare(shell, open_folder, FAILURES[case][0], (2,))
    done = shell.gate("run", "--out", "out")
    assert (done.code, "errors_over_limit" in (shell.folder / "out/report.json").read_text()) == (1, True)


def test_a_replay_killed_at_random_moments_leaves_whole_rows_and_says_what_is_missing(
    shell: Shell, open_folder: Path
) -> None:
    """LongMemEval's twenty moments and retrieval's are in the tests of these suites."""
    prepare(shell, open_folder, "time.sleep(0.01)", ())
    many = [row(f"odd question {number}", id=None, retrieved_slugs=["b"]) for number in range(300)]
    shell.write("captures.ndjson", lines(*many))
    rows, chance = shell.folder / "rows.ndjson", random.Random(9)  # noqa: S311 - no secret hangs on it
    for _ in range(9):
        rows.unlink(missing_ok=True)
        process = subprocess.Popen(
            [sys.executable, "-m", "gate", "suite", "replay", *SUITES["replay"], *MODE],
            cwd=shell.folder,
            env={"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and not (rows.exists() and rows.stat().st_size > 1_000):
            time.sleep(0.005)
        time.sleep(chance.random())
        process.kill()
        assert process.wait() == -signal.SIGKILL
        table = read_rows(rows, name="rows")
        assert 0 < len(table) < 300
        assert table.shortfalls == {"cancelled": 300 - len(table)}


@pytest.mark.parametrize("suite", SUITES)
def test_a_disk_that_fills_up_keeps_the_rows_so_far(shell: Shell, open_folder: Path, suite: str) -> None:
    prepare(shell, open_folder, "pass", ())
    array(shell.folder / "lme.json", [document(number) for number in range(60)])
    judged = [{"id": f"q{number}", "query": "page", "relevant": ["b"]} for number in range(90)]
    shell.write("qrels.json", json.dumps({"version": 1, "queries": judged}))
    shell.write(
        "captures.ndjson", lines(*(row(f"page {n}", id=None, retrieved_slugs=["b"]) for n in range(90)))
    )
    call = " ".join((sys.executable, "-B -m gate suite", suite, *SUITES[suite], *MODE))
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 8; exec {call}"],
        cwd=shell.folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 69, done.stderr
    assert "rows cannot be written (File too large)" in done.stderr
    table = read_rows(shell.folder / "rows.ndjson", name="rows")
    assert 1 <= len(table) < 60
    assert table.shortfalls["cancelled"] > 0


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path, capsys)
