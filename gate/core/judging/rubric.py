"""The rubric: what the five dimensions mean, and which scores pass. Data, so that it can be replaced."""

from typing import Annotated, Final

from msgspec import Meta, Struct, ValidationError, convert

from gate.core.records.strict_json import StrictJsonError, strict_loads
from gate.core.records.takes_receipt import DIMENSIONS
from gate.core.takes import fingerprint
from gate.errors import ConfigError

LOWEST: Final = 1
HIGHEST: Final = 10

_Text = Annotated[str, Meta(min_length=1)]
_Threshold = Annotated[float, Meta(ge=LOWEST, le=HIGHEST)]


class Dimension(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One dimension and its definition, as the judges read it."""

    name: _Text
    definition: _Text


class Rubric(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Five definitions and the thresholds: a mean below `pass_mean` or a score below `pass_floor` fails.

    Raises ValueError (within msgspec: ValidationError) unless the dimensions are the five of the contract, in
    its order: a receipt has no place for others.
    """

    version: _Text
    pass_mean: _Threshold
    pass_floor: _Threshold
    min_successes: Annotated[int, Meta(ge=1)]
    dimensions: tuple[Dimension, ...]

    def __post_init__(self) -> None:
        if self.names != DIMENSIONS:
            raise ValueError(f"the dimensions must be {', '.join(DIMENSIONS)}, in this order")

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions' names, in order."""
        return tuple(each.name for each in self.dimensions)


def read_rubric(data: bytes, name: str) -> Rubric:
    """The rubric that a JSON file holds; ConfigError, naming the place, when it holds none."""
    try:
        return convert(strict_loads(data), Rubric)
    except (StrictJsonError, ValidationError) as error:
        raise ConfigError(
            f"{name}: this is no rubric: {error}",
            remedy="start from a copy of the rubric that comes with the gate (gate/data/rubric.v1.json)",
        ) from error


def rubric_sha8(rubric: Rubric) -> str:
    """The digest that says two runs were judged by the same rubric."""
    return fingerprint.rubric_sha8(
        version=rubric.version,
        dimensions=rubric.names,
        definitions={each.name: each.definition for each in rubric.dimensions},
        pass_mean=rubric.pass_mean,
        pass_floor=rubric.pass_floor,
        min_successes=rubric.min_successes,
    )
