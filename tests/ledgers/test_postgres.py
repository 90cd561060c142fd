import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gate.core.records.ledger import Ledger
from gate.database import Database
from gate.errors import UnavailableError
from gate.ledgers.postgres import PostgresLedger
from tests.postgres import server
from tests.run_factories import new_record

ROOT = Path(__file__).parents[2]

WRITER = """
import sys
from gate.database import Database
from gate.errors import GateError
from gate.ledgers.postgres import PostgresLedger
from tests.run_factories import new_record
ledger, name, count = PostgresLedger(Database(sys.argv[1])), sys.argv[2], int(sys.argv[3])
for number in range(count):
    try:
        ledger.append(new_record(f"{name}-{number}", params={"padding": "x" * 1000}))
    except GateError as error:
        sys.exit(error.exit_code)
    print(f"{name}-{number}", flush=True)
"""


def writer(url: str, name: str, *, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, url, name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def ledger(url: str) -> PostgresLedger:
    return PostgresLedger(Database(url))


def ids(found: Ledger) -> list[str]:
    return [record.run_id for record in found.records]


def test_processes_that_append_at_once_lose_and_mix_nothing_and_make_one_table(database_url: str) -> None:
    writers = [writer(database_url, f"w{number}", count=20) for number in range(5)]
    for process in writers:
        process.communicate(timeout=120)

    found = ledger(database_url).read()

    assert [process.returncode for process in writers] == [0] * 5
    assert found.skips == ()
    assert len(found.records) == 100
    for one in range(5):
        own = [run_id for run_id in ids(found) if run_id.startswith(f"w{one}-")]
        assert own == [f"w{one}-{number}" for number in range(20)]
    with psycopg.connect(database_url) as connection:
        versions = connection.execute("select component, version from gate_migrations").fetchall()
    assert versions == [("eval_results", 1)]


def test_a_server_that_dies_while_others_write_loses_nothing_that_was_reported() -> None:
    with server() as own:
        process = writer(own.url(), "run", count=100_000)
        assert process.stdout is not None
        reported = [process.stdout.readline().strip() for _ in range(20)]
        own.stop(signal.SIGQUIT)
        reported += process.communicate(timeout=60)[0].split()

        own.start()
        ledger(own.url()).append(new_record("after"))
        found = ledger(own.url()).read()

    assert process.returncode == 69
    assert ids(found)[: len(reported)] == reported
    assert ids(found)[-1] == "after"
    assert (
        len(found.records) <= len(reported) + 2
    )  # one may have been stored though nobody could say so any more


def test_a_writer_that_is_killed_leaves_whole_records_only(database_url: str) -> None:
    process = writer(database_url, "run", count=100_000)
    assert process.stdout is not None
    reported = [process.stdout.readline().strip()]
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    reported += process.communicate()[0].split()

    found = ledger(database_url).read()

    assert ids(found)[: len(reported)] == reported
    assert found.skips == ()


def test_a_role_that_may_only_insert_and_read_can_use_a_ledger_that_is_there(database_url: str) -> None:
    ledger(database_url).append(new_record("first"))
    with psycopg.connect(database_url, autocommit=True) as connection:
        role = f"writer_{connection.info.dbname}"
        connection.execute(f"create role {role} login")
        connection.execute(f"grant select, insert on eval_results to {role}")
        connection.execute(f"grant select on gate_migrations to {role}")
    try:
        limited = ledger(make_conninfo(database_url, user=role))
        limited.append(new_record("second"))
        assert ids(limited.read()) == ["first", "second"]
    finally:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(f"drop owned by {role}")
            connection.execute(f"drop role {role}")


def test_a_role_that_may_make_no_table_is_told_so_and_nothing_is_made(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        role = f"guest_{connection.info.dbname}"
        connection.execute(f"create role {role} login")
    try:
        limited = ledger(make_conninfo(database_url, user=role))
        with pytest.raises(UnavailableError, match="permission denied for schema public"):
            limited.append(new_record())
        assert limited.read().missing
    finally:
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(f"drop role {role}")


def test_what_somebody_else_stored_and_is_no_record_is_counted(database_url: str) -> None:
    ledger(database_url).append(new_record("ours"))
    with psycopg.connect(database_url) as connection:
        connection.execute(
            "insert into eval_results (run_id, suite, mode, status, ran_at, record)"
            " values ('x', 'x', 'x', 'x', now(), '[1]'), ('y', 'y', 'y', 'y', now(), '{\"run_id\":\n \"y\"}')"
        )

    found = ledger(database_url).read()

    assert (ids(found), found.skipped["not_a_record"]) == (["ours"], 2)
    assert [skip.line for skip in found.skips] == [2, 3]


def test_the_columns_say_what_the_record_says(database_url: str) -> None:
    ledger(database_url).append(new_record("run", suite="takes-quality", mode="n/a", status="failed"))

    with psycopg.connect(database_url) as connection:
        connection.execute("set timezone to 'UTC'")
        row = connection.execute(
            "select run_id, suite, mode, status, ran_at::text from eval_results"
        ).fetchone()

    assert row == ("run", "takes-quality", "n/a", "failed", "2026-11-01 10:00:00+00")
