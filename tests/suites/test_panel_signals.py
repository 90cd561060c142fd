"""A panel in a process of its own, asked to stop while its judges are silent."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.providers.wire import Answer, wire

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys, threading
from gate.process import SystemClock, cancel_on_signals
from gate.providers.retry import Patience, Retrying
from gate.suites.takes_quality import run_panel
from tests.providers.three import OPENAI
from tests.suites.judges import MODELS, judges, plan

cancel_on_signals()
stop = threading.Event()
models = dict.fromkeys(MODELS, OPENAI.at(sys.argv[1]))
patience = lambda model: Retrying(model, Patience(), SystemClock(), stop.wait)
print("asking", flush=True)
run = run_panel(plan(cap=20), judges(models, patience=patience, stop=stop))
print(run.conclusion.reason, len(run.cycles), run.account.charged, run.conclusion.result.message)
sys.exit(run.interrupted or 0)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("answer", [Answer(hang=True), Answer(status=429, headers={"retry-after": "50"})])
def test_a_signal_ends_a_panel_at_once_with_what_is_true(
    number: signal.Signals, code: int, answer: Answer
) -> None:
    with wire(answer) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, server.url],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},  # noqa: TID251 - a child starts with what this process has
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "asking\n"
        while len(server.asked) < 3:
            server.closing.wait(0.02)
        process.send_signal(number)
        said = process.stdout.read()
        process.stdout.close()

    assert process.wait(10) == code
    assert said.startswith("cancelled 0 3 " if answer.hang else "cancelled 0 ")
    assert said.endswith(" INCONCLUSIVE: the run was cancelled (0 of 1 cycle ran).\n")


def test_nothing_heavy_is_imported_before_a_judge_is_made() -> None:
    code = (
        "import json, sys\n"
        "import gate.suites.takes_quality, gate.providers.openai_chat, gate.providers.anthropic_messages\n"
        "import gate.providers.google_genai, gate.providers.retry, gate.providers.recorded\n"
        "heavy = {'openai', 'anthropic', 'google.genai', 'httpx', 'httpx2', 'json_repair', 'pydantic', 'numpy'}\n"
        "print(json.dumps(sorted(heavy & set(sys.modules))))\n"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == []
