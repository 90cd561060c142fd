"""The run ledger that many places share, where the environment names one."""

from collections.abc import Mapping

from gate.database import URL_VARIABLE, Database
from gate.ports import RunLedger


def shared_ledger(environment: Mapping[str, str]) -> RunLedger | None:
    """The ledger in PostgreSQL; nothing is connected before it is read. None = no database is named."""
    url = environment.get(URL_VARIABLE)
    if not url:
        return None
    from gate.ledgers.postgres import PostgresLedger

    return PostgresLedger(Database(url))
