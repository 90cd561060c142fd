"""Where a model is asked and with what key: plain values, so that gateways and compatible servers fit too."""

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from gate.errors import ConfigError

CONNECT_SECONDS: Final = 10.0
_NO_KEY: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model at one place. `base_url` None = the provider's own; headers and query are sent with every request.

    Keys and headers never appear in a representation, a message or a recording.
    """

    model: str
    """As the provider knows it, without our prefix."""
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    api_version: str | None = None
    """Google only: v1, v1beta."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be shown: the key, and every value that is sent along."""
        values = (self.api_key or "", *self.headers.values(), *self.query.values())
        return tuple(value for value in values if len(value) >= _SHORTEST_SECRET)


_SHORTEST_SECRET: Final = 8
"""Shorter values ("2024-10-21" is longer) are versions and switches, and would blot out ordinary words."""


def key_for(provider: str, variable: str, endpoint: Endpoint) -> str:
    """The key to send. A server of one's own may need none; ConfigError where the provider itself is asked."""
    if endpoint.api_key:
        return endpoint.api_key
    if endpoint.base_url is not None:
        return _NO_KEY
    raise ConfigError(
        f"{provider}:{endpoint.model}: there is no API key", remedy=f"set {variable}, or leave the model out"
    )


def close_with(model: object, close: Callable[[], None]) -> None:
    """Close a client's connections when nobody holds the model any more; not at exit, which must not wait."""
    weakref.finalize(model, close).atexit = False
