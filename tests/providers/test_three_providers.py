"""What all three providers promise alike, over real HTTP with their real SDKs."""

import time

import pytest

from gate.core.chat import Completion, ModelFailure, Outcome, Usage
from gate.errors import ConfigError, ExitCode
from gate.providers.endpoint import Endpoint
from tests.providers.three import KEY, THREE, Provider, request
from tests.providers.wire import Answer, body, unused_url, wire

each_provider = pytest.mark.parametrize("provider", THREE, ids=lambda provider: provider.name)


def asked(provider: Provider, answer: Answer, **overrides: object) -> Outcome:
    with wire(answer) as server:
        return provider.at(server.url).complete(request(**overrides))


def failure(outcome: Outcome) -> ModelFailure:
    assert isinstance(outcome, ModelFailure)
    return outcome


def error_body(message: str, **more: str) -> bytes:
    return body({"error": {"message": message, **more}})


@each_provider
def test_a_reply_is_its_text_its_usage_and_the_snapshot_that_answered(provider: Provider) -> None:
    outcome = asked(provider, Answer(body=provider.body("the reply")))

    assert isinstance(outcome, Completion)
    assert (outcome.text, outcome.finish, outcome.remarks) == ("the reply", "stop", ())
    assert outcome.usage == Usage(input_tokens=1200, output_tokens=345)
    assert outcome.model is not None
    assert outcome.model[-1].isdigit()


@each_provider
def test_a_reply_cut_at_the_output_cap_says_so(provider: Provider) -> None:
    outcome = asked(provider, Answer(body=provider.body("half a", finish=provider.cut_short)))

    assert isinstance(outcome, Completion)
    assert (outcome.text, outcome.finish) == ("half a", "length")


@each_provider
def test_a_refusal_is_no_reply(provider: Provider) -> None:
    outcome = asked(provider, Answer(body=provider.body(**provider.refused)))

    assert isinstance(outcome, Completion)
    assert outcome.finish == "refused"


@each_provider
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "rejected"),
        (401, "auth"),
        (403, "auth"),
        (408, "timeout"),
        (409, "conflict"),
        (422, "rejected"),
        (429, "rate_limited"),
        (500, "server"),
        (503, "overloaded"),
        (529, "overloaded"),
    ],
)
def test_a_status_is_a_failure_in_our_words_after_a_single_request(
    provider: Provider, status: int, kind: str
) -> None:
    with wire(Answer(status=status, body=error_body("no luck today"))) as server:
        outcome = failure(provider.at(server.url).complete(request()))

        assert len(server.asked) == 1
    assert outcome.kind == kind
    assert outcome.message == f"HTTP {status}: no luck today"
    assert not outcome.lost


@each_provider
@pytest.mark.parametrize("status", [502, 504, 524])
def test_a_gateway_that_gave_up_may_have_cost_something(provider: Provider, status: int) -> None:
    outcome = failure(asked(provider, Answer(status=status, body=b"bad gateway", content_type="text/plain")))

    assert (outcome.kind, outcome.lost) == ("server", True)


@each_provider
def test_retry_after_is_read_as_seconds(provider: Provider) -> None:
    answer = Answer(status=429, body=error_body("slow down"), headers={"retry-after": "7"})

    assert failure(asked(provider, answer)).retry_after == 7


@each_provider
def test_the_sdks_own_retries_are_off(provider: Provider) -> None:
    with wire(Answer(status=503, headers={"retry-after": "1", "x-should-retry": "true"})) as server:
        began = time.monotonic()
        provider.at(server.url).complete(request())

        assert len(server.asked) == 1
    assert time.monotonic() - began < 1


@each_provider
def test_a_body_cut_in_the_middle_is_a_lost_connection(provider: Provider) -> None:
    outcome = failure(asked(provider, Answer(body=provider.body(), cut=True)))

    assert (outcome.kind, outcome.lost) == ("connection", True)


@each_provider
def test_a_connection_dropped_without_an_answer_is_lost(provider: Provider) -> None:
    outcome = failure(asked(provider, Answer(drop=True)))

    assert (outcome.kind, outcome.lost) == ("connection", True)


