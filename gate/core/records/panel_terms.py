"""What a configuration says about a panel of judges: which takes they see, who they are, when they are believed."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from gate.core.records.file_ref import FileRef
from gate.core.records.ledger import NO_MODE

SourceKind = Literal["fs", "db"]
Counted = Literal["skipped", "included"]


class TakesAsked(Struct, frozen=True, kw_only=True):
    """Which takes: the same seed over the same corpus draws the same ones."""

    source: SourceKind = "fs"
    slug_prefix: str | None = None
    inactive: Counted = "skipped"
    deleted_pages: Counted = "skipped"
    limit: int = 100
    seed: int = 42
    strata: Literal["none", "kind"] = "none"
    batches: int = 1
    """Disjoint parts of the sample; with one no uncertainty can be given."""


class PanelTerms(Struct, frozen=True, kw_only=True):
    """Who judges, how often, and how far the judges have to agree."""

    models: tuple[str, ...] = ()
    """`provider:model` each; empty = the cassette's panel, or the default one."""
    cycles: int = 1
    cycle_policy: Literal["last", "all", "median"] = "last"
    evidence: Literal["none", "excerpt"] = "none"
    min_alpha: float | None = None
    """Krippendorff's alpha below which the judges are not believed; None = no such floor."""
    max_sd: float | None = None
    """The standard deviation between judges, on any dimension, above which they are not believed."""
    max_range: float | None = None
    """Likewise the distance between two of them."""


class TakesInputs(Struct, frozen=True, kw_only=True, tag_field="suite", tag="takes-quality"):
    """What the panel judges and by what, pinned: pages, rubric, prices and cassette by content, takes by seed."""

    takes: TakesAsked
    panel: PanelTerms
    pages: FileRef | None = None
    """The folder of pages; None = the database that the environment names."""
    cassette: FileRef | None = None
    """Replies that are played back; None = the models are asked."""
    rubric: FileRef | None = None
    """None = the gate's own, and likewise the prices."""
    prices: FileRef | None = None
    shipped: Mapping[str, str] = {}
    """Files of the gate itself that are used, each with its sha256."""

    @property
    def mode(self) -> str:
        """It knows no modes."""
        return NO_MODE


class TakesRequest(Struct, frozen=True, kw_only=True):
    """The takes-quality suite as the config names it, with workspace-relative paths."""

    takes: TakesAsked
    panel: PanelTerms
    pages: str | None = None
    cassette: str | None = None
    rubric: str | None = None
    prices: str | None = None
    shipped: Mapping[str, str] = {}


class EarlierPanel(Struct, frozen=True, kw_only=True):
    """What a panel came to in the baseline: the means, and what they depend on."""

    rubric_sha8: str
    models_sha8: str
    corpus_sha8: str
    verdict: str
    overall: float | None = None
    means: Mapping[str, float] = {}
    """By dimension; empty where the panel was inconclusive."""
