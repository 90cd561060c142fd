"""The result of a BrainBench run, and the baseline that a team commits: read, made, written.

A cell is one harness in one suite, `<harness>/<suite>`. Metrics are shares rounded to four decimals, and counts.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from gate.core.records.ecmascript import json_text
from gate.core.records.strict_json import StrictJsonError, strict_loads

BASELINE_INDENT: Final = 2

Name = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Metrics = Mapping[str, float]


class BrainbenchError(ValueError):
    """A result or baseline cannot be used; says where, and what was expected."""


class Receipt(Struct, frozen=True, kw_only=True):
    """What was run."""

    result_schema_version: Literal[1]
    fixtures_hash: Sha256
    harness_sha: str
    ts: str
    cmd_args: tuple[str, ...]
    seed: int
    include_holdout: bool
    llm: bool


class Cell(Struct, frozen=True, kw_only=True):
    """One harness in one suite: how much gold there is, how much of it was missed, and the metrics."""

    suite: Name
    harness: Name
    seam: str
    gold_total: Count
    gold_failed: Count
    metrics: Metrics
    fixtures: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name a baseline has for it."""
        return f"{self.harness}/{self.suite}"


class Gold(Struct, frozen=True, kw_only=True):
    """What should have happened at a turn."""

    should_retrieve: bool
    gold_slugs: tuple[str, ...] = ()
    acceptable_slugs: tuple[str, ...] = ()


class Turn(Struct, frozen=True, kw_only=True):
    """One replayed turn in one cell; `gold` None = the turn is not labelled."""

    fixture_id: Name
    turn_id: int
    harness: Name
    suite: Name
    injected_slugs: tuple[str, ...]
    injected_tokens: Count
    gold: Gold | None = None
    cross_source_slugs: tuple[str, ...] = ()
    latency_ms: Amount | None = None


class SeedFailure(Struct, frozen=True, kw_only=True):
    """A fixture that could not be set up, so that nothing was measured with it."""

    fixture_id: str
    error: str


class Result(Struct, frozen=True, kw_only=True):
    """Everything a run says; members that are not named here are left alone."""

    receipt: Receipt
    cells: tuple[Cell, ...]
    turn_rows: tuple[Turn, ...] = ()
    seed_failures: tuple[SeedFailure, ...] = ()


class Config(Struct, frozen=True, kw_only=True):
    """What must be equal for two runs to be compared; both lists are sorted."""

    include_holdout: bool
    llm: bool
    harnesses: tuple[str, ...]
    suites: tuple[str, ...]


class Counts(Struct, frozen=True, kw_only=True):
    """How much gold a cell has, and how much of it was missed."""

    gold_total: Count
    gold_failed: Count


class Baseline(Struct, frozen=True, kw_only=True):
    """Committed figures. `justification` says why they may be worse than the ones before."""

    schema_version: Literal[1] = 1
    fixtures_hash: Sha256
    config: Config
    justification: str | UnsetType = UNSET
    cells: Mapping[str, Metrics]
    counts: Mapping[str, Counts]

    @property
    def reason(self) -> str | None:
        """The justification where one is given: blanks are none."""
        stated = "" if self.justification is UNSET else self.justification.strip()
        return stated or None


_Read = TypeVar("_Read", Result, Baseline)


def read_result(data: bytes) -> Result:
    """A run's result; BrainbenchError when it is none, repeats a cell, or misses more gold than there is."""
    result = _read(data, Result)
    keys = [cell.key for cell in result.cells]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise BrainbenchError(f"the cell {twice} is there twice")
    _check_counts((cell.key, cell.gold_total, cell.gold_failed) for cell in result.cells)
    return result


def read_baseline(data: bytes) -> Baseline:
    """A committed baseline; BrainbenchError when it is none, or its cells and counts do not belong together."""
    baseline = _read(data, Baseline)
    if baseline.cells.keys() != baseline.counts.keys():
        lone = min(baseline.cells.keys() ^ baseline.counts.keys())
        raise BrainbenchError(f"the cell {lone} stands under only one of `cells` and `counts`")
    _check_counts((key, count.gold_total, count.gold_failed) for key, count in baseline.counts.items())
    return baseline


def baseline_of(result: Result, justification: str | None = None) -> Baseline:
    """The baseline that a run would be."""
    return Baseline(
        fixtures_hash=result.receipt.fixtures_hash,
        config=Config(
            include_holdout=result.receipt.include_holdout,
            llm=result.receipt.llm,
            harnesses=tuple(sorted({cell.harness for cell in result.cells})),
            suites=tuple(sorted({cell.suite for cell in result.cells})),
        ),
        justification=UNSET if justification is None else justification,
        cells={cell.key: cell.metrics for cell in result.cells},
        counts={
            cell.key: Counts(gold_total=cell.gold_total, gold_failed=cell.gold_failed)
            for cell in result.cells
        },
    )


def baseline_text(baseline: Baseline) -> str:
    """The file as it is committed: indented, cells and their metrics sorted, so that equal runs are equal text."""
    members = msgspec.to_builtins(baseline)
    members["cells"] = {key: dict(sorted(members["cells"][key].items())) for key in sorted(members["cells"])}
    members["counts"] = dict(sorted(members["counts"].items()))
    return json_text(members, indent=BASELINE_INDENT) + "\n"


def _read(data: bytes, kind: type[_Read]) -> _Read:
    try:
        return msgspec.convert(strict_loads(data), kind)
    except (StrictJsonError, msgspec.ValidationError) as error:
        raise BrainbenchError(str(error)) from error


def _check_counts(counted: Iterable[tuple[str, int, int]]) -> None:
    for key, total, failed in counted:
        if failed > total:
            raise BrainbenchError(f"{key}: `gold_failed` {failed} is more than `gold_total` {total}")
