"""Tables of ours in somebody's database: made when they are missing, one version after the other.

Versions only ever add (a table, a column that may be empty, an index), so that gates of different versions
can share a database: an older one finds everything it knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from gate.database import Session

_LOCK: Final = 0x67617465  # "gate": one lock for all our migrations
_VERSIONS: Final[LiteralString] = (
    "create table if not exists gate_migrations ("
    " component text not null, version int not null, applied_at timestamptz not null default now(),"
    " primary key (component, version))"
)


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the schema: its name and its versions from 1, each a list of statements."""

    name: LiteralString
    versions: tuple[tuple[LiteralString, ...], ...]


def migrate(session: Session, component: Component) -> None:
    """Bring a component up to its last version, within this transaction; writers who come at once wait.

    Nothing is asked of the role when everything is there already: a role that may only insert can append.
    """
    if _version(session, component) >= len(component.versions):
        return
    session.run("select pg_advisory_xact_lock(%s)", [_LOCK])
    session.run(_VERSIONS)
    there = _version(session, component)
    for version, statements in enumerate(component.versions[there:], start=there + 1):
        _apply(session, statements)
        session.run(
            "insert into gate_migrations (component, version) values (%s, %s)", [component.name, version]
        )


def exists(session: Session, table: LiteralString) -> bool:
    """Whether the database has this table, where its role looks for tables."""
    ((found,),) = session.rows("select to_regclass(%s) is not null", [table])
    return bool(found)


def _version(session: Session, component: Component) -> int:
    if not exists(session, "gate_migrations"):
        return 0
    query: LiteralString = "select coalesce(max(version), 0) from gate_migrations where component = %s"
    ((version,),) = session.rows(query, [component.name])
    return int(version)


def _apply(session: Session, statements: Sequence[LiteralString]) -> None:
    for statement in statements:
        session.run(statement)
