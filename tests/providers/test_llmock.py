"""The providers and the retry policy against llmock, a fake of all three services that nobody here wrote."""

import threading

import pytest
from llmock.pytest_plugin import LLMock

from gate.core.chat import Completion, ModelFailure
from gate.ports import ChatModel
from gate.process import SystemClock
from gate.providers.retry import Patience, Retrying
from gate.suites.takes_quality import run_panel
from tests.core.judging.factories import reply_text, scores
from tests.providers.three import ANTHROPIC, GOOGLE, OPENAI, THREE, Provider, request
from tests.suites.judges import MODELS, judges, plan

THEIR_NAMES = {"openai": "openai", "anthropic": "anthropic", "google": "gemini"}

each_provider = pytest.mark.parametrize("provider", THREE, ids=lambda provider: provider.name)


def model(provider: Provider, llmock: LLMock, name: str = "a-model") -> ChatModel:
    # llmock serves Google's v1beta only, while the SDK asks for v1 by itself
    url = llmock.base_url(THEIR_NAMES[provider.name])
    return provider.at("", base_url=url, model=name, api_version="v1beta")


def patient(judge: ChatModel, **patience: float) -> Retrying:
    return Retrying(judge, Patience(**patience), SystemClock(), threading.Event().wait)  # type: ignore[arg-type]  # tries is an int


@each_provider
def test_a_reply_and_its_usage_arrive(provider: Provider, llmock: LLMock) -> None:
    llmock.reply("the reply")

    outcome = model(provider, llmock).complete(request())

    assert isinstance(outcome, Completion)
    assert (outcome.text, outcome.finish) == ("the reply", "stop")
    assert outcome.usage is not None
    assert outcome.usage.input_tokens > 0


@each_provider
def test_retry_after_is_obeyed_by_our_policy_and_llmock_is_content(
    provider: Provider, llmock: LLMock
) -> None:
    llmock.rate_limit(times=2, retry_after=0.3)
    llmock.reply("at last")

    outcome = patient(model(provider, llmock)).complete(request())

    assert isinstance(outcome, Completion)
    assert len(llmock.requests) == 3
    llmock.assert_resilient(strict=True)


@each_provider
@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 529])
def test_faults_that_pass_are_survived(provider: Provider, llmock: LLMock, status: int) -> None:
    llmock.fail(status, times=1)
    llmock.reply("at last")

    outcome = patient(model(provider, llmock), first_pause=0.1).complete(request())

    assert isinstance(outcome, Completion)
    assert outcome.text == "at last"
    llmock.assert_resilient()


@each_provider
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_pass_is_asked_once(provider: Provider, llmock: LLMock, status: int) -> None:
    llmock.fail(status, times=None, message="no such thing")

    outcome = patient(model(provider, llmock), first_pause=0.1).complete(request())

    assert isinstance(outcome, ModelFailure)
    assert len(llmock.requests) == 1
    llmock.assert_resilient()


@each_provider
def test_an_outage_is_given_up_after_the_tries_that_are_allowed(provider: Provider, llmock: LLMock) -> None:
    llmock.outage()

    outcome = patient(model(provider, llmock), first_pause=0.1, tries=3).complete(request())

    assert isinstance(outcome, ModelFailure)
    assert outcome.message.endswith("(given up after 3 tries)")
    assert len(llmock.requests) == 3
    llmock.assert_resilient()


@each_provider
def test_a_slow_answer_is_timed_out(provider: Provider, llmock: LLMock) -> None:
    llmock.delay(2)

    outcome = model(provider, llmock).complete(request(timeout=0.3))

    assert isinstance(outcome, ModelFailure)
    assert (outcome.kind, outcome.lost) == ("timeout", True)


def test_a_whole_panel_with_a_rate_limit_and_a_malformed_reply(llmock: LLMock) -> None:
    llmock.rate_limit(times=1, retry_after=0.2, provider="openai")
    llmock.reply("Sorry, here is prose.", provider="anthropic")
    for name in THEIR_NAMES.values():
        llmock.reply(reply_text(scores(8), improvements=["cite pages"]), times=None, provider=name)
    models = {
        name: model(provider, llmock, name.partition(":")[2])
        for name, provider in zip(MODELS, (OPENAI, ANTHROPIC, GOOGLE), strict=True)
    }

    run = run_panel(plan(cap=20), judges(models, patience=patient))

    assert run.conclusion.result.verdict == "pass"
    assert run.conclusion.result.contributors == 3
    assert [(each.model_id, each.corrected) for each in run.corrections] == [(MODELS[1], "valid")]
    assert run.account.cost is not None
    assert len(llmock.requests) == 5
    llmock.assert_resilient()
