"""`gate takes-quality trend`: the runs there were."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gate.cli.paths import FILE
from gate.cli.takes_options import AS_JSON, DATABASE, LEDGER, database_of, ledger_of, runs_of
from gate.errors import ExitCode


@click.command("trend")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(0), help="At most 200.")
@click.option("--rubric-version", metavar="V", help="Only runs judged by this rubric.")
@click.option(
    "--plot",
    type=FILE,
    metavar="FILE.svg",
    help="Also draw the dimensions.",
)
@DATABASE
@LEDGER
@AS_JSON
@click.pass_obj
def command(
    environment: Mapping[str, str], /, limit: int, plot: Path | None, **asked: Any
) -> int:  # click passes options by name
    """List the runs of the database, where there is one, its run ledger included, and of the ledger's file.

    Scores of different rubrics do not mean the same: --rubric-version keeps to one, --plot never joins two.
    """
    from gate.cli.console import show
    from gate.core.judging.trend import trend_document
    from gate.core.records.ecmascript import json_text
    from gate.ledgers.postgres import PostgresLedger
    from gate.render.takes_quality import trend_text
    from gate.render.trend_chart import trend_chart
    from gate.render.trend_plot import trend_plot
    from gate.store.atomic import write_atomic
    from gate.wiring.takes_history import trend

    database = database_of(asked["database_url"], environment)
    ledgers = [ledger_of(asked["ledger"]), *([] if database is None else [PostgresLedger(database)])]
    found = trend(runs_of(database), ledgers, limit=limit, rubric=asked["rubric_version"])
    if found.unreadable:
        click.echo(f"{found.unreadable} records of the ledger do not say enough to be shown", err=True)
    if plot is not None:
        write_atomic(plot, trend_plot(found.rows).encode())
        click.echo(f"plot: {plot}", err=True)
    if asked["as_json"]:
        show(json_text(trend_document(found.rows), indent=2))
    else:
        show("\n\n".join(filter(None, (trend_text(found.rows), trend_chart(found.rows)))))
    return ExitCode.PASS
