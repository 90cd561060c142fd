"""What models cost, as dated data: prices per million tokens, found however a model's name is written."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct, ValidationError, convert

from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.errors import ConfigError

_Amount = Annotated[float, Meta(ge=0)]
_Name = Annotated[str, Meta(min_length=1)]
_Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars per million tokens, by the name `provider:model`; a name without a provider fits any."""

    model: _Name
    input: _Amount
    output: _Amount
    aliases: tuple[_Name, ...] = ()
    """Other names of the same model, at the same provider."""
    source: str | None = None
    """Where the price was read; None = where the file says."""


class _PriceFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    as_of: _Day
    currency: Literal["USD"]
    per_tokens: Literal[1_000_000]
    source: str | None = None
    models: tuple[Price, ...]


class PriceTable:
    """Prices of several files, the earlier files first: a user's own come before those of the gate.

    A model is found as `provider:model`, `provider/model` or `model`, in any case. `model` alone is unknown
    where several providers ask different prices for it.
    """

    def __init__(self, prices: Sequence[Price], as_of: Sequence[str] = ()) -> None:
        self.as_of = tuple(as_of)
        """The day of every file the prices come from."""
        self._by_name: dict[str, Price] = {}
        self._by_model: dict[str, Price | None] = {}
        for price in prices:
            self._take_in(price)

    def price(self, model: str) -> Price | None:
        """What a model costs; None = unknown, which is not nothing."""
        name = _normal(model)
        _, separator, bare = name.partition(":")
        if separator:
            return self._by_name.get(name) or self._by_name.get(f":{bare}")
        return self._by_model.get(name) or self._by_name.get(name.replace("/", ":", 1))

    def unpriced(self, models: Sequence[str]) -> tuple[str, ...]:
        """The models without a price, each once, in order."""
        return tuple(model for model in dict.fromkeys(models) if self.price(model) is None)

    def _take_in(self, price: Price) -> None:
        provider, separator, bare = _normal(price.model).partition(":")
        if not separator:
            provider, bare = "", provider
        for name in (bare, *map(str.casefold, price.aliases)):
            first = self._by_name.setdefault(f"{provider}:{name}", price)
            other = self._by_model.get(name, first)
            self._by_model[name] = first if _same(first, other) else None


def read_prices(data: bytes, name: str) -> tuple[str, tuple[Price, ...]]:
    """The day and the prices of a JSON file; ConfigError, naming the place, when it holds none."""
    try:
        held = convert(strict_loads(data), _PriceFile)
    except (StrictJsonError, ValidationError) as error:
        raise ConfigError(
            f"{name}: this is no list of prices: {error}",
            remedy='write {"as_of": "YYYY-MM-DD", "currency": "USD", "per_tokens": 1000000, "models": '
            '[{"model": "provider:model", "input": 1.25, "output": 10}]}',
        ) from error
    return held.as_of, held.models


def price_table(files: Mapping[str, bytes]) -> PriceTable:
    """One table of several files (name → content), earlier ones first."""
    read = [read_prices(data, name) for name, data in files.items()]
    return PriceTable([price for _, prices in read for price in prices], [as_of for as_of, _ in read])


def _normal(model: str) -> str:
    return model.strip().casefold().removeprefix("models/")


def _same(one: Price, other: Price | None) -> bool:
    """Whether two prices are the same amounts; None stands for several that are not."""
    return other is not None and (one.input, one.output) == (other.input, other.output)
