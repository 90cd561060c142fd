"""The receipt of a takes-quality run: the contract's keys in the contract's order, later ones behind them."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError, convert, field, to_builtins
from msgspec.structs import fields, replace

from gate.core.records.ecmascript import canonical_json, json_text

DIMENSIONS: Final = (
    "accuracy",
    "attribution",
    "weight_calibration",
    "kind_classification",
    "signal_density",
)
FILE_NAME: Final = re.compile(
    r"takes-quality-([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})(?:-[1-9][0-9]*)?\.json"
)

_Sha8 = Annotated[str, Meta(pattern="^[0-9a-f]{8}$")]
_Name = Annotated[str, Meta(min_length=1)]
_Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$")]
_Count = Annotated[int, Meta(ge=0)]
_Ordinal = Annotated[int, Meta(ge=1)]
_Amount = Annotated[float, Meta(ge=0)]

PanelVerdict = Literal["pass", "fail", "inconclusive"]
Choice = Literal["skipped", "included"]
"""Whether struck takes, or takes of deleted pages, are judged, too."""
Shown = Literal["none", "excerpt"]
"""What judges see of the takes' pages."""


class Fingerprints(NamedTuple):
    """What makes two runs the same run: the corpus, the prompt, the panel and the rubric they had."""

    corpus: str
    prompt: str
    models: str
    rubric: str


class DimensionScores(Struct, frozen=True, kw_only=True):
    """One dimension: mean, least and greatest score, the scores in the panel's order, each model's own."""

    mean: float
    min: float
    max: float
    scores: tuple[float, ...]
    per_model: Mapping[str, float]
    fail_reason: str | UnsetType = field(name="failReason", default=UNSET)


class ReceiptCorpus(Struct, frozen=True, kw_only=True):
    """Where the takes came from and how many there were."""

    source: _Name
    n_takes: _Count
    slug_prefix: str | None
    corpus_sha8: _Sha8


class SlotError(Struct, frozen=True, kw_only=True):
    """A model that contributed nothing, and why."""

    model_id: str = field(name="modelId")
    error: str


class Correction(Struct, frozen=True, kw_only=True):
    """A malformed reply that was asked for once more; None = no second reply came."""

    cycle: _Count
    model_id: str = field(name="modelId")
    first_error: str
    corrected: Literal["valid", "invalid"] | None
    corrected_error: str | UnsetType = UNSET
    skipped_reason: Literal["budget", "aborted"] | UnsetType = UNSET
    batch: _Count | UnsetType = UNSET
    """The batch, from 0; absent where there is only one."""


class TakeReference(Struct, frozen=True, kw_only=True):
    """A take that was judged: its page, its row, and the digest of what the judges read.

    `source_id` is the repository its page comes from; `batch` the batch it was judged in, from 0, absent where there
    is only one. Earlier receipts say neither.
    """

    page: str
    row: _Ordinal
    sha8: _Sha8
    source_id: str | UnsetType = UNSET
    batch: _Count | UnsetType = UNSET


class UnfinishedReply(Struct, frozen=True, kw_only=True):
    """What one model had said in a cycle that was interrupted and decides nothing; batch and cycle from 0."""

    cycle: _Count
    batch: _Count
    model_id: str = field(name="modelId")
    scores: Mapping[str, float]
    error: str | UnsetType = UNSET


class Cycle(Struct, frozen=True, kw_only=True):
    """What one cycle (of one batch, both counted from 0) came to."""

    batch: _Count = 0
    cycle: _Count
    verdict: PanelVerdict
    scores: Mapping[str, DimensionScores]
    overall_score: float | None
    errors: tuple[SlotError, ...]

    def __post_init__(self) -> None:
        _check_scores(self.verdict, self.scores, self.overall_score)


class Agreement(Struct, frozen=True, kw_only=True):
    """How far the judges agree on a dimension; `alpha` None = cannot be told from so few units.

    `range` and `sd` None = no two judges scored it.
    """

    range: _Amount | None
    sd: _Amount | None
    alpha: float | None
    units: _Count


