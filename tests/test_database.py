import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from gate.database import Database, Session
from gate.errors import ConfigError, EvidenceError, GateError, UnavailableError
from tests.postgres import PASSWORD, Server, server
from tests.tls_front import tls_front

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """A server whose password and ports are ours to know."""
    with server() as own:
        yield own


def one(url: str) -> object:
    with Database(url, connect_seconds=2).reading() as session:
        ((value,),) = session.rows("select 1")
        return value


def everything_said(error: GateError) -> str:
    """Every word of an error, of its remedy and of the errors a traceback would show with it."""
    told: traceback.TracebackException | None = traceback.TracebackException.from_exception(error)
    words = [error.message, error.remedy]
    while told is not None:
        words += told.format_exception_only()
        told = told.__cause__ or (None if told.__suppress_context__ else told.__context__)
    return "".join(words)


def interrupted(database: Database) -> None:
    with database.writing() as session:
        session.run("insert into cars values (3)")
        raise ZeroDivisionError


def create_cars(
    database: Database, meanwhile: Callable[[], None], *, then: Callable[[Session], object]
) -> None:
    """A transaction during which something else happens."""
    with database.writing() as session:
        session.run("create table cars (id int)")
        meanwhile()
        then(session)


def test_a_transaction_that_ends_well_is_kept_and_one_that_does_not_leaves_nothing(database_url: str) -> None:
    database = Database(database_url)
    with database.writing() as session:
        session.run("create table cars (id int)")
        assert session.run("insert into cars values (1), (2)") == 2
    with pytest.raises(ZeroDivisionError):
        interrupted(database)

    with database.reading() as session:
        assert list(session.rows("select id from cars where id >= %s order by id", [0])) == [(1,), (2,)]


def test_a_reading_transaction_cannot_write(database_url: str) -> None:
    refused = pytest.raises(UnavailableError, match=r"may not do this.*read-only")
    with refused, Database(database_url).reading() as session:
        session.run("create table cars (id int)")


def test_a_statement_that_takes_too_long_is_ended_by_the_server(database_url: str) -> None:
    database = Database(database_url, statement_seconds=1)

    with (
        pytest.raises(UnavailableError, match=r"took too long.*statement timeout"),
        database.reading() as session,
    ):
        session.run("select pg_sleep(60)")


def test_nobody_waits_forever_for_a_lock(database_url: str) -> None:
    database = Database(database_url, statement_seconds=1)
    with psycopg.connect(database_url) as holder:
        holder.execute("create table cars (id int)")
        holder.commit()
        holder.execute("lock table cars")

        with pytest.raises(UnavailableError, match="took too long"), database.writing() as session:
            session.run("insert into cars values (1)")


def test_a_password_with_every_awkward_character_works_over_loopback(own_server: Server) -> None:
    assert one(own_server.url_over_tcp()) == 1
    assert one(f"host=127.0.0.1 port={own_server.port} user=postgres password='{PASSWORD}'") == 1


def test_tls_is_used_as_the_url_asks_and_the_certificate_is_checked(
    own_server: Server, tmp_path: Path
) -> None:
    with tls_front(own_server.port, tmp_path) as (port, shown):
        front = own_server.url_over_tcp().replace(f":{own_server.port}/", f":{port}/")

        assert one(f"{front}?sslmode=verify-full&sslrootcert={quote(str(shown))}") == 1
        assert one(f"{front}?sslmode=require") == 1
        with pytest.raises(UnavailableError, match="certificate") as caught:
            one(f"{front}?sslmode=verify-full&sslrootcert=system")

    assert PASSWORD not in everything_said(caught.value)


def test_a_server_without_tls_is_not_talked_to_when_tls_is_asked_for(own_server: Server) -> None:
    with pytest.raises(UnavailableError, match="does not support SSL") as caught:
        one(own_server.url_over_tcp() + "?sslmode=require")

    assert "sslmode" in caught.value.remedy


def test_a_wrong_password_is_told_and_not_shown(own_server: Server) -> None:
    with pytest.raises(UnavailableError, match="password authentication failed") as caught:
        one(own_server.url_over_tcp(password="not/the:word@all"))  # noqa: S106 - wrong on purpose

    assert "not/the:word@all" not in everything_said(caught.value)
    assert f"database postgres on 127.0.0.1:{own_server.port}" in caught.value.message


