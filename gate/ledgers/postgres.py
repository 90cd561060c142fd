"""The run ledger as a PostgreSQL table, for teams whose runs happen in many places at once."""

from typing import TYPE_CHECKING, Final

from gate.core.records.ledger import Ledger, RunRecord, read_line
from gate.database import Database
from gate.errors import EvidenceError
from gate.ledgers.migrations import Component, exists, migrate

if TYPE_CHECKING:
    from gate.core.records.new_record import NewRecord

EVAL_RESULTS: Final = Component(
    "eval_results",
    (
        (
            "create table if not exists eval_results ("
            " id bigint generated always as identity primary key,"
            " run_id text not null, suite text not null, mode text not null, status text not null,"
            " ran_at timestamptz not null, record json not null, stored_at timestamptz not null default now())",
            "create index if not exists eval_results_latest on eval_results (suite, mode, ran_at desc)",
            "create index if not exists eval_results_run on eval_results (run_id)",
        ),
    ),
)
"""`record` is the ledger line itself, key order and all (json, not jsonb); the columns before it are for queries."""


class PostgresLedger:
    """A ledger in a database that many processes may append to at once; errors as `Database` has them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self) -> Ledger:
        """Every record in the order it was stored; a missing table is an empty ledger that says so."""
        with self._database.reading() as session:
            if not exists(session, "eval_results"):
                return Ledger(missing=True)
            lines = [line for (line,) in session.rows("select record::text from eval_results order by id")]
        found = [read_line(line.encode(), number=number) for number, line in enumerate(lines, start=1)]
        return Ledger(
            records=tuple(each for each in found if isinstance(each, RunRecord)),
            skips=tuple(each for each in found if not isinstance(each, RunRecord)),
        )

    def append(self, record: "NewRecord") -> None:
        """Add one record, whole or not at all, and see it on the server's disk; the table is made when missing.

        EvidenceError when the record is not valid. After an UnavailableError nothing of it is there, unless
        the connection broke while the server was confirming.
        """
        from gate.core.records.new_record import record_line  # readers need none of it

        try:
            line = record_line(record).decode().rstrip("\n")
        except ValueError as error:
            raise EvidenceError(
                f"run {record.run_id} cannot be recorded: {error}",
                remedy="correct the record; schemas/run-record.v3.schema.json says what it must hold",
            ) from error
        with self._database.writing() as session:
            migrate(session, EVAL_RESULTS)
            session.run(
                "insert into eval_results (run_id, suite, mode, status, ran_at, record)"
                " values (%s, %s, %s, %s, %s::timestamptz, %s::json)",
                [record.run_id, record.suite, record.mode, record.status, record.ran_at, line],
            )
