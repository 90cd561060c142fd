import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gate.core.records.copied import Copied
from gate.core.records.ledger import Ledger
from gate.core.records.pruning import Pruning
from gate.database import Database
from gate.errors import EvidenceError, UnavailableError
from gate.ledgers.postgres import PostgresLedger
from tests.postgres import server
from tests.run_factories import ledger as read
from tests.run_factories import ledger_bytes, new_record, run_object

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


COPIER = """
import sys
from gate.core.records.ledger import read_ledger
from gate.database import Database
from gate.ledgers.postgres import PostgresLedger
print(PostgresLedger(Database(sys.argv[1])).take_in(read_ledger(sys.stdin.buffer.read()).records).new)
"""


def test_runs_of_another_ledger_are_taken_in_once_in_their_order_and_counted(database_url: str) -> None:
    ledger(database_url).append(new_record("b"))
    records = read(
        run_object("a"),
        run_object("b"),
        run_object("a"),
        run_object("c", ran_at="?"),
        run_object("a", seed=1),
    ).records

    first = ledger(database_url).take_in(records)
    again = ledger(database_url).take_in(records)

    assert first == Copied(new=2, there=2, left_out={"without a readable date": 1})
    assert again == Copied(new=0, there=4, left_out={"without a readable date": 1})
    assert ids(ledger(database_url).read()) == ["b", "a", "a"]
    assert [record.raw["seed"] for record in ledger(database_url).read().records] == [0, 0, 1]


def test_copiers_at_once_take_every_run_in_once(database_url: str) -> None:
    lines = ledger_bytes(*(run_object(f"run-{number}") for number in range(200)))
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", COPIER, database_url],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    new = [int(process.communicate(lines, timeout=60)[0]) for process in processes]

    assert sum(new) == 200
    assert ids(ledger(database_url).read()) == [f"run-{number}" for number in range(200)]


def test_nothing_is_taken_in_of_runs_that_cannot_all_be(database_url: str) -> None:
    ledger(database_url).append(new_record("first"))
    with psycopg.connect(database_url) as connection:
        connection.execute("alter table eval_results add check (suite <> 'replay')")
    records = read(run_object("a"), run_object("b", suite="replay")).records

    with pytest.raises(EvidenceError):
        ledger(database_url).take_in(records)

    assert ids(ledger(database_url).read()) == ["first"]


def test_pruned_runs_are_gone_and_what_is_no_record_stays(database_url: str) -> None:
    for number in range(3):
        ledger(database_url).append(new_record(f"run-{number}", ran_at=f"2026-10-0{number + 1}T00:00:00Z"))
    with psycopg.connect(database_url) as connection:
        connection.execute(
            "insert into eval_results (run_id, suite, mode, status, ran_at, record)"
            " values ('x', 'x', 'x', 'x', '2000-01-01', '[1]')"
        )

    found = ledger(database_url).prune(Pruning(newest=1))

    assert [record.run_id for record in found.going] == ["run-0", "run-1"]
    left = ledger(database_url).read()
    assert (ids(left), left.skipped["not_a_record"]) == (["run-2"], 1)


def test_a_database_without_a_ledger_has_nothing_to_prune(database_url: str) -> None:
    with pytest.raises(EvidenceError, match="no table eval_results"):
        ledger(database_url).prune(Pruning(newest=1))
