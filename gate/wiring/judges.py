"""Models by name become judges: clients of their providers with what the environment says, or a cassette."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from gate.core.judging.roster import Roster, split_name
from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.errors import ConfigError, EvidenceError, UsageError
from gate.ports import ChatModel
from gate.providers.endpoint import Endpoint
from gate.providers.recorded import Cassette, Recording, head
from gate.store.growing_rows import GrowingFile

_OWN: Final[Mapping[str, str]] = {
    "openai": "gate.providers.openai_chat:OpenAIChat",
    "anthropic": "gate.providers.anthropic_messages:AnthropicMessages",
    "google": "gate.providers.google_genai:GoogleGenAI",
}
_COMPATIBLE: Final = _OWN["openai"]
"""Any other provider is a server that speaks OpenAI's chat completions, wherever PROVIDER_BASE_URL says."""

_OTHER_NAMES: Final[Mapping[str, str]] = {
    "GOOGLE_API_KEY": "GEMINI_API_KEY",
    "GOOGLE_BASE_URL": "GOOGLE_GEMINI_BASE_URL",
}
"""What Google's own client calls these."""


def endpoint_of(model: str, environment: Mapping[str, str]) -> Endpoint:
    """Where a model is asked: PROVIDER_API_KEY, PROVIDER_BASE_URL, PROVIDER_EXTRA_HEADERS, PROVIDER_EXTRA_QUERY.

    ConfigError when the model is misnamed, its provider unknown and without an address, or a variable unreadable.
    """
    provider, name = split_name(model)
    prefix = provider.upper().replace("-", "_").replace(".", "_")
    base_url = _value(environment, f"{prefix}_BASE_URL")
    if provider not in _OWN and base_url is None:
        raise ConfigError(
            f"{model}: the provider {provider!a} is not known",
            remedy=f"set {prefix}_BASE_URL to a server that speaks OpenAI's chat completions, "
            f"or choose a model of {', '.join(_OWN)}",
        )
    return Endpoint(
        model=name,
        api_key=_value(environment, f"{prefix}_API_KEY"),
        base_url=base_url,
        headers=_texts(environment, f"{prefix}_EXTRA_HEADERS"),
        query=_texts(environment, f"{prefix}_EXTRA_QUERY"),
        api_version=environment.get("GOOGLE_GENAI_API_VERSION") or None if provider == "google" else None,
    )


def without_key(models: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The models that are asked at their provider's own place, and have no key for it."""
    return tuple(
        model
        for model in models
        if (endpoint := endpoint_of(model, environment)).base_url is None and endpoint.api_key is None
    )


def elsewhere(environment: Mapping[str, str]) -> frozenset[str]:
    """The providers of our own that the environment has asked at another address: a gateway, a cloud, a test."""
    return frozenset(name for name in _OWN if _value(environment, f"{name.upper()}_BASE_URL") is not None)


def askable(roster: Roster, *, nobody: bool, environment: Mapping[str, str]) -> Roster:
    """What is known of models where a run would ask them; where it asks nobody, none of them is gone."""
    return roster.for_replies_we_have() if nobody else roster.except_for(elsewhere(environment))


def live_judges(models: Sequence[str], environment: Mapping[str, str]) -> dict[str, ChatModel]:
    """A client for every model; ConfigError when a key or a provider's package is missing."""
    return {model: _client(model, endpoint_of(model, environment)) for model in models}


def recording_judges(
    models: Sequence[str], environment: Mapping[str, str], cassette: GrowingFile
) -> dict[str, ChatModel]:
    """The same, and everything they say is kept in a cassette; keys and headers never are."""
    cassette.write(head(models))
    endpoints = {model: endpoint_of(model, environment) for model in models}
    secrets = tuple(secret for endpoint in endpoints.values() for secret in endpoint.secrets)
    keep = _one_at_a_time(cassette.write)
    return {
        model: Recording(_client(model, endpoint), model, keep, secrets=secrets)
        for model, endpoint in endpoints.items()
    }


def read_cassette(path: Path) -> Cassette:
    """A cassette on disk; EvidenceError when it is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EvidenceError(
            f"{path}: the cassette cannot be read ({error.strerror})",
            remedy="check the path, or record one with --record",
        ) from error
    return Cassette(data, str(path))


def new_cassette(path: Path) -> GrowingFile:
    """A cassette to be recorded; UsageError where a file already is, which may be somebody's only copy."""
    if path.exists():
        raise UsageError(f"--record: {path} is there already", remedy="name a new file, or remove that one")
    return GrowingFile(path, str(path))


def _client(model: str, endpoint: Endpoint) -> ChatModel:
    provider, _ = split_name(model)
    module, _, name = _OWN.get(provider, _COMPATIBLE).partition(":")
    make: Callable[[Endpoint], ChatModel] = getattr(import_module(module), name)
    try:
        return make(endpoint)
    except ImportError as error:
        raise ConfigError(
            f"{model} needs the package {error.name}",
            remedy="install it: pip install 'retrieval-quality-gate[panel]'",
        ) from error


def _value(environment: Mapping[str, str], name: str) -> str | None:
    return environment.get(name) or environment.get(_OTHER_NAMES.get(name, name)) or None


def _texts(environment: Mapping[str, str], name: str) -> Mapping[str, str]:
    """A variable that holds a JSON object of texts; empty where it is not set. Its value is never shown."""
    text = environment.get(name)
    if not text:
        return {}
    try:
        found = strict_loads(text.encode())
    except StrictJsonError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError(
            f"{name}: this is no JSON object of texts", remedy='write it as {"header-name": "value"}'
        )
    return found


def _one_at_a_time(write: Callable[[bytes], None]) -> Callable[[bytes], None]:
    from threading import Lock

    lock = Lock()

    def keep(line: bytes) -> None:
        with lock:
            write(line)

    return keep
