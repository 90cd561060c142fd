"""Everything that is decided before anything runs."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from gate.core.records.ecmascript import number_text
from gate.core.records.file_ref import FileRef as FileRef  # noqa: PLC0414 - handed on: plans are made of them
from gate.core.records.panel_terms import EarlierPanel, TakesInputs, TakesRequest
from gate.core.records.suite_inputs import (
    BrainbenchInputs,
    BrainbenchRequest,
    LongMemEvalInputs,
    LongMemEvalRequest,
    ReplayInputs,
    ReplayRequest,
    RetrievalInputs,
    RetrievalRequest,
)

Mode = Literal["blocking", "advisory"]
Better = Literal["higher", "lower"]
RuleKind = Literal["significant", "threshold"]
Policy = Literal["fail", "pass"]
Purpose = Literal["gate", "drift", "sweep"]
"""What a run is for: judging a change, watching for drift, or measuring everything before a release."""

QUESTION_TYPE: Final = "question-type"


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
        """A stable name: suite, metric, rule, and what it is applied to or which limit it sets."""
        limits = [
            f"{word} {number_text(limit)}"
            for word, limit in (("at-least", self.at_least), ("at-most", self.at_most))
            if limit is not None
        ]
        parts = [self.suite, self.metric, self.rule, self.per and f"per {self.per}", *limits]
        return " ".join(part for part in parts if part)


class Limits(Struct, frozen=True, kw_only=True):
    """Shares of questions above which a run cannot be judged."""

    errors: float = 0.02
    unpaired: float = 0.05


SystemKind = Literal["rows", "reference", "http", "command", "gbrain"]
Feature = Literal["vector", "reranker", "expansion"]
"""A part of retrieval that a configuration may insist on."""


class Waits(Struct, frozen=True, kw_only=True):
    """How long the system is waited for, in seconds: for a question, for documents, for its start."""

    question: float = 30.0
    setup: float = 300.0
    start: float = 60.0


class PlannedSystem(Struct, frozen=True, kw_only=True):
    """How the system under test is reached; secrets by the names of their variables, never by value."""

    kind: SystemKind = "rows"
    waits: Waits = Waits()
    url: str | None = None
    token_env: str | None = None
    header: str = "Authorization"
    concurrency: int = 4
    attempts: int = 3
    run: tuple[str, ...] = ()
    """The program and its arguments, started in `folder`."""
    folder: str = ""
    env: tuple[str, ...] = ()
    """The variables the program may see."""
    search: Literal["keyword", "hybrid"] = "keyword"
    """How the built-in system searches."""
    vectors: str = ".gate-vectors"
    """Where it keeps the vectors of hybrid search; workspace-relative."""


SuiteInputs = RetrievalInputs | LongMemEvalInputs | ReplayInputs | BrainbenchInputs | TakesInputs
"""What a suite that is run reads, pinned before anything runs."""


class PlannedSuite(Struct, frozen=True, kw_only=True):
    """One suite of the config and the file that holds its rows; without one it is run, on its inputs."""

    suite: str
    name: str
    rows: FileRef | None = None
    inputs: SuiteInputs | None = None
    earlier: tuple[FileRef, ...] = ()
    """The same suite's rows of earlier attempts of this workflow run, pooled as repeats."""
    anchored: str | None = None
    """The suite whose rows these are, when they are compared with the release anchor instead."""
    limited_to: int | None = None
    """An input's limit, where the configuration would ask more questions."""
    fingerprints: Mapping[str, str] = {}

    @property
    def subject(self) -> str:
        """The suite that rules speak about."""
        return self.anchored or self.name

    @property
    def mode(self) -> str | None:
        """The mode it is asked in, `n/a` for a suite that knows none; None = only its rows can say."""
        return None if self.inputs is None else self.inputs.mode


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
    panel: EarlierPanel | None = None
    """What a panel of judges came to then, where one did and the baseline says so."""


class BaselineProblem(Struct, frozen=True, kw_only=True):
    """Why a baseline that was asked for cannot be used; `reason` is one of the closed codes."""

    reason: str
    message: str
    suite: str | None = None


BaselineKind = Literal["ledger", "receipt", "rows", "accepted", "artifact", "database"]


class PlannedBaseline(Struct, frozen=True, kw_only=True):
    """Where the baseline comes from, how it was chosen, and what could not be used."""

    kind: BaselineKind
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
    tested: str | None = None
    """The merge of head into base that was checked out, where that is what ran."""

    @property
    def measured(self) -> str | None:
        """The commit that what ran was made of: the merge that was checked out, else the head."""
        return self.tested or self.head


class PolicyChange(Struct, frozen=True, kw_only=True):
    """One place where a pull request's own configuration says something else than the one it is judged by."""

    place: str
    base: str | None
    proposed: str | None


