"""Runs over time, out of a database and out of a ledger, each run once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, cast, get_args

from gate.core.records.ledger import RunRecord
from gate.core.records.takes_receipt import DIMENSIONS, PanelVerdict

SUITE: Final = "takes-quality"
MOST_ROWS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendRow:
    """One run. `id` is its number in the database, `run_id` its name in the ledger; None = it is not there.

    `overall` None = too few judges answered; `cost` None = unknown.
    """

    ts: str
    rubric_version: str
    verdict: PanelVerdict
    overall: float | None
    cost: float | None
    corpus_sha8: str
    dimensions: Mapping[str, float] = field(default_factory=dict)
    rubric_sha8: str | None = None
    id: int | None = None
    run_id: str | None = None

    @property
    def rubric(self) -> tuple[str, str | None]:
        """What the scores were given by: a rubric of one's own may bear a name that another one has, too."""
        return self.rubric_version, self.rubric_sha8


@dataclass(frozen=True, slots=True)
class Epoch:
    """Runs in a row that one rubric judged, the first of them at this place; scores of two epochs never meet."""

    name: str
    start: int
    rows: tuple[TrendRow, ...]


def epochs(rows: Sequence[TrendRow]) -> tuple[Epoch, ...]:
    """Where the rubric changed, in the order of the rows; the digest is in the name where the version is not enough."""
    rubrics = {row.rubric for row in rows}
    versions = [version for version, _ in rubrics]
    found: list[Epoch] = []
    start = 0
    for (version, sha8), group in groupby(rows, key=lambda row: row.rubric):
        members = tuple(group)
        name = version if versions.count(version) == 1 else f"{version} ({sha8 or 'unknown'})"
        found.append(Epoch(name, start, members))
        start += len(members)
    return tuple(found)


def ledger_rows(records: Iterable[RunRecord]) -> tuple[tuple[TrendRow, ...], int]:
    """The runs of this suite in a ledger, and how many records of it say too little to be one."""
    ours = [record for record in records if record.suite == SUITE]
    rows = [row for record in ours if (row := _row(record)) is not None]
    return tuple(rows), len(ours) - len(rows)


def merged(
    stored: Sequence[TrendRow], ledger: Sequence[TrendRow], *, limit: int, rubric: str | None
) -> tuple[TrendRow, ...]:
    """The newest runs, newest first; one that is in both is what the ledger knows, with the database's number."""
    rows = {_key(row): row for row in stored}
    for row in ledger:
        known = rows.get(_key(row))
        rows[_key(row)] = row if known is None else _both(row, known)
    wanted = [row for row in rows.values() if rubric is None or row.rubric_version == rubric]
    newest = sorted(wanted, key=lambda row: (row.ts, row.id or 0), reverse=True)
    return tuple(newest[: min(limit, MOST_ROWS)])


def trend_document(rows: Sequence[TrendRow]) -> dict[str, object]:
    """The contract's JSON: 0 stands for the overall score of an INCONCLUSIVE run; keys of our own follow."""
    return {
        "schema_version": 1,
        "rows": [
            {
                "id": row.id,
                "ts": row.ts,
                "rubric_version": row.rubric_version,
                "verdict": row.verdict,
                "overall_score": row.overall or 0,
                "cost_usd": row.cost,
                "corpus_sha8": row.corpus_sha8,
                "run_id": row.run_id,
                "rubric_sha8": row.rubric_sha8,
                "dimensions": dict(row.dimensions),
            }
            for row in rows
        ],
    }


def _key(row: TrendRow) -> tuple[str, str, str]:
    return row.ts, row.corpus_sha8, row.rubric_version


def _both(recorded: TrendRow, stored: TrendRow) -> TrendRow:
    return replace(recorded, id=stored.id, rubric_sha8=recorded.rubric_sha8 or stored.rubric_sha8)


def _row(record: RunRecord) -> TrendRow | None:
    texts = [record.params.get(name) for name in ("ts", "rubric_version", "corpus_sha8")]
    verdict = record.params.get("verdict")
    if verdict not in get_args(PanelVerdict) or not all(isinstance(text, str) and text for text in texts):
        return None
    ts, rubric_version, corpus = cast("list[str]", texts)
    numbers = {name: _number(value) for name, value in record.aggregates.items()}
    return TrendRow(
        ts=ts,
        rubric_version=rubric_version,
        verdict=cast("PanelVerdict", verdict),
        overall=numbers.get("overall_score"),
        cost=numbers.get("cost_usd"),
        corpus_sha8=corpus,
        dimensions={name: value for name in DIMENSIONS if (value := numbers.get(name)) is not None},
        rubric_sha8=_text(record.params.get("rubric_sha8")),
        run_id=record.run_id,
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
