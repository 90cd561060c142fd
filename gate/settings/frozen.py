"""What every part of the settings is: frozen, closed, spelt in kebab-case."""

from pydantic import BaseModel, ConfigDict


def _kebab(name: str) -> str:
    return name.replace("_", "-")


class Frozen(BaseModel):
    """A part of the configuration; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=_kebab)
