from typing import Any

import pytest

from gate.core.chat import Completion, ModelFailure
from gate.providers.openai_chat import completion
from tests.providers.three import KEY, OPENAI, request
from tests.providers.wire import Answer, body, openai_body, wire

REPLY = Answer(body=openai_body())


def rejection(param: str, message: str = "Unsupported value") -> Answer:
    return Answer(
        status=400, body=body({"error": {"message": message, "param": param, "code": "unsupported"}})
    )


def sent(*answers: Answer, **overrides: object) -> list[Any]:
    """The bodies of the requests that one call made."""
    with wire(*answers) as server:
        OPENAI.at(server.url).complete(request(**overrides))
        return [each.body for each in server.asked]


def test_a_judge_is_asked_without_chance_without_thinking_and_for_a_schema() -> None:
    (asked,) = sent(REPLY)

    assert asked["temperature"] == 0
    assert asked["reasoning_effort"] == "none"
    assert asked["max_completion_tokens"] == 2000
    assert asked["response_format"]["type"] == "json_schema"
    assert asked["response_format"]["json_schema"]["strict"] is True
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]


def test_without_a_schema_none_is_asked_for() -> None:
    (asked,) = sent(REPLY, schema=None)

    assert "response_format" not in asked


def test_the_key_goes_where_openai_looks_for_it_and_a_query_is_sent_along() -> None:
    with wire(REPLY) as server:
        OPENAI.at(server.url, query={"api-version": "2026-01-01"}).complete(request())

        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.asked[0].path == "/v1/chat/completions?api-version=2026-01-01"


def test_a_temperature_that_is_not_taken_is_left_out_and_said() -> None:
    with wire(rejection("temperature"), REPLY) as server:
        model = OPENAI.at(server.url)
        outcome, again = model.complete(request()), model.complete(request())

        assert ["temperature" in each.body for each in server.asked] == [True, False, False]
    for each in (outcome, again):
        assert isinstance(each, Completion)
        assert each.remarks == ("temperature is not taken by this model",)


def test_a_model_that_must_think_thinks_as_little_as_it_can() -> None:
    bodies = sent(rejection("reasoning_effort"), rejection("reasoning_effort"), REPLY)

    assert [each.get("reasoning_effort") for each in bodies] == ["none", "minimal", "low"]


def test_a_server_without_schemas_is_asked_for_json_and_then_for_text() -> None:
    bodies = sent(rejection("response_format"), rejection("response_format"), REPLY)

    assert [each.get("response_format", {}).get("type") for each in bodies] == [
        "json_schema",
        "json_object",
        None,
    ]


def test_an_older_server_gets_the_older_name_of_the_cap() -> None:
    bodies = sent(rejection("", "Unrecognized request argument supplied: max_completion_tokens"), REPLY)

    assert [each.get("max_tokens") for each in bodies] == [None, 2000]


def test_a_server_that_rejects_everything_is_asked_a_limited_number_of_times() -> None:
    said = "temperature, reasoning_effort, response_format and max_completion_tokens are all wrong"

    with wire(rejection("", said)) as server:
        outcome = OPENAI.at(server.url).complete(request())

        assert len(server.asked) == 1 + 1 + 3 + 2 + 1
    assert isinstance(outcome, ModelFailure)
    assert outcome.kind == "rejected"


def test_a_rejection_that_names_no_setting_is_not_tried_again() -> None:
    assert len(sent(rejection("messages", "The context is too long"))) == 1


def test_a_used_up_quota_is_no_rate_limit_that_passes() -> None:
    held = body({"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})

    with wire(Answer(status=429, body=held)) as server:
        outcome = OPENAI.at(server.url).complete(request())

    assert isinstance(outcome, ModelFailure)
    assert outcome.kind == "rejected"


@pytest.mark.parametrize("ending", [None, "tool_calls", "something new"])
def test_an_ending_that_is_not_understood_is_other(ending: str | None) -> None:
    choice = {"message": {"content": None}, "finish_reason": ending}

    outcome = completion({"choices": [choice]})

    assert isinstance(outcome, Completion)
    assert (outcome.text, outcome.finish, outcome.usage, outcome.model) == ("", "other", None, None)


@pytest.mark.parametrize(
    "held", [{"choices": []}, {"choices": [{}]}, {"choices": [{"message": {"content": 1}}]}]
)
def test_a_reply_without_a_message_is_garbage(held: object) -> None:
    outcome = completion(held)

    assert isinstance(outcome, ModelFailure)
    assert outcome.kind == "garbage"
