"""What a renderer may show, and nothing it must compute: the content of a gate receipt."""

from collections.abc import Mapping
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from gate.core.plan import WHOLE, Better, FileRef, Plan
from gate.core.records.panel_figures import PanelReport
from gate.core.records.stopped import STOPPED

Verdict = Literal["pass", "fail", "inconclusive"]


class Comparison(Struct, frozen=True, kw_only=True):
    """One metric of one suite, baseline against candidate, over all questions or those of one type.

    Means and delta are in the metric's own unit; wins, losses and ties compare raw values (candidate greater,
    smaller, equal), whatever direction is better. `lower95`/`upper95` None = unbounded. `holm_p_value` and
    `significant` are None where the comparison belongs to no family.
    """

    suite: str
    metric: str
    question_type: str | None = None
    better: Better | None = None
    unit: str | None = None
    matters: float | None = None
    n: int
    clusters: int
    nontied_clusters: int
    baseline_mean: float
    candidate_mean: float
    delta: float
    lower95: float | None
    upper95: float | None
    p_value: float
    p_method: str
    ci_method: str
    smallest_attainable_p: float
    wins: int
    losses: int
    ties: int
    holm_p_value: float | None = None
    significant: bool | None = None
    gated: bool = False
    gated_by_type: bool = False
    """Whether a rule gates its question types instead: then the types decide, and this line only shows the sum."""
    detectable: float | None = None
    """The smallest true difference this many questions would have shown, 80 % of the time."""
    not_measured: int = 0
    """Questions on both sides of which at least one has no value for this metric."""
    judge_errors: int = 0


class Outcome(Struct, frozen=True, kw_only=True):
    """What one rule says about one suite (and, per type, about the types that decided it)."""

    rule: str
    metric: str
    suite: str | None
    verdict: Verdict
    reason: str | None
    """A closed reason code; None = the rule simply held."""
    message: str
    types: tuple[str, ...] = ()
    """The question types that broke the rule, worst first."""
    value: float | None = None
    limit: float | None = None


class Flip(Struct, frozen=True, kw_only=True):
    """A question whose value changed; ranks are those of its best gold document (0 = not found)."""

    question_id: str
    question_type: str | None
    suite: str
    metric: str
    baseline: float
    candidate: float
    rank_before: int | None = None
    rank_after: int | None = None
    text: str | None = None
    """The question itself, cut short; only where the plan says `show-text`."""


class FieldDiff(Struct, frozen=True, kw_only=True):
    """One fingerprint that is not the same on both sides; None = that side does not say."""

    field: str
    baseline: str | None
    candidate: str | None
    blocks: tuple[str, ...] = ()
    """The metrics it makes incomparable; empty = shown under "what differs" only."""


class Mean(Struct, frozen=True, kw_only=True):
    """One metric on one side alone: what there is to show when nothing can be compared."""

    metric: str
    n: int
    mean: float
    better: Better | None = None
    unit: str | None = None
    missing: int = 0
    """Questions that belong to the metric, ended in no error, and have no value for it."""


class Attempt(Struct, frozen=True, kw_only=True):
    """What one attempt of a run that was repeated measured by itself; all of them are pooled."""

    name: str
    questions: int
    means: tuple[Mean, ...] = ()


class SideReport(Struct, frozen=True, kw_only=True):
    """What was read on one side of one suite."""

    rows: FileRef | None
    copy: FileRef | None = None
    run_id: str | None = None
    commit: str | None = None
    ran_at: str | None = None
    questions: int = 0
    repeats: int = 0
    errored: int = 0
    judge_errors: int = 0
    abstentions: int = 0
    fingerprints: Mapping[str, str] = {}
    means: tuple[Mean, ...] = ()
    """Every metric this side measured, over all its own questions."""
    attempts: tuple[Attempt, ...] = ()
    """The attempts that were pooled, oldest first; none where there was one."""
    notes: tuple[str, ...] = ()


class SuiteReport(Struct, frozen=True, kw_only=True):
    """One suite: both sides, every comparison, what flipped and what differs."""

    suite: str
    name: str
    candidate: SideReport
    baseline: SideReport | None = None
    paired: int = 0
    baseline_only: int = 0
    candidate_only: int = 0
    content_changed: int = 0
    """Questions left out because their content hash differs."""
    unpaired_ids: tuple[str, ...] = ()
    rankings_changed: int | None = None
    comparisons: tuple[Comparison, ...] = ()
    by_type: tuple[Comparison, ...] = ()
    flips: tuple[Flip, ...] = ()
    flips_total: int = 0
    """How many values of the listed metrics changed; a question counts once for each metric."""
    questions_changed: int = 0
    """How many questions those values belong to."""
    differs: tuple[FieldDiff, ...] = ()
    notes: tuple[str, ...] = ()
    panel: PanelReport | None = None
    """What a panel of judges came to, where the suite is one."""


class Acceptance(Struct, frozen=True, kw_only=True):
    """An owner's word that a failing verdict may stand: bound to a head, to the rules that failed, and to a date."""

    by: str
    reason: str
    until: str
    """The last day it holds, as YYYY-MM-DD."""
    head: str
    """The commit it speaks about, at least its first seven digits."""
    rules: tuple[str, ...] = ()
    """The rules that had failed when it was given; empty = whatever fails on this head."""
    url: str | None = None


class Report(Struct, frozen=True, kw_only=True):
    """A gate receipt, version 1. `complete` is true only of a run that went to its end."""

    schema_version: Literal[1] = 1
    kind: Literal["gate-receipt"] = "gate-receipt"
    tool: str = "retrieval-quality-gate"
    tool_version: str
    created_at: str
    gate: str
    mode: Literal["blocking", "advisory"]
    verdict: Verdict
    reason: str | None
    exit_code: int
    regressed: tuple[str, ...] = ()
    plan: Plan
    plan_sha256: str
    suites: tuple[SuiteReport, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()
    acceptance: Acceptance | None = None
    acceptance_notes: tuple[str, ...] = ()
    """Attempts to accept this failure that do not count, and why."""
    cost_usd: float | None = None
    durations_ms: Mapping[str, int] = {}
    complete: bool = False
    receipt_sha256: str | UnsetType = field(name="receipt-sha256", default=UNSET)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the run was asked not to measure, in words: nothing may be compared with such a part by itself."""
        return tuple(outcome.message for outcome in self.outcomes if outcome.rule == WHOLE)

    @property
    def cut_short(self) -> tuple[str, ...]:
        """Where a limit of time or money came before the end, in words."""
        return tuple(outcome.message for outcome in self.outcomes if outcome.reason in STOPPED)
