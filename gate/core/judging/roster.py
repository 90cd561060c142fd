"""Which models judge when nobody says otherwise, and what to choose instead of one that is gone. Data, too."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.wording import quoted
from gate.errors import ConfigError

_Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
_SNAPSHOT: Final = re.compile(r"-(?:\d{3,8}|\d{4}-\d{2}-\d{2}|latest)$")


class Retired(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Since when a provider no longer answers for a model, what to choose instead, and where that was read."""

    since: _Day
    instead: str
    source: str


class Roster(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The default panel; models known to be gone; and what follows a model should its provider not know it."""

    as_of: _Day
    models: tuple[str, ...]
    retired: Mapping[str, Retired]
    successors: Mapping[str, str]
    spared: frozenset[str] = frozenset()
    """The providers whose models are asked all the same, whatever is known of them."""

    def gone(self, model: str) -> Retired | None:
        """What is known of a retired model, or of a snapshot of one; None = it is not known to be gone."""
        name = model.casefold()
        return self.retired.get(name) or self.retired.get(_SNAPSHOT.sub("", name))

    def except_for(self, providers: Collection[str]) -> "Roster":
        """The roster for providers that are asked at other addresses, where models live and end by another clock."""
        return replace(self, spared=self.spared | frozenset(providers))

    def for_replies_we_have(self) -> "Roster":
        """The roster for a run that asks nobody: replies of a model that is gone can still be read."""
        return self.except_for({split_name(name)[0] for name in self.retired})

    def instead_of(self, model: str) -> str:
        """What to do about a model that is gone, in a sentence."""
        gone = self.gone(model)
        successor = self.successors.get(model.casefold()) if gone is None else gone.instead
        if successor is None:
            return f"check its spelling, or choose one of these: {', '.join(self.answering())}"
        return f"choose {successor} instead (--models, or `models` of the suite)"

    def answering(self) -> tuple[str, ...]:
        """The default panel, with the replacement in the place of every model that is gone."""
        panel = ((name, self.gone(name)) for name in self.models)
        return tuple(dict.fromkeys(name if gone is None else gone.instead for name, gone in panel))


def read_roster(data: bytes, name: str) -> Roster:
    """The roster a JSON file holds; ConfigError, naming the place, when it holds none."""
    try:
        return convert(strict_loads(data), Roster)
    except (StrictJsonError, ValidationError) as error:
        raise ConfigError(
            f"{name}: this is no roster of models: {error}", remedy="reinstall the gate, or correct the file"
        ) from error


def split_name(model: str) -> tuple[str, str]:
    """Provider and the name it knows the model by; ConfigError unless both are there."""
    provider, _, name = model.strip().partition(":")
    if not provider.strip() or not name.strip():
        raise ConfigError(
            f"a model is named `provider:model`, not {quoted(model)}",
            remedy="for example openai:gpt-5.2",
        )
    return provider.strip().casefold(), name.strip()


def check_panel(models: Sequence[str], roster: Roster) -> None:
    """ConfigError when the panel is empty, or a model is misnamed or known to be gone."""
    if not models:
        raise ConfigError(
            "the panel has no model", remedy=f"name its models, for example {', '.join(roster.answering())}"
        )
    for model in models:
        split_name(model)
    asked = [model for model in models if split_name(model)[0] not in roster.spared]
    retired = {model: gone for model in asked if (gone := roster.gone(model)) is not None}
    for model, gone in retired.items():
        others = ",".join(retired[each].instead if each in retired else each for each in models)
        raise ConfigError(
            f"{model} is retired: its provider has not answered for it since {gone.since} ({gone.source})",
            remedy=f"choose {gone.instead} instead: `--models {others}` of run, or `models` of the suite",
        )


def unknown_model(model: str, said: str, roster: Roster) -> ConfigError:
    """The error for a model that its provider does not know."""
    return ConfigError(f"{model}: the provider knows no such model: {said}", remedy=roster.instead_of(model))
