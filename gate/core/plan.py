"""Everything that is decided before anything runs."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

Mode = Literal["blocking", "advisory"]
Better = Literal["higher", "lower"]
RuleKind = Literal["significant", "threshold"]
Policy = Literal["fail", "pass"]

QUESTION_TYPE: Final = "question-type"


class FileRef(Struct, frozen=True, kw_only=True):
    """A file named by its workspace-relative path and pinned by its content."""

    path: str
    sha256: str
    bytes: int


class MetricSpec(Struct, frozen=True, kw_only=True):
    """A metric's direction, unit and the smallest difference worth acting on; None = not declared."""

    name: str
    better: Better | None = None
    unit: str | None = None
    matters: float | None = None


class Rule(Struct, frozen=True, kw_only=True):
    """One pre-registered rule on one metric."""

    metric: str
    rule: RuleKind
    per: Literal["question-type"] | None = None
    at_least: float | None = None
    at_most: float | None = None
    suite: str | None = None
    """Only this suite's rows; None = every suite that measures the metric."""

    @property
    def id(self) -> str:
        """A stable name: metric, rule and what it is applied to."""
        parts = [self.suite, self.metric, self.rule, self.per and f"per {self.per}"]
        return " ".join(part for part in parts if part)


class Limits(Struct, frozen=True, kw_only=True):
    """Shares of questions above which a run cannot be judged."""

    errors: float = 0.02
    unpaired: float = 0.05


class PlannedSuite(Struct, frozen=True, kw_only=True):
    """One suite of the config and, where rows exist already, the file that holds them."""

    suite: str
    name: str
    rows: FileRef | None = None
    fingerprints: Mapping[str, str] = {}


class BaselineRows(Struct, frozen=True, kw_only=True):
    """The baseline's rows for one suite."""

    suite: str
    rows: FileRef
    run_id: str | None = None
    mode: str | None = None
    commit: str | None = None
    ran_at: str | None = None
    fingerprints: Mapping[str, str] = {}
    units: Mapping[str, str] = {}
    metrics: tuple[MetricSpec, ...] = ()
    """The metric definitions the baseline was measured with, where it says so."""


class BaselineProblem(Struct, frozen=True, kw_only=True):
    """Why a baseline that was asked for cannot be used; `reason` is one of the closed codes."""

    reason: str
    message: str
    suite: str | None = None


class PlannedBaseline(Struct, frozen=True, kw_only=True):
    """Where the baseline comes from, how it was chosen, and what could not be used."""

    kind: Literal["ledger", "receipt", "rows", "accepted", "artifact"]
    source: str
    chosen: str = ""
    """How it was chosen, in plain words, for the provenance line."""
    rows: tuple[BaselineRows, ...] = ()
    problems: tuple[BaselineProblem, ...] = ()
    notes: tuple[str, ...] = ()


class Stats(Struct, frozen=True, kw_only=True):
    """How differences are tested."""

    method: Literal["contract"] = "contract"
    draws: int = 10_000
    seed: int = 42


class Commits(Struct, frozen=True, kw_only=True):
    """The commit under test and the one it is compared with; None = git could not tell."""

    head: str | None = None
    base: str | None = None


class Plan(Struct, frozen=True, kw_only=True):
    """Complete before anything runs: printed by `gate plan`, embedded in the receipt, never changed."""

    gate: str = "default"
    mode: Mode = "blocking"
    config: FileRef | None = None
    commits: Commits = Commits()
    suites: tuple[PlannedSuite, ...] = ()
    baseline: PlannedBaseline | None = None
    metrics: tuple[MetricSpec, ...] = ()
    rules: tuple[Rule, ...] = ()
    limits: Limits = Limits()
    hold_fixed: tuple[str, ...] = ()
    on_inconclusive: Mapping[str, Policy] = {}
    show_text: bool = False
    stats: Stats = Stats()


class SuiteRequest(Struct, frozen=True, kw_only=True):
    """A suite as the config names it; `rows` is a workspace-relative path."""

    suite: str
    name: str
    rows: str | None = None
    fingerprints: Mapping[str, str] = {}


class BaselineRequest(Struct, frozen=True, kw_only=True):
    """A baseline as the config names it; `run` and `mode` speak of ledgers only."""

    kind: Literal["ledger", "receipt", "rows"]
    path: str
    run: str = "latest"
    mode: str | None = None


class Request(Struct, frozen=True, kw_only=True):
    """What the settings ask for, before files are digested and a baseline is chosen."""

    policy: Plan
    """Everything of the plan that needs no look at the world; suites and baseline are still empty."""
    suites: tuple[SuiteRequest, ...]
    baseline: BaselineRequest | None = None


def metrics_asked_for(plan: Plan) -> frozenset[str]:
    """The metric names that rules and definitions speak about, as columns of rows spell them too."""
    names = {rule.metric for rule in plan.rules} | {spec.name for spec in plan.metrics}
    return frozenset(names)
