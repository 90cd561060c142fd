"""Anthropic's messages."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, ValidationError, convert

from gate.core.chat import ChatRequest, Completion, Finish, Outcome, Usage
from gate.providers import faults
from gate.providers.concessions import OMIT, Chosen, Concessions, Setting
from gate.providers.endpoint import CONNECT_SECONDS, Endpoint, close_with, key_for

_FINISHES: Final[Mapping[str, Finish]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_SETTINGS: Final = (
    Setting("temperature", (0, OMIT), ("temperature",)),
    Setting("thinking", ("disabled", OMIT), ("thinking",)),
    Setting(
        "output_config", ("json_schema", OMIT), ("output_config", "output_format", "json_schema", "schema")
    ),
)


class AnthropicMessages:
    """Implements ChatModel; ConfigError where a key is missing. The SDK is imported here, its retries are off."""

    def __init__(self, endpoint: Endpoint) -> None:
        key = key_for("anthropic", "ANTHROPIC_API_KEY", endpoint)
        from anthropic import Anthropic

        self._endpoint = endpoint
        client = Anthropic(
            api_key=key,
            base_url=endpoint.base_url,
            default_headers=dict(endpoint.headers),
            default_query=dict(endpoint.query),
            max_retries=0,
        )
        self._ask = client.messages.create  # looked up now: it imports more
        close_with(self, client.close)
        self._concessions = Concessions(_SETTINGS)

    def complete(self, request: ChatRequest) -> Outcome:
        """One reply, or why there is none."""
        outcome = self._concessions.ask(lambda chosen: self._attempt(request, chosen))
        return faults.without(self._endpoint.secrets, outcome)

    def _attempt(self, request: ChatRequest, chosen: Chosen) -> Outcome:
        import anthropic
        import httpx2

        arguments: dict[str, Any] = _arguments(self._endpoint.model, request, chosen)
        # given explicitly, the time-out also lifts the SDK's refusal of long replies that are not streamed
        timeout = httpx2.Timeout(request.timeout, connect=min(CONNECT_SECONDS, request.timeout))
        try:
            reply = self._ask(**arguments, timeout=timeout)
        except anthropic.APIStatusError as error:
            return faults.of_status(error.status_code, error.response.text, error.response.headers)
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            return faults.of_exception(error)
        return completion(reply.to_dict() if isinstance(reply, anthropic.BaseModel) else reply)


def _arguments(model: str, request: ChatRequest, chosen: Chosen) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "system": request.system,
        "messages": [{"role": "user", "content": request.prompt}],
    }
    if "temperature" in chosen:
        arguments["extra_body"] = {"temperature": chosen["temperature"]}  # no parameter of the SDK since 2.x
    if "thinking" in chosen:
        arguments["thinking"] = {"type": chosen["thinking"]}
    if request.schema is not None and "output_config" in chosen:
        arguments["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
    return arguments


class _Block(Struct):
    type: str
    text: str = ""


class _Usage(Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Message(Struct):
    content: tuple[_Block, ...]
    model: str | None = None
    stop_reason: str | None = None
    usage: _Usage | None = None


def completion(document: object) -> Outcome:
    """What a reply's JSON says; thinking blocks are no part of the reply."""
    try:
        message = convert(document, _Message)
    except ValidationError:
        return faults.garbage("its answer is no message")
    return Completion(
        text="".join(block.text for block in message.content if block.type == "text"),
        finish=_FINISHES.get(message.stop_reason or "", "other"),
        usage=_usage(message.usage),
        model=message.model,
    )


def _usage(found: _Usage | None) -> Usage | None:
    """Input read from or written to a cache is counted apart by the provider, and is input all the same."""
    if found is None:
        return None
    parts = (found.input_tokens, found.cache_creation_input_tokens, found.cache_read_input_tokens)
    tokens, output = sum(part or 0 for part in parts), found.output_tokens or 0
    return Usage(input_tokens=tokens, output_tokens=output) if tokens > 0 and output >= 0 else None