@pytest.mark.parametrize("user", ["postgres", "nobody-here"])
def test_a_database_or_a_role_that_is_not_there_is_told(own_server: Server, user: str) -> None:
    url = own_server.url("no-such-database").replace("postgres@", f"{user}@")

    with pytest.raises(UnavailableError, match=r"no-such-database.*does not exist"):
        one(url)


def test_a_server_that_is_not_there_is_unavailable_and_no_password_is_shown() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(UnavailableError, match=r"cannot be reached.*Connection refused") as caught:
        one(f"postgresql://ada:hunter2@127.0.0.1:{port}/brain")

    assert "hunter2" not in everything_said(caught.value)
    assert caught.value.exit_code == 69


def test_a_server_that_never_answers_is_given_up() -> None:
    given_up = pytest.raises(UnavailableError, match=r"cannot be reached.*timeout")
    with socket.create_server(("127.0.0.1", 0)) as silent, given_up:
        one(f"postgresql://ada:hunter2@127.0.0.1:{silent.getsockname()[1]}/brain")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:hun/ter2@127.0.0.1/brain",
        "postgresql://ada:hun@ter2@127.0.0.1/brain",
        "postgresql://ada:hun#ter2@127.0.0.1/brain",
        "postgresql://ada:12\0ter2@127.0.0.1/brain",
        "postgresql://ada:hun:ter2@127.0.0.1/brain",
        "postgresql://ada:hun[ter2@127.0.0.1/brain",
        "postgresql://ada:hun%ter2@127.0.0.1/brain",
        "postgresql://ada:hun ter2@127.0.0.1/brain",
        "postgres://ada:hunter2@127.0.0.1:hun/brain",
        "host=127.0.0.1 password='hunter2",
        "hunter2",
        "mysql://ada:hunter2@127.0.0.1/brain",
        "postgresql://ada:hun\0ter2@127.0.0.1/brain",
        "postgresql://ada:hun\ud800ter2@127.0.0.1/brain",
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_any_of_it_being_shown(url: str) -> None:
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        one(url)

    assert "hun" not in everything_said(caught.value)
    assert "ter2" not in everything_said(caught.value)
    assert "percent-encode" in caught.value.remedy


def test_an_empty_url_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="is empty"):
        one("")


def test_text_the_database_cannot_hold_is_an_input_error(database_url: str) -> None:
    for text in ("a\0b", "a\ud800b"):
        with pytest.raises(EvidenceError), Database(database_url).reading() as session:
            session.run("select %s::text", [text])


def test_a_statement_the_server_refuses_is_told_without_its_details(database_url: str) -> None:
    database = Database(database_url)
    with database.writing() as session:
        session.run("create table cars (plate text unique)")
        session.run("insert into cars values ('secret plate')")

    with pytest.raises(EvidenceError, match="duplicate key") as caught, database.writing() as session:
        session.run("insert into cars values ('secret plate')")

    assert "secret plate" not in caught.value.message


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_server_that_goes_away_in_the_middle_is_unavailable_and_keeps_no_half(how: signal.Signals) -> None:
    with server() as own:
        database = Database(own.url())
        with pytest.raises(UnavailableError, match="went away"):
            create_cars(database, lambda: own.stop(how), then=lambda session: session.run("select 1"))

        own.start()

        with database.reading() as session:
            assert list(session.rows("select to_regclass('cars')")) == [(None,)]


def test_a_server_that_goes_away_before_the_commit_is_unavailable() -> None:
    with server() as own, pytest.raises(UnavailableError, match="went away"):
        create_cars(Database(own.url()), lambda: own.stop(signal.SIGQUIT), then=lambda _: None)


WITHOUT_DRIVER = """
import sys
sys.modules["psycopg"] = None
from gate.database import Database
from gate.errors import GateError
try:
    with Database("postgresql://h/d").reading():
        pass
except GateError as error:
    print(error.exit_code.name, error.message, error.remedy)
"""


def test_without_the_driver_the_remedy_says_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DRIVER], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.stdout.startswith("CONFIG PostgreSQL needs the package psycopg"), done.stderr
    assert "pip install 'retrieval-quality-gate[postgres]'" in done.stdout


def test_importing_the_module_imports_no_driver() -> None:
    look = "import sys, gate.database, gate.takes.postgres, gate.ledgers.postgres; print('psycopg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.stdout.strip() == "False", done.stderr
