"""Google's Gemini, by generateContent."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, ValidationError, convert

from gate.core.chat import ChatRequest, Completion, Finish, Outcome, Usage
from gate.providers import faults
from gate.providers.concessions import OMIT, Chosen, Concessions, Setting
from gate.providers.endpoint import Endpoint, close_with, key_for

if TYPE_CHECKING:
    from google.genai.types import GenerateContentConfig, ThinkingConfig

_FINISHES: Final[Mapping[str, Finish]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
}
_JSON: Final = "application/json"
_SETTINGS: Final = (
    Setting("temperature", (0, OMIT), ("temperature",)),
    Setting("thinking", ("no budget", "minimal", "low", OMIT), ("thinking", "budget")),
    Setting("schema", ("json_schema", "json", OMIT), ("schema", "mime_type", "mimetype")),
)


class GoogleGenAI:
    """Implements ChatModel; ConfigError where a key is missing. The SDK is imported here, and does not retry."""

    def __init__(self, endpoint: Endpoint) -> None:
        key = key_for("google", "GEMINI_API_KEY", endpoint)
        from google.genai import Client
        from google.genai.types import HttpOptions

        self._endpoint = endpoint
        client = Client(
            api_key=key,
            vertexai=False,  # or a variable of the environment would choose
            http_options=HttpOptions(
                base_url=endpoint.base_url, api_version=endpoint.api_version, headers=dict(endpoint.headers)
            ),
        )
        self._ask = client.models.generate_content  # looked up now: it imports more
        close_with(self, client.close)
        self._concessions = Concessions(_SETTINGS)

    def complete(self, request: ChatRequest) -> Outcome:
        """One reply, or why there is none."""
        outcome = self._concessions.ask(lambda chosen: self._attempt(request, chosen))
        return faults.without(self._endpoint.secrets, outcome)

    def _attempt(self, request: ChatRequest, chosen: Chosen) -> Outcome:
        import httpx2
        from google.genai.errors import APIError

        try:
            reply = self._ask(
                model=self._endpoint.model, contents=request.prompt, config=_config(request, chosen)
            )
        except APIError as error:
            headers = getattr(error.response, "headers", None) or {}
            return faults.of_status(error.code, json.dumps(error.details, default=str), headers)
        except (httpx2.HTTPError, ValueError) as error:
            return faults.of_exception(error)
        return completion(reply.model_dump(mode="json", exclude_none=True))


def _config(request: ChatRequest, chosen: Chosen) -> "GenerateContentConfig":
    from google.genai.types import GenerateContentConfig, HttpOptions

    settings: dict[str, Any] = {}
    if "temperature" in chosen:
        settings["temperature"] = chosen["temperature"]
    if "thinking" in chosen:
        settings["thinking_config"] = _thinking(str(chosen["thinking"]))
    if request.schema is not None and "schema" in chosen:
        settings["response_mime_type"] = _JSON
        settings["response_json_schema"] = dict(request.schema) if chosen["schema"] == "json_schema" else None
    return GenerateContentConfig(
        system_instruction=request.system,
        max_output_tokens=request.max_tokens,
        http_options=HttpOptions(timeout=max(round(request.timeout * 1000), 1)),  # milliseconds
        **settings,
    )


def _thinking(rung: str) -> "ThinkingConfig":
    """Off by a budget of nothing; models that cannot switch it off know levels instead."""
    from google.genai.types import ThinkingConfig, ThinkingLevel

    if rung == "no budget":
        return ThinkingConfig(thinking_budget=0)
    return ThinkingConfig(thinking_level=ThinkingLevel(rung.upper()))


class _Part(Struct):
    text: str = ""
    thought: bool = False


class _Content(Struct):
    parts: tuple[_Part, ...] = ()


class _Candidate(Struct):
    content: _Content | None = None
    finish_reason: str | None = None


class _Feedback(Struct):
    block_reason: str | None = None


class _Usage(Struct):
    prompt_token_count: int = 0
    candidates_token_count: int = 0
    thoughts_token_count: int = 0


class _Reply(Struct):
    candidates: tuple[_Candidate, ...] = ()
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Usage | None = None
    model_version: str | None = None


def completion(document: object) -> Outcome:
    """What a reply's JSON says; thoughts are no part of it, but they are paid for as output."""
    try:
        reply = convert(document, _Reply)
    except ValidationError:
        return faults.garbage("its answer is no generated content")
    blocked = reply.prompt_feedback is not None and reply.prompt_feedback.block_reason is not None
    if not reply.candidates and not blocked:
        return faults.garbage("its answer holds no candidate")
    candidate = reply.candidates[0] if reply.candidates else _Candidate()
    parts = candidate.content.parts if candidate.content else ()
    return Completion(
        text="".join(part.text for part in parts if not part.thought),
        finish="refused" if blocked else _FINISHES.get(candidate.finish_reason or "", "other"),
        usage=_usage(reply.usage_metadata),
        model=reply.model_version,
    )


def _usage(found: _Usage | None) -> Usage | None:
    """A prompt of no tokens was never counted."""
    if found is None or found.prompt_token_count <= 0:
        return None
    output = found.candidates_token_count + found.thoughts_token_count
    return Usage(input_tokens=found.prompt_token_count, output_tokens=output) if output >= 0 else None
