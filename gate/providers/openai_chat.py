"""OpenAI's chat completions, and every server that speaks them: Azure, vLLM, Ollama, gateways."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from gate.core.chat import ChatRequest, Completion, Finish, Outcome, Usage
from gate.providers import faults
from gate.providers.concessions import OMIT, Chosen, Concessions, Setting
from gate.providers.endpoint import CONNECT_SECONDS, Endpoint, close_with, key_for

_FINISHES: Final[Mapping[str, Finish]] = {"stop": "stop", "length": "length", "content_filter": "refused"}
_SETTINGS: Final = (
    Setting("temperature", (0, OMIT), ("temperature",)),
    Setting("reasoning_effort", ("none", "minimal", "low", OMIT), ("reasoning",)),
    Setting(
        "response_format", ("json_schema", "json_object", OMIT), ("response_format", "json_schema", "schema")
    ),
    Setting("output_cap", ("max_completion_tokens", "max_tokens"), ("max_completion_tokens",)),
)


class OpenAIChat:
    """Implements ChatModel; ConfigError where a key is missing. The SDK is imported here, its retries are off."""

    def __init__(self, endpoint: Endpoint) -> None:
        key = key_for("openai", "OPENAI_API_KEY", endpoint)
        from openai import OpenAI

        self._endpoint = endpoint
        client = OpenAI(
            api_key=key,
            base_url=endpoint.base_url,
            default_headers=dict(endpoint.headers),
            default_query=dict(endpoint.query),
            max_retries=0,
        )
        self._ask = client.chat.completions.create  # looked up now: it imports more
        close_with(self, client.close)
        self._concessions = Concessions(_SETTINGS)

    def complete(self, request: ChatRequest) -> Outcome:
        """One reply, or why there is none."""
        outcome = self._concessions.ask(lambda chosen: self._attempt(request, chosen))
        return faults.without(self._endpoint.secrets, outcome)

    def _attempt(self, request: ChatRequest, chosen: Chosen) -> Outcome:
        import httpx2
        import openai

        arguments: dict[str, Any] = _arguments(self._endpoint.model, request, chosen)
        timeout = httpx2.Timeout(request.timeout, connect=min(CONNECT_SECONDS, request.timeout))
        try:
            reply = self._ask(**arguments, timeout=timeout)
        except openai.APIStatusError as error:
            return faults.of_status(error.status_code, error.response.text, error.response.headers)
        except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
            return faults.of_exception(error)
        return completion(reply.to_dict() if isinstance(reply, openai.BaseModel) else reply)


def _arguments(model: str, request: ChatRequest, chosen: Chosen) -> dict[str, Any]:
    arguments = {
        "model": model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.prompt},
        ],
        str(chosen["output_cap"]): request.max_tokens,
        **{name: chosen[name] for name in ("temperature", "reasoning_effort") if name in chosen},
    }
    if request.schema is not None and "response_format" in chosen:
        arguments["response_format"] = _format(str(chosen["response_format"]), request.schema)
    return arguments


def _format(kind: str, schema: Mapping[str, object]) -> dict[str, object]:
    if kind == "json_object":
        return {"type": kind}
    return {"type": kind, "json_schema": {"name": "reply", "strict": True, "schema": dict(schema)}}


class _Message(Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Reply(Struct):
    choices: tuple[_Choice, ...]
    model: str | None = None
    usage: _Usage | None = None


def completion(document: object) -> Outcome:
    """What a reply's JSON says."""
    try:
        reply = convert(document, _Reply)
    except ValidationError:
        return faults.garbage("its answer is no chat completion")
    if not reply.choices:
        return faults.garbage("its answer holds no choice")
    choice = reply.choices[0]
    refused = choice.message.refusal is not None
    return Completion(
        text=choice.message.content or "",
        finish="refused" if refused else _FINISHES.get(choice.finish_reason or "", "other"),
        usage=_usage(reply.usage),
        model=reply.model,
    )


def _usage(found: _Usage | None) -> Usage | None:
    """A prompt of no tokens was never counted: gateways and fakes write 0 where they do not know."""
    if found is None or found.prompt_tokens <= 0 or found.completion_tokens < 0:
        return None
    return Usage(input_tokens=found.prompt_tokens, output_tokens=found.completion_tokens)
