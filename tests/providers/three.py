"""The three providers and what each of them says on the wire, side by side, for tests of what they promise alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.core.chat import ChatRequest
from gate.core.judging.prompt import reply_schema
from gate.ports import ChatModel
from gate.providers.anthropic_messages import AnthropicMessages
from gate.providers.endpoint import Endpoint
from gate.providers.google_genai import GoogleGenAI
from gate.providers.openai_chat import OpenAIChat
from tests.core.judging.factories import rubric
from tests.providers.wire import anthropic_body, google_body, openai_body

KEY = "sk-test-0123456789abcdef"


@dataclass(frozen=True)
class Provider:
    """One provider: its class, the path its base URL needs, a reply's body, its word for a reply cut short."""

    name: str
    make: Callable[[Endpoint], ChatModel]
    path: str
    body: Callable[..., bytes]
    cut_short: str
    refused: Mapping[str, object]

    def at(self, url: str, **overrides: object) -> ChatModel:
        members: dict[str, object] = {"model": "a-model", "api_key": KEY, "base_url": url + self.path}
        return self.make(Endpoint(**members | overrides))  # type: ignore[arg-type]  # a test's overrides


OPENAI = Provider("openai", OpenAIChat, "/v1", openai_body, "length", {"text": None, "refusal": "I will not"})
ANTHROPIC = Provider("anthropic", AnthropicMessages, "", anthropic_body, "max_tokens", {"finish": "refusal"})
GOOGLE = Provider("google", GoogleGenAI, "", google_body, "MAX_TOKENS", {"finish": "SAFETY"})
THREE = (OPENAI, ANTHROPIC, GOOGLE)


def request(**overrides: object) -> ChatRequest:
    members: dict[str, object] = {
        "system": "You grade.",
        "prompt": "Grade this.",
        "max_tokens": 2000,
        "timeout": 30.0,
        "schema": reply_schema(rubric()),
    }
    return ChatRequest(**members | overrides)  # type: ignore[arg-type]  # a test's overrides
