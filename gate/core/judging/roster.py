"""Which models judge when nobody says otherwise, and what to choose instead of one that is gone. Data, too."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, ValidationError, convert

from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.wording import quoted
from gate.errors import ConfigError


class Roster(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The default panel; models known to be gone; and what follows a model should its provider not know it."""

    models: tuple[str, ...]
    retired: Mapping[str, str]
    successors: Mapping[str, str]

    def instead_of(self, model: str) -> str:
        """What to do about a model that is gone, in a sentence."""
        name = model.casefold()
        successor = self.retired.get(name) or self.successors.get(name)
        if successor is None:
            return f"check its spelling, or choose one of the default panel: {', '.join(self.models)}"
        return f"choose {successor} instead (--models, or `models` of the suite)"


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
        raise ConfigError("the panel has no model", remedy=f"leave it out for {', '.join(roster.models)}")
    for model in models:
        split_name(model)
        if model.casefold() in roster.retired:
            raise ConfigError(f"{model} is retired", remedy=roster.instead_of(model))


def unknown_model(model: str, said: str, roster: Roster) -> ConfigError:
    """The error for a model that its provider does not know."""
    return ConfigError(f"{model}: the provider knows no such model: {said}", remedy=roster.instead_of(model))
