"""The run ledger as a PostgreSQL table, for teams whose runs happen in many places at once."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, LiteralString

from gate.core.records.ledger import Ledger, RunRecord, read_line
from gate.database import Database, Session
from gate.errors import EvidenceError
from gate.ledgers.migrations import Component, exists, migrate

if TYPE_CHECKING:
    from gate.core.records.copied import Copied, RecordCopy
    from gate.core.records.new_record import NewRecord
    from gate.core.records.pruning import Pruned, Pruning

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

_COPYING: Final = 0x636F7079  # "copy": whoever copies runs into the ledger waits for whoever does so already
_THERE: Final[LiteralString] = "select record::text from eval_results where run_id = any(%s)"
_COPY: Final[LiteralString] = (
    "insert into eval_results (run_id, suite, mode, status, ran_at, record)"
    " select run_id, suite, mode, status, ran_at, record from"
    " unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::json[]) with ordinality"
    " as copied (run_id, suite, mode, status, ran_at, record, place) order by place"
)


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
        return _ledger(lines)

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

    def take_in(self, records: Sequence[RunRecord]) -> "Copied":
        """Add runs that another ledger has, all or none; a run that is there already is not added again.

        A run is the same when its record says the same. Secrets are taken out; what a database cannot hold is
        counted. The table is made when missing.
        """
        from gate.core.records.copied import Copied, RecordCopy, copy_of, each_once

        copies = [copy_of(record) for record in records]
        fitting = [each for each in copies if isinstance(each, RecordCopy)]
        once = each_once(fitting)
        with self._database.writing() as session:
            migrate(session, EVAL_RESULTS)
            session.run("select pg_advisory_xact_lock(%s)", [_COPYING])
            run_ids = sorted({each.record.run_id for each in once.values()})
            stored = _ledger(line for (line,) in session.rows(_THERE, [run_ids]))
            known = [copy_of(record) for record in stored.records]
            there = {each.digest for each in known if isinstance(each, RecordCopy)}
            new = [each for digest, each in once.items() if digest not in there]
            _copy(session, new)
        return Copied(
            new=len(new),
            there=len(fitting) - len(new),
            left_out=Counter(each for each in copies if not isinstance(each, RecordCopy)),
        )

    def prune(self, pruning: "Pruning") -> "Pruned":
        """Remove the runs that may go, all or none; what is no record stays. EvidenceError where there is no table."""
        from gate.core.records.pruning import pruned

        with self._database.writing() as session:
            if not exists(session, "eval_results"):
                raise EvidenceError(
                    "the database has no table eval_results", remedy="check the database's URL"
                )
            rows = list(session.rows("select id, record::text from eval_results order by id"))
            found = pruned(_ledger(line for _, line in rows).records, pruning)
            keys = [rows[record.line - 1][0] for record in found.going]
            session.run("delete from eval_results where id = any(%s)", [keys])
        return found


def _ledger(lines: Iterable[str]) -> Ledger:
    found = [read_line(line.encode(), number=number) for number, line in enumerate(lines, start=1)]
    return Ledger(
        records=tuple(each for each in found if isinstance(each, RunRecord)),
        skips=tuple(each for each in found if not isinstance(each, RunRecord)),
    )


def _copy(session: Session, copies: Sequence["RecordCopy"]) -> None:
    names = ("run_id", "suite", "mode", "status", "moment")
    columns = [[getattr(each.record, name) for each in copies] for name in names]
    session.run(_COPY, [*columns, [each.line for each in copies]])
