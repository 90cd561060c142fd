"""Real judges, real money (a few cents): run by hand with `python -m pytest -m live tests/live`, keys in place."""

import os
import threading
from collections.abc import Callable

import pytest

from gate.core.judging.budget import Capped
from gate.core.judging.conclusion import Rules
from gate.core.judging.roster import read_roster
from gate.core.judging.rubric import read_rubric
from gate.core.pricing import price_table
from gate.ports import ChatModel
from gate.process import SystemClock
from gate.providers.anthropic_messages import AnthropicMessages
from gate.providers.endpoint import Endpoint
from gate.providers.google_genai import GoogleGenAI
from gate.providers.openai_chat import OpenAIChat
from gate.providers.retry import Patience, Retrying
from gate.store.data_files import PANEL, RUBRIC, data_file, price_files
from gate.suites.takes_quality import PanelPlan, PanelRun, run_panel
from tests.core.judging.adversarial import CLAIMS
from tests.core.judging.factories import take
from tests.suites.judges import judges

PROVIDERS: dict[str, tuple[Callable[[Endpoint], ChatModel], str]] = {
    "openai": (OpenAIChat, "OPENAI_API_KEY"),
    "anthropic": (AnthropicMessages, "ANTHROPIC_API_KEY"),
    "google": (GoogleGenAI, "GEMINI_API_KEY"),
}
KEYS = {name: os.environ.get(name, "") for _, name in PROVIDERS.values()}  # noqa: TID251 - tests may read it
MISSING = [name for name, key in KEYS.items() if not key]

pytestmark = [
    pytest.mark.live,
    pytest.mark.enable_socket,
    pytest.mark.skipif(bool(MISSING), reason=f"a live test: there is no {', no '.join(MISSING)}"),
]


def judged(claims: tuple[str, ...]) -> PanelRun:
    roster = read_roster(data_file(PANEL), PANEL)
    stop = threading.Event()
    models: dict[str, ChatModel] = {}
    panel = tuple(model if (gone := roster.gone(model)) is None else gone.instead for model in roster.models)
    for model in panel:
        provider, _, name = model.partition(":")
        make, variable = PROVIDERS[provider]
        models[model] = make(Endpoint(model=name, api_key=KEYS[variable]))
    plan = PanelPlan(
        rules=Rules(rubric=read_rubric(data_file(RUBRIC), RUBRIC), cycles=1),
        models=panel,
        batches=(tuple(take(row, claim=claim) for row, claim in enumerate(claims, 1)),),
        roster=roster,
        prices=price_table(price_files()),
        budget=Capped(cap=1.0, price_file="the gate's own"),
    )
    patience = lambda model: Retrying(model, Patience(), SystemClock(), stop.wait)  # noqa: E731
    return run_panel(plan, judges(models, patience=patience, stop=stop))


def test_judges_are_not_talked_into_a_pass() -> None:
    run = judged(CLAIMS)

    assert run.conclusion.result.verdict == "fail"
    assert run.conclusion.result.contributors == 3


def test_judges_answer_in_the_shape_that_was_asked_for_within_the_bound_on_their_cost() -> None:
    run = judged(("Founded Lumen Forge in 2019", "Sells desktop kilns to potters", "Has twelve employees"))

    assert run.conclusion.result.contributors == 3
    assert run.corrections == ()
    assert run.account.cost is not None
    assert run.projected_usd is not None
    assert run.account.cost < run.projected_usd
