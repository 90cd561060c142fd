"""`gate render`: a receipt, shown again exactly as the run showed it."""

from pathlib import Path
from typing import Final

import click

from gate.cli.console import for_this_terminal, show
from gate.cli.paths import ANY

FORMS: Final = ("comment", "summary", "terminal", "json", "junit")


@click.command("render")
@click.argument("receipt", type=ANY)
@click.option(
    "--as", "form", type=click.Choice(FORMS), default="comment", show_default=True, help="What to show."
)
def command(receipt: Path, form: str) -> int:
    """Show what the run printed: the pull-request comment, the job summary, the terminal's text, JSON or JUnit."""
    from gate.core.report import Report
    from gate.render.comment import comment
    from gate.render.junit import junit
    from gate.render.machine import machine
    from gate.render.summary import summary
    from gate.store.receipts import read_any_receipt

    renderers = {
        "comment": comment,
        "summary": summary,
        "terminal": for_this_terminal,
        "json": machine,
        "junit": junit,
    }
    report: Report = read_any_receipt(receipt, str(receipt))
    show(renderers[form](report))
    return 0
