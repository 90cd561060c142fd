"""Money that may be spent: a call starts only when what was spent, what is reserved and its own bound fit the cap."""

from collections.abc import Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from gate.core.pricing import PriceTable
from gate.errors import ConfigError


class Account(Struct, frozen=True, kw_only=True):
    """What was spent and what running calls may still spend, in US dollars; a new value after every change.

    `cap` None = no limit. `unknown` calls ran at an unknown price: what they cost is in no figure. `charged`
    calls lost their usage and were charged their bound.
    """

    cap: float | None = None
    spent: float = 0.0
    reserved: float = 0.0
    charged: int = 0
    unknown: int = 0

    def fits(self, bound: float | None) -> bool:
        """Whether calls that cost at most `bound` may start; an unknown bound fits no cap."""
        if self.cap is None:
            return True
        return bound is not None and self.cap > 0 and self.spent + self.reserved + bound <= self.cap

    def reserve(self, bound: float | None) -> Self:
        """A call starts."""
        return replace(self, reserved=self.reserved + (bound or 0.0))

    def settle(self, bound: float | None, cost: float | None) -> Self:
        """A call ended and cost that much (0 = it was not charged); None = its price is unknown."""
        released = max(self.reserved - (bound or 0.0), 0.0)
        if cost is None:
            return replace(self, reserved=released, unknown=self.unknown + 1)
        return replace(self, reserved=released, spent=self.spent + cost)

    def charge(self, bound: float | None) -> Self:
        """A call ended, or was abandoned, and nobody knows what it cost: it is charged its bound."""
        settled = self.settle(bound, bound)
        return replace(settled, charged=self.charged + 1)

    @property
    def cost(self) -> float | None:
        """What was spent; None when some of it is unknown."""
        return None if self.unknown else self.spent


class Capped(Struct, frozen=True, kw_only=True):
    """A budget and where prices come from, by the words a user knows them by."""

    cap: float | None
    price_file: str
    """The file a user adds prices to."""


def check_prices(models: Sequence[str], prices: PriceTable, budget: Capped) -> tuple[str, ...]:
    """The models whose cost will be unknown; ConfigError when there is a cap they could break unseen."""
    unpriced = prices.unpriced(models)
    if unpriced and budget.cap:
        raise ConfigError(
            f"no price is known for {', '.join(unpriced)}, so a budget of ${budget.cap:g} cannot be kept",
            remedy=f"add the price to {budget.price_file}, or run without a budget (the cost is then unknown)",
        )
    return unpriced
