from typing import Any

import pytest

from gate.core.chat import Completion, ModelFailure
from gate.providers.google_genai import completion
from tests.providers.three import GOOGLE, KEY, request
from tests.providers.wire import Answer, body, google_body, wire

REPLY = Answer(body=google_body())


def rejection(message: str) -> Answer:
    return Answer(
        status=400, body=body({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}})
    )


def sent(*answers: Answer, **overrides: object) -> list[Any]:
    """What the requests of one call asked for beside the prompt."""
    with wire(*answers) as server:
        GOOGLE.at(server.url).complete(request(**overrides))
        return [plain(each.body["generationConfig"]) for each in server.asked]


def plain(config: dict[str, Any]) -> dict[str, Any]:
    """The SDK writes some nested names with underscores, which Google reads like the others."""
    thinking = config.pop("thinkingConfig", None)
    named = {"thinking_budget": "thinkingBudget", "thinking_level": "thinkingLevel"}
    return config | (
        {"thinkingConfig": {named.get(k, k): v for k, v in thinking.items()}} if thinking else {}
    )


def test_a_judge_is_asked_without_chance_without_thinking_and_for_a_schema() -> None:
    (asked,) = sent(REPLY)

    assert asked["temperature"] == 0
    assert asked["thinkingConfig"] == {"thinkingBudget": 0}
    assert asked["maxOutputTokens"] == 2000
    assert asked["responseMimeType"] == "application/json"
    assert asked["responseJsonSchema"]["required"] == ["scores", "improvements"]


def test_without_a_schema_none_is_asked_for() -> None:
    (asked,) = sent(REPLY, schema=None)

    assert "responseJsonSchema" not in asked
    assert "responseMimeType" not in asked


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_the_version_of_the_interface_can_be_chosen(version: str) -> None:
    with wire(REPLY) as server:
        GOOGLE.at(server.url, api_version=version).complete(request())

        assert server.asked[0].path == f"/{version}/models/a-model:generateContent"
        assert server.asked[0].headers["x-goog-api-key"] == KEY


def test_the_environment_does_not_choose_another_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")

    (asked,) = sent(REPLY)

    assert asked["temperature"] == 0


def test_a_model_that_must_think_thinks_as_little_as_it_can() -> None:
    only = rejection("Budget 0 is invalid. This model only works in thinking mode.")

    configs = sent(only, only, only, REPLY)

    assert [each.get("thinkingConfig") for each in configs] == [
        {"thinkingBudget": 0},
        {"thinkingLevel": "MINIMAL"},
        {"thinkingLevel": "LOW"},
        None,
    ]


def test_an_interface_without_schemas_is_asked_for_json_and_then_for_text() -> None:
    unknown = rejection('Unknown name "responseJsonSchema" at generation_config: Cannot find field.')

    configs = sent(unknown, unknown, REPLY)

    assert ["responseJsonSchema" in each for each in configs] == [True, False, False]
    assert [each.get("responseMimeType") for each in configs] == [
        "application/json",
        "application/json",
        None,
    ]


def test_the_delay_google_asks_for_in_its_body_is_read() -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s"}
    error = {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED", "details": [detail]}

    with wire(Answer(status=429, body=body({"error": error}))) as server:
        outcome = GOOGLE.at(server.url).complete(request())

    assert isinstance(outcome, ModelFailure)
    assert (outcome.kind, outcome.retry_after) == ("rate_limited", 37.5)


def test_thoughts_are_no_part_of_the_reply_but_paid_for() -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "a"}, {"text": "b"}]

    with wire(Answer(body=google_body(parts=parts))) as server:
        outcome = GOOGLE.at(server.url).complete(request())

    assert isinstance(outcome, Completion)
    assert outcome.text == "ab"
    assert outcome.usage is not None
    assert outcome.usage.output_tokens == 300 + 45


def test_a_prompt_that_was_blocked_is_a_refusal() -> None:
    blocked = completion({"prompt_feedback": {"block_reason": "SAFETY"}})

    assert isinstance(blocked, Completion)
    assert (blocked.text, blocked.finish) == ("", "refused")


@pytest.mark.parametrize("candidate", [{}, {"content": None}, {"content": {}, "finish_reason": "OTHER"}])
def test_a_candidate_without_text_is_an_empty_reply(candidate: dict[str, object]) -> None:
    outcome = completion({"candidates": [{k: v for k, v in candidate.items() if v is not None}]})

    assert isinstance(outcome, Completion)
    assert (outcome.text, outcome.finish) == ("", "other")


def test_another_shape_is_garbage() -> None:
    outcome = completion({"candidates": 7})

    assert isinstance(outcome, ModelFailure)
    assert outcome.kind == "garbage"
