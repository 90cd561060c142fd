"""What a suite that is run reads: as the config names it, and pinned."""

from typing import Final, Literal

from msgspec import Struct

from gate.core.records.file_ref import FileRef
from gate.core.records.ledger import NO_MODE

GATE_SAYS: Final = ("--mode", "--top-k", "--limit", "--question-ids", "--output", "--resume-from")
"""The options of gbrain's LongMemEval that the gate says itself."""


class RetrievalInputs(Struct, frozen=True, kw_only=True, tag_field="suite", tag="retrieval"):
    """What the retrieval suite asks, pinned: corpus, judgements, and the queries where they lie elsewhere."""

    corpus: FileRef
    qrels: FileRef
    queries: FileRef | None = None
    cuts: tuple[int, ...]
    mode: str
    limit: int | None = None


class LongMemEvalInputs(Struct, frozen=True, kw_only=True, tag_field="suite", tag="longmemeval"):
    """Which questions of a LongMemEval dataset are asked, and how."""

    dataset: FileRef
    k: int
    mode: str
    limit: int | None = None
    seed: int = 42
    """Draws `limit` of them."""
    question_ids: FileRef | None = None
    reader: Literal["off", "on"] = "off"
    """Whether the system also answers."""
    options: tuple[str, ...] = ()
    """More words for the command line of gbrain, where gbrain runs the suite."""


class ReplayLimits(Struct, frozen=True, kw_only=True):
    """What a replay is held to; None = as the baseline file says, if it says anything."""

    jaccard: float | None = None
    top1: float | None = None
    latency_multiplier: float | None = None


class ReplayInputs(Struct, frozen=True, kw_only=True, tag_field="suite", tag="replay"):
    """The captured queries that are asked again; without a corpus the system has its documents."""

    against: FileRef
    corpus: FileRef | None = None
    mode: str
    compare_limit: int | None = None
    limit: int | None = None
    limits: ReplayLimits = ReplayLimits()


class BrainbenchInputs(Struct, frozen=True, kw_only=True, tag_field="suite", tag="brainbench"):
    """A hermetic run, made by the system's own runner, or read from `result`; and what it is compared with."""

    baseline: str | None = None
    """The workspace-relative path of the committed figures; None = no comparison is asked for."""
    committed: FileRef | None = None
    """That file in the tree under test; None = it is not there."""
    base: FileRef | None = None
    """That file as the base has it; the committed one where there is no base."""
    result: FileRef | None = None
    seed: int = 42
    allowed: str | None = None
    """Why what got worse may pass."""

    @property
    def mode(self) -> str:
        """It knows no modes."""
        return NO_MODE


class RetrievalRequest(Struct, frozen=True, kw_only=True):
    """The retrieval suite as the config names it, with workspace-relative paths."""

    corpus: str
    qrels: str
    queries: str | None = None
    cuts: tuple[int, ...]
    mode: str
    limit: int | None = None


class LongMemEvalRequest(Struct, frozen=True, kw_only=True):
    """The LongMemEval suite as the config names it; `sha256` is what its dataset must have."""

    dataset: str
    sha256: str | None = None
    k: int
    mode: str
    limit: int | None = None
    seed: int = 42
    question_ids: str | None = None
    reader: Literal["off", "on"] = "off"
    options: tuple[str, ...] = ()


class ReplayRequest(Struct, frozen=True, kw_only=True):
    """The replay suite as the config names it."""

    against: str
    corpus: str | None = None
    mode: str
    compare_limit: int | None = None
    limit: int | None = None
    limits: ReplayLimits = ReplayLimits()


class BrainbenchRequest(Struct, frozen=True, kw_only=True):
    """The BrainBench suite as the config names it."""

    baseline: str | None = None
    result: str | None = None
    seed: int = 42
    allowed: str | None = None
