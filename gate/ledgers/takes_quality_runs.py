"""Receipts of takes-quality runs in gbrain's own table, beside those gbrain wrote itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString

from gate.core.records.ecmascript import json_text
from gate.core.records.takes_receipt import (
    Fingerprints,
    PanelVerdict,
    TakesReceipt,
    takes_document,
    takes_receipt,
)
from gate.database import Database, Session
from gate.errors import EvidenceError
from gate.ledgers.migrations import Component, exists, migrate

RUNS: Final = Component(
    "eval_takes_quality_runs",
    (
        (
            "create table if not exists eval_takes_quality_runs ("
            " id bigserial primary key,"
            " receipt_sha8_corpus text not null, receipt_sha8_prompt text not null,"
            " receipt_sha8_models text not null, receipt_sha8_rubric text not null,"
            " rubric_version text not null,"
            " verdict text not null check (verdict in ('pass', 'fail', 'inconclusive')),"
            " overall_score real not null, dim_scores jsonb not null, cost_usd real not null,"
            " receipt_json jsonb not null, receipt_disk_path text,"
            " created_at timestamptz not null default now(),"
            " unique (receipt_sha8_corpus, receipt_sha8_prompt, receipt_sha8_models, receipt_sha8_rubric))",
            "create index if not exists eval_takes_quality_runs_trend"
            " on eval_takes_quality_runs (rubric_version, created_at desc)",
        ),
    ),
)

_TABLE: Final = "eval_takes_quality_runs"
_BY_ID: Final[LiteralString] = "select id, receipt_json from eval_takes_quality_runs where id = %s"
_BY_DIGESTS: Final[LiteralString] = (
    "select id, receipt_json from eval_takes_quality_runs where receipt_sha8_corpus = %s"
    " and receipt_sha8_prompt = %s and receipt_sha8_models = %s and receipt_sha8_rubric = %s"
)
_INSERT: Final[LiteralString] = (
    "insert into eval_takes_quality_runs (receipt_sha8_corpus, receipt_sha8_prompt, receipt_sha8_models,"
    " receipt_sha8_rubric, rubric_version, verdict, overall_score, dim_scores, cost_usd, receipt_json,"
    " receipt_disk_path, created_at)"
    " values (%s, %s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s::jsonb, %s, %s::timestamptz)"
    " on conflict (receipt_sha8_corpus, receipt_sha8_prompt, receipt_sha8_models, receipt_sha8_rubric)"
    " do nothing returning id"
)
_NEWEST: Final[LiteralString] = (
    'select id, to_char(created_at, \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), rubric_version, verdict,'
    " overall_score::text, case when jsonb_typeof(receipt_json -> 'cost_usd') = 'null' then null"
    " else cost_usd::text end, receipt_sha8_corpus, receipt_sha8_rubric, dim_scores"
    " from eval_takes_quality_runs"
    " where %s::text is null or rubric_version = %s order by created_at desc, id desc limit %s"
)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """What the table says about one run without its receipt; an unknown score is stored as 0.

    `cost_usd` None = unknown: the table has no place for that, but the receipt in it says so.
    """

    id: int
    ts: str
    rubric_version: str
    verdict: PanelVerdict
    overall_score: float
    cost_usd: float | None
    corpus_sha8: str
    rubric_sha8: str
    dimensions: Mapping[str, float] = field(default_factory=dict, compare=False)
    """The mean of every dimension that has one."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The row a run has: its own, or that of an equal run before it, whose receipt stays."""

    id: int
    new: bool


class TakesQualityRuns:
    """The table `eval_takes_quality_runs`; errors as `Database` has them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, receipt: TakesReceipt, *, disk_path: str | None = None) -> Kept:
        """Store a receipt; of runs with the same four digests the first stays. The table is made when missing."""
        with self._database.writing() as session:
            if not exists(
                session, _TABLE
            ):  # else it may be gbrain's own, and nothing need be granted but INSERT
                migrate(session, RUNS)
            for (key,) in session.rows(_INSERT, _row(receipt, disk_path)):
                return Kept(key, new=True)
            ((key, _),) = session.rows(_BY_DIGESTS, receipt.fingerprints)
        return Kept(key, new=False)

    def receipt(self, key: int) -> TakesReceipt:
        """The receipt with that id; EvidenceError when there is none, or it is none of version 1."""
        with self._database.reading() as session:
            found = _receipts(
                session, "select id, receipt_json from eval_takes_quality_runs where id = %s", [key]
            )
        if not found:
            raise EvidenceError(
                f"the database has no takes-quality run {key}",
                remedy="`gate takes-quality trend` lists the runs",
            )
        return found[0]

    def same(self, fingerprints: Fingerprints) -> TakesReceipt | None:
        """The receipt of an equal run; None when there was none."""
        with self._database.reading() as session:
            found = _receipts(session, _BY_DIGESTS, list(fingerprints))
        return found[0] if found else None

    def newest(self, limit: int, *, rubric_version: str | None = None) -> tuple[StoredRun, ...]:
        """The last runs, newest first, of one rubric or of all; none where there is no table."""
        with self._database.reading() as session:
            if not exists(session, _TABLE):
                return ()
            rows = session.rows(_NEWEST, [rubric_version, rubric_version, limit])
            return tuple(
                StoredRun(
                    key,
                    ts,
                    version,
                    verdict,
                    float(score),
                    None if cost is None else float(cost),
                    corpus,
                    rubric,
                    _means(dimensions),
                )
                for key, ts, version, verdict, score, cost, corpus, rubric, dimensions in rows
            )


def _row(receipt: TakesReceipt, disk_path: str | None) -> list[object]:
    document = takes_document(receipt)
    return [
        *receipt.fingerprints,
        receipt.rubric_version,
        receipt.verdict,
        receipt.overall_score or 0,
        _json(document["scores"]),
        receipt.cost_usd or 0,
        _json(document),
        disk_path,
        receipt.ts,
    ]


def _json(value: object) -> str:
    """JSON that jsonb takes: it knows neither NUL nor half a surrogate pair; U+FFFD stands for them."""
    return json_text(_storable(value))


def _storable(value: object) -> object:
    match value:
        case str():
            whole = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            return whole.replace("\0", "\ufffd")
        case dict():
            return {_storable(key): _storable(member) for key, member in value.items()}
        case list() | tuple():
            return [_storable(member) for member in value]
        case _:
            return value


def _means(dimensions: Any) -> dict[str, float]:
    """What a stored column says; gbrain's or anybody's, so every shape is possible."""
    members = dimensions.items() if isinstance(dimensions, dict) else ()
    means = {name: scores.get("mean") for name, scores in members if isinstance(scores, dict)}
    return {
        name: float(mean)
        for name, mean in means.items()
        if isinstance(mean, int | float) and not isinstance(mean, bool)
    }


def _receipts(session: Session, query: LiteralString, parameters: list[object]) -> list[TakesReceipt]:
    if not exists(session, _TABLE):
        return []
    return [_receipt(key, document) for key, document in session.rows(query, parameters)]


def _receipt(key: int, document: Any) -> TakesReceipt:
    try:
        return takes_receipt(document)
    except ValueError as error:
        raise EvidenceError(
            f"takes-quality run {key} in the database is no receipt this gate can read: {error}",
            remedy="use the program that wrote it, or remove the row",
        ) from error
