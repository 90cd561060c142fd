"""Every suite, twice: equal dataset, mode and seed give equal rows, byte for byte but for how long things took."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gate.systems.reference import ReferenceSystem
from tests.cli.calls import Shell
from tests.core.brainbench.results import result_object
from tests.core.replay.captures import lines, row
from tests.longmemeval_files import array, document
from tests.programs import ROOT, everybodys_python, open_folder
from tests.systems.servers import served

__all__ = ["open_folder"]

DURATIONS = re.compile(rb'"(latency_ms|latency_delta_ms|over_2x_latency)":-?[0-9.e+-]+')
"""How long things took, and what follows from that alone."""
WORDS = ("harbor", "violin", "lantern", "garden", "coffee")
MODES = ("conservative", "balanced", "tokenmax")
CONFIG = """version: 1
system: {kind: http, url: "%s", concurrency: %d}
suites: [{suite: rows, name: any, rows: rows.ndjson}]
rules: [{metric: mrr, rule: threshold, at-least: 0}]
"""


def fill(folder: Path) -> None:
    """Inputs of every suite; many pages hold the same words, so that most scores are equal."""
    array(folder / "lme.json", [document(number) for number in range(30)])
    pages = folder / "docs"
    pages.mkdir()
    for number in range(40):
        words = " ".join(WORDS[(number + place) % len(WORDS)] for place in range(1 + number % 3))
        (pages / f"page-{number:02}.md").write_text(f"{words} and nothing else")
    queries = [f"{one} {other}" for one in WORDS for other in WORDS if one < other]
    judged = [{"id": text, "query": text, "relevant": [f"page-{len(text):02}"]} for text in queries]
    (folder / "qrels.json").write_text(json.dumps({"version": 1, "queries": judged}))
    captures = [row(text, id=None, retrieved_slugs=["page-07", "page-12"]) for text in queries]
    (folder / "captures.ndjson").write_bytes(lines(*captures))


SUITES: dict[str, tuple[str, ...]] = {
    "longmemeval": ("lme.json", "--limit", "20", "--seed", "7"),
    "retrieval": ("--corpus", "docs", "--qrels", "qrels.json", "-k", "5", "-k", "10"),
    "replay": ("--against", "captures.ndjson", "--corpus", "docs"),
}
ASKED = [pytest.param(suite, mode, id=f"{suite}, {mode}") for suite in SUITES for mode in MODES]


def arguments(suite: str, mode: str) -> tuple[str, ...]:
    return ("suite", suite, *SUITES[suite], "--mode", mode, "--output", "rows.ndjson")


def timeless(path: Path) -> bytes:
    data = path.read_bytes()
    assert data.count(b'"question_id"') >= 10
    return DURATIONS.sub(b'"\\1":0', data)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)
    return Shell(tmp_path, capsys)


def rows_of(shell: Shell, call: Sequence[str]) -> bytes:
    done = shell.gate(*call)
    assert done.code == 0, done.err
    return timeless(shell.folder / "rows.ndjson")


@pytest.mark.parametrize(("suite", "mode"), ASKED)
def test_two_runs_write_the_same_bytes_whatever_a_process_hashes_texts_to(
    shell: Shell, suite: str, mode: str
) -> None:
    made = []
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-m", "gate", *arguments(suite, mode)],
            cwd=shell.folder,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
        )
        made.append(timeless(shell.folder / "rows.ndjson"))
    assert made[0] == made[1]


@pytest.mark.parametrize("suite", SUITES)
def test_the_width_changes_no_byte(shell: Shell, suite: str) -> None:
    """Several instances of the system side by side, or one service that is asked several questions at once."""
    call = arguments(suite, "balanced")
    made = [rows_of(shell, call)]
    if suite == "longmemeval":
        made += [rows_of(shell, [*call, "--jobs", jobs]) for jobs in ("1", "3", "8")]
    with served(ReferenceSystem()) as server:
        for width in (1, 3, 8):
            shell.write("eval-gate.yml", CONFIG % (server.url, width))
            made.append(rows_of(shell, call))
    assert len(set(made)) == 1


@pytest.mark.parametrize("suite", SUITES)
def test_another_mode_is_another_run(shell: Shell, suite: str) -> None:
    """What is compared above could differ: the modes' rows do."""
    assert rows_of(shell, arguments(suite, "conservative")) != rows_of(shell, arguments(suite, "tokenmax"))


def test_a_sample_is_the_same_for_the_same_seed_and_another_for_another(shell: Shell) -> None:
    def drawn(suite: str, seed: str) -> bytes:
        return rows_of(shell, [*arguments(suite, "balanced"), "--limit", "10", "--seed", seed])

    assert drawn("longmemeval", "1") == drawn("longmemeval", "1") != drawn("longmemeval", "2")


def test_brainbench_reads_the_same_result_the_same_way(shell: Shell, open_folder: Path) -> None:
    shutil.copyfile(ROOT / "tests" / "gbrain_stand_in.py", open_folder / "gbrain.py")
    (open_folder / "brainbench.json").write_text(json.dumps(result_object()))
    program = f"{everybodys_python()} -I {open_folder / 'gbrain.py'}"
    shell.write("result.json", json.dumps(result_object()))
    made = []
    for source in (("--gbrain", program), ("--gbrain", program), ("--result", "result.json")):
        shell.gate("suite", "brainbench", *source, "--seed", "7", "--output", "rows.ndjson")
        made.append((shell.folder / "rows.ndjson").read_bytes())
    assert made[0] == made[1] == made[2]
    assert made[0].count(b'"question_id"') > 0