@each_provider
def test_nobody_listening_costs_nothing(provider: Provider) -> None:
    outcome = failure(provider.at(unused_url()).complete(request()))

    assert (outcome.kind, outcome.lost) == ("connection", False)


@each_provider
def test_a_server_that_says_nothing_is_timed_out(provider: Provider) -> None:
    began = time.monotonic()

    outcome = failure(asked(provider, Answer(hang=True), timeout=0.3))

    assert (outcome.kind, outcome.lost) == ("timeout", True)
    assert time.monotonic() - began < 3


@each_provider
@pytest.mark.parametrize("content_type", ["text/html", "application/json"])
def test_a_page_with_status_200_is_garbage_and_not_a_reply(provider: Provider, content_type: str) -> None:
    page = b"<!doctype html><title>Sign in to the guest network</title>"

    outcome = failure(asked(provider, Answer(body=page, content_type=content_type)))

    assert (outcome.kind, outcome.lost) == ("garbage", True)
    assert "check the base URL" in outcome.message


@each_provider
@pytest.mark.parametrize("held", [b"", b"{}", b"[]", b'"x"', b"null"])
def test_json_of_another_shape_is_garbage(provider: Provider, held: bytes) -> None:
    assert failure(asked(provider, Answer(body=held))).kind == "garbage"


@each_provider
def test_a_model_that_is_unknown_is_told_from_a_path_that_is(provider: Provider) -> None:
    model = failure(asked(provider, Answer(status=404, body=error_body("the model `x` does not exist"))))
    path = failure(asked(provider, Answer(status=404, body=b"404 page not found", content_type="text/plain")))

    assert (model.kind, path.kind) == ("unknown_model", "rejected")


@each_provider
def test_no_key_appears_in_a_message(provider: Provider) -> None:
    said = failure(asked(provider, Answer(status=401, body=error_body(f"Incorrect API key: {KEY}"))))

    assert KEY not in said.message
    assert "<redacted>" in said.message


@each_provider
def test_keys_and_headers_do_not_appear_in_a_representation(provider: Provider) -> None:
    shown = repr(Endpoint(model="m", api_key=KEY, headers={"x-team": "the secret team"}))

    assert KEY not in shown
    assert "secret team" not in shown
    assert provider.name


@each_provider
def test_a_missing_key_is_a_mistake_of_the_configuration(provider: Provider) -> None:
    with pytest.raises(ConfigError, match=f"{provider.name}:m: there is no API key") as caught:
        provider.make(Endpoint(model="m"))

    assert caught.value.exit_code == ExitCode.CONFIG
    assert "_API_KEY" in caught.value.remedy


@each_provider
def test_a_server_of_ones_own_needs_no_key_and_gets_extra_headers(provider: Provider) -> None:
    with wire(Answer(body=provider.body())) as server:
        model = provider.at(server.url, api_key=None, headers={"x-team": "retrieval"})

        assert isinstance(model.complete(request()), Completion)
        assert server.asked[0].headers["x-team"] == "retrieval"


@each_provider
def test_usage_that_nobody_counted_is_unknown(provider: Provider) -> None:
    nothing = {
        "openai": {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}},
        "anthropic": {"usage": {"input_tokens": 0, "output_tokens": 0}},
        "google": {"usageMetadata": {"promptTokenCount": 0, "totalTokenCount": 0}},
    }[provider.name]
    absent = dict.fromkeys(nothing)

    for usage in (nothing, absent):
        outcome = asked(provider, Answer(body=provider.body(**usage)))
        assert isinstance(outcome, Completion)
        assert outcome.usage is None


@each_provider
def test_long_replies_need_no_stream(provider: Provider) -> None:
    outcome = asked(provider, Answer(body=provider.body()), max_tokens=32_000)

    assert isinstance(outcome, Completion)


@each_provider
def test_a_model_may_be_asked_from_many_threads_at_once(provider: Provider) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with wire(Answer(body=provider.body(), delay=0.05)) as server, ThreadPoolExecutor(8) as pool:
        model = provider.at(server.url)
        outcomes = list(pool.map(lambda _: model.complete(request()), range(16)))

    assert all(isinstance(outcome, Completion) for outcome in outcomes)
