"""Takes out of gbrain's PostgreSQL tables `takes` and `pages`, read and never written."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, Literal, LiteralString

from gate.core.takes.corpus import CorpusNotes, Sample, Scope
from gate.core.takes.sampling import Candidate, Draw, RepeatedTakeError, Sampling, draw
from gate.core.takes.take import Resolution, Take
from gate.core.takes.weight import weight_text
from gate.database import Database, Session
from gate.errors import EvidenceError

_FROM: Final[LiteralString] = " from takes t join pages p on p.id = t.page_id"
_COUNTS: Final[LiteralString] = (
    " where p.slug like %s escape '!' and (%s or t.active) and (%s or p.deleted_at is null)"
)
"""The prefix, whether inactive takes count, whether those of deleted pages do."""

_PAGES: Final[LiteralString] = (
    "select count(*) from pages p where p.slug like %s escape '!' and (%s or p.deleted_at is null)"
)
_LEFT_OUT: Final[LiteralString] = (
    "select count(*) filter (where not t.active and (%s or p.deleted_at is null)),"
    " count(*) filter (where p.deleted_at is not null)" + _FROM + " where p.slug like %s escape '!'"
)
_IDENTITIES: Final[LiteralString] = "select p.source_id, p.slug, t.row_num, t.kind, t.id" + _FROM + _COUNTS
_TAKES: Final[LiteralString] = (
    "select t.id, p.source_id, p.slug, t.row_num, t.claim, t.kind, t.holder, t.weight::text,"
    " t.since_date, t.until_date, t.source, t.active,"
    " t.resolved_at::text, t.resolved_quality, t.resolved_source, t.resolved_value::text, t.resolved_unit,"
    " t.resolved_by" + _FROM
)
_OF_IDS: Final[LiteralString] = " where t.id = any(%s)"
_OF_PLACES: Final[LiteralString] = (
    " and (p.slug, t.row_num) in (select * from unnest(%s::text[], %s::bigint[]))"
)
_TEXTS: Final[LiteralString] = (
    "select p.source_id, p.slug, concat_ws(E'\n\n', p.compiled_truth, p.timeline) from pages p"
    " where (p.source_id, p.slug) in (select * from unnest(%s::text[], %s::text[]))"
    " and (p.compiled_truth <> '' or p.timeline <> '')"
)


class PostgresTakes:
    """Takes of a database; a role that may only SELECT from the two tables is enough.

    Weights are read as text: single precision gives 0.85, as the contract prints it, not 0.8500000238….
    """

    kind: Literal["fs", "db"] = "db"

    def __init__(self, database: Database) -> None:
        self._database = database

    def sample(self, scope: Scope, sampling: Sampling) -> Sample:
        """A sample of the database's takes, all of it seen in one state; errors as `Database` has them."""
        with self._database.reading() as session:
            notes = _notes(session, scope)
            drawn = _drawn(session, scope, sampling)
            takes = {row[0]: _take(row) for row in session.rows(_TAKES + _OF_IDS, [list(drawn.drawn)])}
        return Sample(takes=tuple(takes[key] for key in drawn.drawn), eligible=drawn.eligible, notes=notes)

    def find(self, scope: Scope, places: Sequence[tuple[str, int]]) -> tuple[Take, ...]:
        """The takes on those pages and rows, of every repository that has them."""
        pages, rows = [page for page, _ in places], [row for _, row in places]
        with self._database.reading() as session:
            found = session.rows(_TAKES + _COUNTS + _OF_PLACES, [*_filter(scope), pages, rows])
            return tuple(map(_take, found))

    def page_texts(self, pages: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """The text of pages (repository and slug) as gbrain keeps it; one without text, or gone, is left out."""
        origins, slugs = [origin for origin, _ in pages], [slug for _, slug in pages]
        with self._database.reading() as session:
            rows = session.rows(_TEXTS, [origins, slugs])
            return {(origin, slug): text for origin, slug, text in rows}


def _filter(scope: Scope) -> tuple[str, bool, bool]:
    return _like(scope.slug_prefix), scope.inactive == "included", scope.deleted_pages == "included"


def _like(prefix: str) -> str:
    """A LIKE pattern for texts that begin like this, every character of it literal."""
    return prefix.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"


def _notes(session: Session, scope: Scope) -> CorpusNotes:
    """How many takes are left out: one that is inactive and on a deleted page counts with the page."""
    pattern, inactive_too, deleted_too = _filter(scope)
    ((pages,),) = session.rows(_PAGES, [pattern, deleted_too])
    ((inactive, deleted),) = session.rows(_LEFT_OUT, [deleted_too, pattern])
    return CorpusNotes(
        pages=pages, inactive=0 if inactive_too else inactive, deleted=0 if deleted_too else deleted
    )


def _drawn(session: Session, scope: Scope, sampling: Sampling) -> Draw[int]:
    rows: Iterable[Any] = session.rows(_IDENTITIES, _filter(scope))
    try:
        return draw(map(Candidate._make, rows), sampling)
    except RepeatedTakeError as error:
        raise EvidenceError(
            f"the database holds a take twice: {error}",
            remedy="gbrain's tables are unique by page and row; restore the constraint",
        ) from error


def _take(row: tuple[Any, ...]) -> Take:
    (_, origin, page, number, claim, kind, holder, weight, since, until, source, active, *resolved) = row
    try:
        return Take(
            origin=origin,
            page=page,
            row=number,
            claim=claim,
            kind=kind,
            holder=holder,
            weight=weight_text(weight),
            since=since,
            until=until,
            source=source,
            active=active,
            resolution=_resolution(*resolved),
        )
    except ValueError as error:
        raise EvidenceError(
            f"take {number} of page {page}: {error}", remedy="store a finite number, then run again"
        ) from error


def _resolution(
    at: str | None,
    quality: str | None,
    evidence: str | None,
    value: str | None,
    unit: str | None,
    by: str | None,
) -> Resolution | None:
    number = None if value is None else weight_text(value)
    found = Resolution(at=at, quality=quality, evidence=evidence, value=number, unit=unit, by=by)
    return None if found == Resolution() else found