class PolicySource(Struct, frozen=True, kw_only=True):
    """Whose rules decide: the file's own, those of the base's tree, or, when it has none yet, the new ones."""

    origin: Literal["own", "base", "introducing"] = "own"
    commit: str | None = None
    changes: tuple[PolicyChange, ...] = ()
    others: tuple[str, ...] = ()
    """The base's own configurations of other gates, where a new gate is introduced beside them."""


class Watched(Struct, frozen=True, kw_only=True):
    """Which changed files the gate cares about; `changed` None = it could not be told, so everything runs."""

    patterns: tuple[str, ...]
    changed: int | None = None
    matched: tuple[str, ...] = ()

    @property
    def applies(self) -> bool:
        """Whether there is anything to judge."""
        return self.changed is None or bool(self.matched)


class Drifted(Struct, frozen=True, kw_only=True):
    """What the repository has changed since the reference of a drift watch was measured."""

    reference: str | None = None
    """The commit the reference was measured at, the oldest where suites have one each; None = none is known."""
    commits: int | None = None
    """How many first-parent commits ago that was; None = git cannot tell."""
    changed: int | None = None
    """How many files differ between that commit and this one; None = it cannot be told."""
    matched: tuple[str, ...] = ()
    """Those of them that the watch list names."""
    local: tuple[str, ...] = ()
    """Watched files whose changes are not committed, or that git does not know."""
    local_others: int = 0
    """How many more such files there are, which the watch list does not name."""
    patterns: tuple[str, ...] = ()
    """The watch list."""
    unknown: tuple[str, ...] = ()
    """Why not all of it can be told; then it is never said that nothing changed."""

    @property
    def watched(self) -> bool | None:
        """Whether something watched has changed; None = it cannot be told."""
        if self.matched or self.local:
            return True
        return None if self.unknown else False


class LeftOut(Struct, frozen=True, kw_only=True):
    """Something the configuration measures and this run was asked not to; it is never a pass."""

    suite: str
    why: str


WHOLE: Final = "everything the configuration names is measured"
"""The rule that a run breaks which was asked to leave something out."""


class Plan(Struct, frozen=True, kw_only=True):
    """Complete before anything runs: printed by `gate plan`, embedded in the receipt, never changed."""

    gate: str = "default"
    purpose: Purpose = "gate"
    mode: Mode = "blocking"
    config: FileRef | None = None
    commits: Commits = Commits()
    system: PlannedSystem = PlannedSystem()
    require: tuple[Feature, ...] = ()
    """What the system must not silently go without."""
    suites: tuple[PlannedSuite, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """Suites of the configuration that an input left out."""
    baseline: PlannedBaseline | None = None
    metrics: tuple[MetricSpec, ...] = ()
    rules: tuple[Rule, ...] = ()
    limits: Limits = Limits()
    hold_fixed: tuple[str, ...] = ()
    on_inconclusive: Mapping[str, Policy] = {}
    show_text: bool = False
    deadline_seconds: float | None = None
    """How long the suites may ask; what is not asked by then is told."""
    budget_usd: float | None = None
    """What the suites' model calls may cost, all together; 0 = no calls, None = no limit."""
    stats: Stats = Stats()
    notes: tuple[str, ...] = ()
    """What preparing the run left out or could not do."""
    policy: PolicySource = PolicySource()
    watch: Watched | None = None
    anchor: PlannedBaseline | None = None
    """A fixed release beside the moving baseline: it catches many small steps in one direction."""
    since: Drifted | None = None
    """Of a drift watch: what the repository has changed since its reference."""


AskedSuite = RetrievalRequest | LongMemEvalRequest | ReplayRequest | BrainbenchRequest | TakesRequest
"""A suite that is to be run, before its files are looked at."""


class SuiteRequest(Struct, frozen=True, kw_only=True):
    """A suite as the config names it; `rows` is a workspace-relative path."""

    suite: str
    name: str
    rows: str | None = None
    asked: AskedSuite | None = None
    earlier: tuple[str, ...] = ()
    """The same suite's rows of earlier attempts of this workflow run, oldest first."""
    limited_to: int | None = None
    """An input's limit, where the configuration would ask more questions."""
    fingerprints: Mapping[str, str] = {}


class BaselineRequest(Struct, frozen=True, kw_only=True):
    """A baseline as the config names it; `run` and `mode` speak of ledgers only, a database's included."""

    kind: BaselineKind
    path: str
    run: str = "latest"
    mode: str | None = None
    problem: BaselineProblem | None = None
    """Why there is none, where that is known before planning: it could not be fetched."""


class Request(Struct, frozen=True, kw_only=True):
    """What the settings ask for, before files are digested and a baseline is chosen."""

    policy: Plan
    """Everything of the plan that needs no look at the world; suites and baseline are still empty."""
    suites: tuple[SuiteRequest, ...]
    baseline: BaselineRequest | None = None
    anchor: BaselineRequest | None = None


def metrics_asked_for(plan: Plan) -> frozenset[str]:
    """The metric names that rules and definitions speak about, as columns of rows spell them too."""
    names = {rule.metric for rule in plan.rules} | {spec.name for spec in plan.metrics}
    return frozenset(names)
