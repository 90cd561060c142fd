import psycopg
import pytest

from gate.database import Database
from gate.errors import UnavailableError
from gate.ledgers.migrations import Component, exists, migrate

FIRST = ("create table cars (id int)", "insert into cars values (1)")
SECOND = ("alter table cars add column colour text",)


def versions(url: str) -> list[tuple[str, int]]:
    with psycopg.connect(url) as connection:
        return connection.execute("select component, version from gate_migrations order by 1, 2").fetchall()


def run(url: str, component: Component) -> None:
    with Database(url).writing() as session:
        migrate(session, component)


def test_every_version_is_applied_once_and_in_order(database_url: str) -> None:
    run(database_url, Component("cars", (FIRST,)))
    for _ in range(2):
        run(database_url, Component("cars", (FIRST, SECOND)))

    with psycopg.connect(database_url) as connection:
        assert connection.execute("select id, colour from cars").fetchall() == [(1, None)]
    assert versions(database_url) == [("cars", 1), ("cars", 2)]


def test_components_have_versions_of_their_own(database_url: str) -> None:
    run(database_url, Component("cars", (FIRST, SECOND)))
    run(database_url, Component("boats", (("create table boats (id int)",),)))

    assert versions(database_url) == [("boats", 1), ("cars", 1), ("cars", 2)]


def test_a_gate_that_knows_fewer_versions_leaves_a_newer_database_alone(database_url: str) -> None:
    run(database_url, Component("cars", (FIRST, SECOND)))
    run(database_url, Component("cars", (FIRST,)))

    assert versions(database_url) == [("cars", 1), ("cars", 2)]


def test_a_version_that_fails_leaves_nothing_of_itself(database_url: str) -> None:
    with pytest.raises(UnavailableError):
        run(database_url, Component("cars", (FIRST, ("select pg_terminate_backend(pg_backend_pid())",))))

    with Database(database_url).reading() as session:
        assert not exists(session, "cars")
        assert not exists(session, "gate_migrations")


def test_an_older_gate_waits_for_nobody_when_all_is_there(database_url: str) -> None:
    run(database_url, Component("cars", (FIRST,)))

    with Database(database_url).writing() as holder:
        migrate(holder, Component("cars", (FIRST, SECOND)))  # holds the lock until its transaction ends
        with Database(database_url, statement_seconds=5).writing() as other:
            migrate(other, Component("cars", (FIRST,)))
