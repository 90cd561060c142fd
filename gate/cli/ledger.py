"""`gate ledger`: the runs that were recorded."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from gate.cli import ledger_import, ledger_prune
from gate.cli.console import show, show_exactly
from gate.cli.ledger_places import DATABASE, INPUT, place_of
from gate.cli.paths import FILE
from gate.errors import EvidenceError, ExitCode

if TYPE_CHECKING:
    from gate.core.records.ledger import Ledger, RunRecord

_SUITE: Final = click.option("--suite", help="Only this suite.")
_MODE: Final = click.option("--mode", help="Only this mode.")
_STATUS: Final = click.option("--status", help="Only runs with this status: completed, failed, …")
_LAST: Final = click.option("--last", type=click.IntRange(min=1), help="Only the last so many.")


@click.group("ledger")
def command() -> None:
    """Runs in the order they were recorded, .gbrain-evals/eval-results.jsonl by default.

    Where GATE_DATABASE_URL or --database-url names a database, its ledger is meant; --input names a file.
    """


command.add_command(ledger_import.command)
command.add_command(ledger_prune.command)


@command.command("list")
@INPUT
@DATABASE
@_SUITE
@_MODE
@_STATUS
@_LAST
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, and nothing else.")
@click.pass_obj
def listing(
    environment: Mapping[str, str],
    /,
    *,
    as_json: bool,
    place: str | None,
    database_url: str | None,
    **wanted: str | int | None,
) -> int:
    """A line a run; what is no run is counted."""
    from gate.render.ledger import runs_table

    ledger = place_of(place, database_url, environment).read()
    records = _wanted(ledger, wanted)
    if as_json:
        show_exactly(_lines(records))
    else:
        _remark(ledger)
        show(runs_table(records))
    return ExitCode.PASS


@command.command("show")
@INPUT
@DATABASE
@click.argument("run")
@click.option("--json", "as_json", is_flag=True, help="On one line.")
@click.pass_obj
def showing(
    environment: Mapping[str, str],
    /,
    *,
    place: str | None,
    database_url: str | None,
    run: str,
    as_json: bool,
) -> int:
    """Everything one RUN says about itself; the last of several with its id."""
    from gate.render.ledger import run_text

    ledger = place_of(place, database_url, environment).read()
    found = [record for record in ledger.records if record.run_id == run]
    if not found:
        raise EvidenceError(f"there is no run {run!a} in the ledger", remedy="`gate ledger list` shows them")
    if len(found) > 1:
        click.echo(f"{len(found)} runs have this id: the last one", err=True)
    show(_lines(found[-1:]) if as_json else run_text(found[-1]))
    return ExitCode.PASS


@command.command("export")
@INPUT
@DATABASE
@_SUITE
@_MODE
@_STATUS
@_LAST
@click.option("--format", "kind", type=click.Choice(("jsonl", "csv")), default="jsonl", show_default=True)
@click.option(
    "--output",
    type=FILE,
    help="A file, instead of here.",
)
@click.pass_obj
def export(
    environment: Mapping[str, str],
    /,
    *,
    kind: Literal["jsonl", "csv"],
    output: Path | None,
    place: str | None,
    database_url: str | None,
    **wanted: str | int | None,
) -> int:
    """Runs as JSON lines, as they were recorded, or as CSV with a column a metric."""
    from gate.render.ledger import runs_csv
    from gate.store.atomic import write_atomic

    ledger = place_of(place, database_url, environment).read()
    records = _wanted(ledger, wanted)
    text = runs_csv(records) if kind == "csv" else _lines(records)
    _remark(ledger)
    if output is None:
        show_exactly(text)
    else:
        write_atomic(output, text.encode())
        show(f"exported: {len(records)} runs to {output}")
    return ExitCode.PASS


def _wanted(ledger: "Ledger", wanted: dict[str, str | int | None]) -> "list[RunRecord]":
    asked = {name: wanted[name] for name in ("suite", "mode", "status") if wanted[name] is not None}
    kept = [
        record
        for record in ledger.records
        if all(getattr(record, name) == value for name, value in asked.items())
    ]
    last = wanted["last"]
    return kept[-last:] if isinstance(last, int) else kept


def _remark(ledger: "Ledger") -> None:
    from gate.render.ledger import left_out

    for remark in left_out(ledger):
        click.echo(remark, err=True)


def _lines(records: "list[RunRecord]") -> str:
    from gate.core.records.ecmascript import json_text

    return "".join(f"{json_text(dict(record.raw))}\n" for record in records)
