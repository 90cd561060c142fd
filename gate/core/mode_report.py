"""What `gate compare` found, as a value: the runs, their paired comparisons, and everything left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gate.core.glossary import Better
from gate.core.records.ledger import Ledger, RunRecord
from gate.core.report import FieldDiff
from gate.core.stats.paired import PairedStatistics
from gate.errors import ExitCode

ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class MetricComparison:
    """One metric of one pair of runs; `better` None = nobody declared a direction."""

    metric: str
    better: Better | None
    statistics: PairedStatistics
    holm_p_value: float
    not_measured: int = 0
    judge_errors: int = 0
    abstentions: int = 0

    @property
    def significant(self) -> bool:
        """Holm p at most 0.05 and an interval that excludes 0; an unbounded interval excludes nothing."""
        lower, upper = self.statistics.lower95, self.statistics.upper95
        if lower is None or upper is None:
            return False
        return self.holm_p_value <= ALPHA and (lower > 0 or upper < 0)

    @property
    def adverse(self) -> bool | None:
        """Whether a significant difference points the wrong way; None = significant, direction undeclared."""
        if not self.significant:
            return False
        if self.better is None:
            return None
        return (self.statistics.delta < 0) == (self.better == "higher")


@dataclass(frozen=True, slots=True)
class Incomparable:
    """A metric that was not compared, and the conditions that differ."""

    metric: str
    fields: tuple[FieldDiff, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PairReport:
    """One pair of runs. `read` is false when the rows of a side were unavailable; then nothing was compared."""

    baseline: RunRecord
    candidate: RunRecord
    read: bool = False
    joined: int = 0
    baseline_only: int = 0
    candidate_only: int = 0
    changed: int = 0
    """Questions on both sides that are not the same question any more: left out."""
    comparisons: tuple[MetricComparison, ...] = ()
    incomparable: tuple[Incomparable, ...] = ()
    differs: tuple[FieldDiff, ...] = ()

    @property
    def suite(self) -> str:
        """The candidate's suite."""
        return self.candidate.suite


@dataclass(frozen=True, slots=True)
class UnavailableRun:
    """A run whose per-question rows cannot be used, and why."""

    run_id: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class ModeReport:
    """Everything one `gate compare` shows. `ledger` None = the rows were named directly."""

    draws: int
    seed: int
    records: tuple[RunRecord, ...] = ()
    grouped: Mapping[str, Mapping[str, RunRecord | None]] = field(default_factory=dict)
    pairs: tuple[PairReport, ...] = ()
    unavailable: tuple[UnavailableRun, ...] = ()
    notes: tuple[str, ...] = ()
    ledger: Ledger | None = None

    @property
    def comparisons(self) -> tuple[MetricComparison, ...]:
        """Every comparison of the report: the family of Holm's correction."""
        return tuple(comparison for pair in self.pairs for comparison in pair.comparisons)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a named pair means to the caller: the exit code, and why when it is not 0."""

    exit_code: ExitCode
    reasons: tuple[str, ...] = ()
    remedy: str = ""


def outcome(pair: PairReport) -> Outcome:
    """FAIL on a significant adverse difference, INCONCLUSIVE where the pair cannot be judged, else PASS."""
    worse = [found.metric for found in pair.comparisons if found.adverse]
    if worse:
        return Outcome(ExitCode.FAIL, tuple(f"{metric} is significantly worse" for metric in worse))
    undecided = _undecided(pair)
    return undecided or Outcome(ExitCode.PASS)


def _undecided(pair: PairReport) -> Outcome | None:
    if pair.baseline is pair.candidate:
        return _inconclusive(
            f"run {pair.baseline.run_id} is compared with itself", remedy="name two different runs"
        )
    if not pair.read:
        return _inconclusive("a run has no per-question rows", remedy="see the unavailable runs above")
    if not pair.joined:
        return _inconclusive("the two runs have no question in common", remedy="compare runs of one data set")
    if pair.incomparable:
        found = [f"{item.metric} is not comparable: {_fields(item)}" for item in pair.incomparable]
        return _inconclusive(*found, remedy="compare runs measured under the same conditions")
    if not pair.comparisons:
        return _inconclusive(
            "the two runs have no measured metric in common", remedy="write the same metric fields in both"
        )
    unclear = [found.metric for found in pair.comparisons if found.adverse is None]
    if unclear:
        declaration = ", ".join(f"{metric}: {{better: higher}}" for metric in unclear)
        return _inconclusive(
            *(f"{metric} differs significantly, and no direction is declared" for metric in unclear),
            remedy=f"declare `better` (higher or lower) under metrics: in a file given by --config, "
            f"for example metrics: {{{declaration}}}",
        )
    return None


def _fields(item: Incomparable) -> str:
    return ", ".join(
        f"{diff.field} {_stated(diff.baseline)} → {_stated(diff.candidate)}" for diff in item.fields
    )


def _stated(value: str | None) -> str:
    return "not stated" if value is None else value


def _inconclusive(*reasons: str, remedy: str) -> Outcome:
    return Outcome(ExitCode.INCONCLUSIVE, reasons, remedy)
