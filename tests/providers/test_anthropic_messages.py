from typing import Any

import pytest

from gate.core.chat import Completion
from gate.providers.anthropic_messages import completion
from tests.providers.three import ANTHROPIC, KEY, request
from tests.providers.wire import Answer, anthropic_body, body, wire

REPLY = Answer(body=anthropic_body())


def rejection(message: str) -> Answer:
    error = {"type": "invalid_request_error", "message": message}
    return Answer(status=400, body=body({"type": "error", "error": error}))


def sent(*answers: Answer, **overrides: object) -> list[Any]:
    """The bodies of the requests that one call made."""
    with wire(*answers) as server:
        ANTHROPIC.at(server.url).complete(request(**overrides))
        return [each.body for each in server.asked]


def test_a_judge_is_asked_without_chance_without_thinking_and_for_a_schema() -> None:
    (asked,) = sent(REPLY)

    assert asked["temperature"] == 0
    assert asked["thinking"] == {"type": "disabled"}
    assert asked["max_tokens"] == 2000
    assert asked["output_config"]["format"]["type"] == "json_schema"
    assert asked["system"] == "You grade."


def test_without_a_schema_none_is_asked_for() -> None:
    (asked,) = sent(REPLY, schema=None)

    assert "output_config" not in asked


def test_the_key_is_sent() -> None:
    with wire(REPLY) as server:
        ANTHROPIC.at(server.url).complete(request())

        assert KEY in (
            server.asked[0].headers.get("authorization", "") + server.asked[0].headers.get("x-api-key", "")
        )
        assert server.asked[0].path == "/v1/messages"


@pytest.mark.parametrize(
    ("message", "setting"),
    [
        ("`temperature` is deprecated for this model.", "temperature"),
        ("thinking: this model always thinks", "thinking"),
        ("output_config.format: Extra inputs are not permitted", "output_config"),
    ],
)
def test_what_a_model_does_not_take_is_left_out_and_said(message: str, setting: str) -> None:
    with wire(rejection(message), REPLY) as server:
        outcome = ANTHROPIC.at(server.url).complete(request())

        assert [setting in each.body for each in server.asked] == [True, False]
    assert isinstance(outcome, Completion)
    assert outcome.remarks == (f"{setting} is not taken by this model",)


def test_thinking_is_no_part_of_the_reply() -> None:
    blocks = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "a"}]

    outcome = completion({"content": [*blocks, {"type": "text", "text": "b"}], "stop_reason": "end_turn"})

    assert isinstance(outcome, Completion)
    assert (outcome.text, outcome.usage) == ("ab", None)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop_sequence", "stop"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "other"),
        (None, "other"),
    ],
)
def test_how_a_message_ended(reason: str | None, finish: str) -> None:
    outcome = completion({"content": [], "stop_reason": reason})

    assert isinstance(outcome, Completion)
    assert outcome.finish == finish
