"""How much longer a panel takes than its slowest judge: real SDKs, real HTTP, replies that are slow on purpose.

``python -m benchmarks.panel`` prints the table. Importing and constructing the SDKs is left out, as a run does that
once; its time has a row of its own.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

from benchmarks.table import Row, table
from gate.ports import ChatModel
from gate.process import SystemClock
from gate.providers.recorded import HEAD, Cassette, Recording
from gate.suites.panel_calls import Judges
from gate.suites.takes_quality import PanelPlan, PanelRun, run_panel
from tests.core.judging.factories import reply_text, scores, take
from tests.fakes import Stages
from tests.providers.three import ANTHROPIC, GOOGLE, OPENAI
from tests.providers.wire import Answer, wire
from tests.suites.judges import MODELS, Scripted, gives, plan

PROVIDERS = (OPENAI, ANTHROPIC, GOOGLE)
SECONDS = (0.4, 0.8, 1.2)
ALLOWANCE = 0.5
TAKES = 100


def rows() -> list[Row]:
    """Measure one cycle, a cycle with a correction, four batches, and a replay."""
    good, lacking = reply_text(scores(8)), reply_text({"accuracy": 8.0})
    slowest = max(SECONDS)
    return [
        _panel("one cycle, 100 takes", [good], slowest),
        _panel("one cycle in which every judge is corrected", [lacking, good], 2 * slowest),
        _panel("four batches of 25 takes at once", [good], slowest, batches=4),
        Row("replay of a cassette, 100 takes", _replayed(), "–", None, budget=0.25),
        Row("importing the three SDKs", _imports(), "–", None),
    ]


def _panel(name: str, replies: Sequence[str], slowest: float, *, batches: int = 1) -> Row:
    """One run; the peer is the sum of the slowest judge's replies, the least any panel can take."""
    with ExitStack() as stack:
        models: dict[str, ChatModel] = {}
        for model, provider, seconds in zip(MODELS, PROVIDERS, SECONDS, strict=True):
            answers = [Answer(body=provider.body(reply), delay=seconds) for reply in replies]
            models[model] = provider.at(stack.enter_context(wire(*answers)).url)
        taken = _seconds(lambda: _complete(run_panel(_plan(batches), _judges(models))))
    return Row(name, taken, "slowest judge", slowest, budget=slowest + ALLOWANCE)


def _replayed() -> float:
    lines = [HEAD]
    scripted = {model: Scripted([gives(8)]) for model in MODELS}
    tapes = {model: Recording(each, model, lines.append) for model, each in scripted.items()}
    run_panel(_plan(1), _judges(tapes))
    data = b"".join(lines)

    def replay() -> None:
        cassette = Cassette(data, "tape.jsonl")
        _complete(run_panel(_plan(1), _judges({model: cassette.model(model) for model in MODELS})))

    return min(_seconds(replay) for _ in range(3))


def _complete(run: PanelRun) -> None:
    """A panel that lacks a judge is quick, and measures nothing."""
    if run.conclusion.result.contributors != len(MODELS):
        raise RuntimeError(run.conclusion.result.message)


def _plan(batches: int) -> PanelPlan:
    size = TAKES // batches
    takes = tuple(tuple(take(i * size + j + 1) for j in range(size)) for i in range(batches))
    return replace(plan(), batches=takes)


def _judges(models: Mapping[str, ChatModel]) -> Judges:
    return Judges(models=models, clock=SystemClock(), progress=Stages(), stop=threading.Event())


def _seconds(job: Callable[[], object]) -> float:
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


def _imports() -> float:
    """A fresh interpreter, as every run is one."""
    code = "import openai, anthropic, google.genai"
    return _seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))


if __name__ == "__main__":
    print(table(rows()))
