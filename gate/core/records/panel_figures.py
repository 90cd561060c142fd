"""The part of a gate receipt that speaks of a panel of judges. Scores go from 1 to 10; None = not known, never 0."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from gate.core.records.file_ref import FileRef


class PanelDimension(Struct, frozen=True, kw_only=True):
    """One dimension: the panel's mean, the baseline's, and how far the judges are apart."""

    name: str
    mean: float
    least: float
    greatest: float
    failed: str | None = None
    """The contract's word for why it fails; None = it holds."""
    before: float | None = None
    delta: float | None = None
    range: float | None = None
    sd: float | None = None
    alpha: float | None = None
    """None = cannot be told from one unit."""


class PanelJudge(Struct, frozen=True, kw_only=True):
    """One model of the panel: its scores by dimension, or the kind of its error."""

    model: str
    scores: Mapping[str, float] = {}
    error: str | None = None


class PanelRun(Struct, frozen=True, kw_only=True):
    """What was judged and how: so many takes of so many, in batches, cycles and calls."""

    source: str
    slug_prefix: str | None = None
    takes: int
    eligible: int | None = None
    batches: int = 1
    cycles: int
    cycle_policy: Literal["last", "all", "median"] = "last"
    calls: int | None = None
    """Replies that came; None = the receipt does not say."""
    replayed: int = 0
    """Replies of a cassette: nobody was asked for them."""
    corrections: int = 0
    charged_at_bound: int = 0


class PanelReport(Struct, frozen=True, kw_only=True):
    """What a panel came to, from its receipt."""

    receipt: FileRef
    verdict: Literal["pass", "fail", "inconclusive"]
    reason: str | None = None
    overall: float | None = None
    overall_before: float | None = None
    overall_delta: float | None = None
    dimensions: tuple[PanelDimension, ...] = ()
    judges: tuple[PanelJudge, ...] = ()
    alpha: float | None = None
    """Krippendorff's alpha over all dimensions; None = cannot be told."""
    units: int = 0
    """How many batches and cycles agreement was measured over."""
    run: PanelRun
    cost_usd: float | None = None
    """None = unknown."""
    budget_usd: float | None = None
    unpriced: tuple[str, ...] = ()
    rubric_version: str
    rubric_sha8: str
    corpus_sha8: str
    prompt_sha8: str
    models_sha8: str
    unlike: tuple[str, ...] = ()
    """What the baseline's panel had otherwise: rubric (then nothing is compared), models, takes."""
