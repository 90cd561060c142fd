"""`gate takes-quality replay`: a receipt shown again."""

from collections.abc import Mapping
from pathlib import Path

import click

from gate.cli.paths import FILE
from gate.cli.takes_options import AS_JSON, DATABASE, needed_runs, tell, verdict_code
from gate.errors import UsageError


@click.command("replay")
@click.argument("receipt", type=FILE, required=False)
@click.option("--from-db", "key", type=click.IntRange(min=1), metavar="ID", help="The stored run instead.")
@DATABASE
@AS_JSON
@click.pass_obj
def command(  # click passes options by name
    environment: Mapping[str, str],
    /,
    *,
    receipt: Path | None,
    key: int | None,
    database_url: str | None,
    as_json: bool,
) -> int:
    """Show a RECEIPT again: no model is asked, no takes are read, and no database but with --from-db.

    \b
    Exit codes: the receipt's verdict, 0 PASS, 1 FAIL, 2 INCONCLUSIVE; 65 it is no receipt of version 1.
    """
    if (receipt is None) == (key is None):
        raise UsageError("which run?", remedy="name a receipt's file, or a stored run with --from-db ID")
    if receipt is not None:
        from gate.store.takes_receipts import read_takes_receipt

        found = read_takes_receipt(receipt, str(receipt))
    else:
        found = needed_runs(database_url, environment).receipt(key or 0)
    tell(found, as_json=as_json)
    return verdict_code(found)
