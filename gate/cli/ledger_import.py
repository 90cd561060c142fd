"""`gate ledger import`: ledgers and receipts on disk go into the database."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.ledger_places import DATABASE, database_place
from gate.cli.paths import ANY
from gate.errors import ExitCode

if TYPE_CHECKING:
    from gate.wiring.ledger_import import Imported


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=ANY, metavar="FILE…")
@DATABASE
@click.option("--json", "as_json", is_flag=True, help="One JSON document, and nothing else.")
@click.pass_obj
def command(
    environment: Mapping[str, str],
    /,
    *,
    files: Sequence[Path],
    database_url: str | None,
    as_json: bool,
) -> int:
    """Bring ledgers (JSON lines) and takes-quality receipts into the database; what is there already is not added.

    A folder stands for the ledger and the receipts in it. Every file is read before anything is stored.
    """
    from gate.wiring.ledger_import import import_all

    ledger, url = database_place(database_url, environment)
    found = import_all(files, ledger, url)
    _tell_json(found) if as_json else _tell(found)
    return ExitCode.PASS


def _tell(found: "Imported") -> None:
    from gate.cli.console import show
    from gate.core.wording import counted

    show(f"runs: {found.runs.new} new, {found.runs.there} there already")
    show(f"receipts: {found.receipts_new} new, {found.receipts_there} there already")
    for reason, count in found.left_out.items():
        show(f"{counted(count, 'line')} left out: {reason}")
    if found.receipts_stopped:
        show(f"{counted(found.receipts_stopped, 'receipt')} left out: of runs that were stopped")


def _tell_json(found: "Imported") -> None:
    from gate.cli.console import show
    from gate.core.records.ecmascript import json_text

    document = {
        "schema_version": 1,
        "runs": {"new": found.runs.new, "there": found.runs.there},
        "receipts": {
            "new": found.receipts_new,
            "there": found.receipts_there,
            "stopped": found.receipts_stopped,
        },
        "left_out": dict(found.left_out),
    }
    show(json_text(document, indent=2))
