"""The panel against aimock, a second fake nobody here wrote, in another language.

npm install @copilotkit/aimock@1.43.0
AIMOCK_BIN=node_modules/.bin/llmock python -m pytest tests/providers/test_aimock.py
"""

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gate.core.chat import Completion, ModelFailure
from gate.ports import ChatModel
from gate.suites.takes_quality import run_panel
from tests.core.judging.factories import reply_text, scores
from tests.providers.test_llmock import patient
from tests.providers.three import ANTHROPIC, GOOGLE, OPENAI, THREE, Provider, request
from tests.suites.judges import MODELS, judges, plan

AIMOCK = os.environ.get("AIMOCK_BIN", "")  # noqa: TID251  # tests read the environment where the gate must not
PATIENCE_SECONDS = 30

pytestmark = pytest.mark.skipif(
    not AIMOCK, reason="AIMOCK_BIN names no aimock binary (npm @copilotkit/aimock)"
)
each_provider = pytest.mark.parametrize("provider", THREE, ids=lambda provider: provider.name)

Fixture = Mapping[str, Any]


def says(text: str, *, model: str | None = None, **more: object) -> Fixture:
    """Any question (to one model) is answered with this text."""
    return {
        "match": {"model": model} if model else {"userMessage": ""},
        "response": {"content": text, **more},
    }


def refuses(status: int, *, times: int, model: str) -> list[Fixture]:
    """So many answers of a model are errors; the counting is by model, for it goes over all providers."""
    error = {"message": "slow down", "type": "rate_limit_error"}
    response = {"error": error, "status": status, "retryAfter": 1}
    return [{"match": {"model": model, "sequenceIndex": i}, "response": response} for i in range(times)]


@contextmanager
def aimock(folder: Path, fixtures: Sequence[Fixture]) -> Iterator[str]:
    """The address of an aimock that answers by these fixtures, the first that matches."""
    path = folder / "fixtures.json"
    path.write_text(json.dumps({"fixtures": fixtures}), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [AIMOCK, "--port", str(port), "--fixtures", str(path), "--strict", "--log-level", "silent"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"aimock did not come up within {PATIENCE_SECONDS} s")


def model(provider: Provider, url: str, name: str = "a-model") -> ChatModel:
    return provider.at(url, model=name, api_version="v1beta")  # the version of Google's interface it knows


@each_provider
def test_a_reply_arrives(provider: Provider, tmp_path: Path) -> None:
    with aimock(tmp_path, [says("the reply", model="a-model")]) as url:
        outcome = model(provider, url).complete(request())

    assert isinstance(outcome, Completion)
    assert (outcome.text, outcome.finish) == ("the reply", "stop")


@each_provider
def test_a_reply_cut_at_the_output_cap_says_so(provider: Provider, tmp_path: Path) -> None:
    with aimock(tmp_path, [says("half a", model="a-model", finishReason="length")]) as url:
        outcome = model(provider, url).complete(request())

    assert isinstance(outcome, Completion)
    assert outcome.finish == "length"


@each_provider
def test_a_rate_limit_passes(provider: Provider, tmp_path: Path) -> None:
    fixtures = [*refuses(429, times=1, model="a-model"), says("at last", model="a-model")]

    with aimock(tmp_path, fixtures) as url:
        outcome = patient(model(provider, url), first_pause=0.1).complete(request())

    assert isinstance(outcome, Completion)
    assert outcome.text == "at last"


@each_provider
def test_an_overload_that_stays_is_given_up(provider: Provider, tmp_path: Path) -> None:
    with aimock(tmp_path, refuses(529, times=9, model="a-model")) as url:
        outcome = patient(model(provider, url), tries=2).complete(request())

    assert isinstance(outcome, ModelFailure)
    assert outcome.kind == "overloaded"


def test_a_whole_panel_passes_and_usage_nobody_counted_is_charged_its_bound(tmp_path: Path) -> None:
    reply = reply_text(scores(8), improvements=["cite pages"])
    names = [name.partition(":")[2] for name in MODELS]

    with aimock(tmp_path, [says(reply, model=name) for name in names]) as url:
        models = {
            panel_name: model(provider, url, name)
            for panel_name, provider, name in zip(MODELS, (OPENAI, ANTHROPIC, GOOGLE), names, strict=True)
        }
        run = run_panel(plan(cap=20), judges(models, patience=patient))

    assert run.conclusion.result.verdict == "pass"
    assert run.conclusion.result.contributors == 3
    assert run.account.charged == 2