class TakesReceipt(Struct, frozen=True, kw_only=True):
    """One run of the panel, version 1. What follows `verdict_message` are later and optional keys.

    `scores` is empty when too few models answered, else it has all five dimensions; a PASS and a FAIL need
    them. `cost_usd` None = unknown. `others` are the keys this program does not know: kept, written last.
    Raises ValueError (within msgspec: ValidationError) when scores and verdict contradict each other.
    """

    schema_version: Literal[1] = 1
    ts: _Moment
    rubric_version: _Name
    rubric_sha8: _Sha8
    corpus: ReceiptCorpus
    prompt_sha8: _Sha8
    models_sha8: _Sha8
    models: Annotated[tuple[_Name, ...], Meta(min_length=1)]
    cycles_run: _Count
    successes_per_cycle: tuple[_Count, ...]
    verdict: PanelVerdict
    scores: Mapping[str, DimensionScores]
    overall_score: float | None
    cost_usd: _Amount | None
    improvements: tuple[str, ...]
    errors: tuple[SlotError, ...]
    verdict_message: str = field(name="verdictMessage")
    protocol_version: Literal[1, 2] | UnsetType = UNSET
    correction_selection_rule: str | UnsetType = UNSET
    corrections: tuple[Correction, ...] | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    takes: tuple[TakeReference, ...] | UnsetType = UNSET
    batches: _Ordinal | UnsetType = UNSET
    cycle_policy: Literal["last", "all", "median"] | UnsetType = UNSET
    cycles: tuple[Cycle, ...] | UnsetType = UNSET
    agreement: Mapping[str, Agreement] | UnsetType = UNSET
    unpriced_models: tuple[str, ...] | UnsetType = UNSET
    unfinished: tuple[UnfinishedReply, ...] | UnsetType = UNSET
    inactive: Choice | UnsetType = UNSET
    deleted_pages: Choice | UnsetType = UNSET
    evidence: Shown | UnsetType = UNSET
    others: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_scores(self.verdict, self.scores, self.overall_score)

    @property
    def fingerprints(self) -> Fingerprints:
        """The four digests by which a run is known."""
        return Fingerprints(self.corpus.corpus_sha8, self.prompt_sha8, self.models_sha8, self.rubric_sha8)


_KNOWN: Final = frozenset(each.encode_name for each in fields(TakesReceipt)) - {"others"}


def takes_receipt(document: object) -> TakesReceipt:
    """The receipt a JSON document holds, its mappings in the order they are written in.

    A database that stores JSON gives keys in an order of its own; here they get the contract's back. Raises
    ValueError, naming the place, for anything that is no receipt of version 1.
    """
    if not isinstance(document, dict):
        raise ValueError("a takes-quality receipt is a JSON object")  # noqa: TRY004 - a document, not an argument
    if document.get("schema_version") != 1:
        raise ValueError(
            f"schema_version is {document.get('schema_version')!r}; this program reads version 1"
        )
    known = {key: value for key, value in document.items() if key in _KNOWN}
    others = {key: value for key, value in document.items() if key not in _KNOWN}
    try:
        return _ordered(replace(convert(known, TakesReceipt), others=others))
    except ValidationError as error:
        raise ValueError(str(error)) from error


def takes_document(receipt: TakesReceipt) -> dict[str, Any]:
    """The receipt as a JSON document, keys in the contract's order."""
    members: dict[str, Any] = to_builtins(receipt)
    others: dict[str, Any] = members.pop("others")
    return {**members, **others}


def takes_receipt_bytes(receipt: TakesReceipt) -> bytes:
    """The receipt's file: indented as the contract's writer indents, one newline at the end.

    Raises ValueError when it holds a NaN or an infinity, or is not valid: it would not be read again.
    """
    document = takes_document(receipt)
    canonical_json(document)
    if takes_receipt(to_builtins(document)) != receipt:
        raise ValueError("the receipt does not read back as it was written")
    return (json_text(document, indent=2) + "\n").encode()


def file_name(fingerprints: Fingerprints, *, repeat: int = 1) -> str:
    """The name of a receipt's file; a second and third receipt of the same run end in -2 and -3."""
    suffix = f"-{repeat}" if repeat > 1 else ""
    return f"takes-quality-{'-'.join(fingerprints)}{suffix}.json"


def fingerprints_in(name: str) -> Fingerprints | None:
    """The digests in the name of a receipt's file; None when it is no such name."""
    found = FILE_NAME.fullmatch(name)
    return Fingerprints(*found.groups()) if found else None


def _check_scores(
    verdict: PanelVerdict, scores: Mapping[str, DimensionScores], overall: float | None
) -> None:
    if verdict == "inconclusive" and not scores:
        return
    missing = [name for name in DIMENSIONS if name not in scores]
    if missing:
        raise ValueError(f"scores lack {', '.join(missing)}")
    if overall is None:
        raise ValueError("overall_score is null though there are scores")


def _ordered(receipt: TakesReceipt) -> TakesReceipt:
    cycles = receipt.cycles
    return replace(
        receipt,
        scores=_in_order(receipt.scores, receipt.models),
        cycles=UNSET
        if cycles is UNSET
        else tuple(replace(one, scores=_in_order(one.scores, receipt.models)) for one in cycles),
        agreement=UNSET if receipt.agreement is UNSET else _sorted_by(receipt.agreement, DIMENSIONS),
    )


def _in_order(
    scores: Mapping[str, DimensionScores], models: tuple[str, ...]
) -> Mapping[str, DimensionScores]:
    ordered = _sorted_by(scores, DIMENSIONS)
    return {name: replace(one, per_model=_sorted_by(one.per_model, models)) for name, one in ordered.items()}


def _sorted_by(members: Mapping[str, Any], order: tuple[str, ...]) -> dict[str, Any]:
    """The members in that order, then those it does not name."""
    return {key: members[key] for key in dict.fromkeys((*order, *members)) if key in members}
