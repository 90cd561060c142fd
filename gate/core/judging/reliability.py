"""Whether the judges agree well enough to be believed: agreement per dimension, held against a configured floor."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from gate.core.judging.agreement import Unit, alpha, pooled, score_range, within_sd
from gate.core.judging.batches import BatchSlots
from gate.core.records.takes_receipt import Agreement


class Floor(Struct, frozen=True, kw_only=True):
    """The least agreement at which a verdict stands; None = no such limit.

    `alpha` is held against the alpha of all dimensions together (one dimension's alone rests on too few scores),
    the other two against the worst dimension. A figure that cannot be computed breaks no limit.
    """

    alpha_at_least: float | None = None
    sd_at_most: float | None = None
    range_at_most: float | None = None


class Measured(Struct, frozen=True, kw_only=True):
    """Agreement per dimension, and alpha over all of them; None = one unit, or none, cannot tell."""

    dimensions: Mapping[str, Agreement]
    alpha: float | None


def measured(cycles: Sequence[BatchSlots], names: Sequence[str]) -> Measured:
    """Agreement over every batch of every cycle; judges without complete scores do not take part."""
    units = {name: _units(cycles, name) for name in names}
    alphas = {name: alpha(of_name) for name, of_name in units.items()}
    return Measured(
        dimensions={
            name: Agreement(
                range=score_range(of_name),
                sd=within_sd(of_name),
                alpha=alphas[name].value,
                units=alphas[name].units,
            )
            for name, of_name in units.items()
        },
        alpha=pooled(alphas.values()),
    )


def unreliable(found: Measured, floor: Floor) -> str | None:
    """Why the judges cannot be believed; None = no limit is broken."""
    if floor.alpha_at_least is not None and found.alpha is not None and found.alpha < floor.alpha_at_least:
        return f"Krippendorff's alpha {found.alpha:.2f} is below {floor.alpha_at_least:g}"
    spreads = {name: each.sd for name, each in found.dimensions.items()}
    ranges = {name: each.range for name, each in found.dimensions.items()}
    return _too_far("standard deviation", spreads, floor.sd_at_most) or _too_far(
        "range", ranges, floor.range_at_most
    )


def _units(cycles: Sequence[BatchSlots], name: str) -> list[Unit]:
    return [
        [slot.scores[name] for slot in batch if slot.error is None] for cycle in cycles for batch in cycle
    ]


def _too_far(figure: str, by_dimension: Mapping[str, float | None], limit: float | None) -> str | None:
    known = {name: value for name, value in by_dimension.items() if value is not None}
    if limit is None or not known:
        return None
    worst = max(known, key=lambda name: known[name])
    if known[worst] <= limit:
        return None
    return f"the {figure} of {worst} is {known[worst]:.2f}, above {limit:g}"
