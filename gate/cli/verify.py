"""`gate verify`: a receipt's verdict, derived again from its files."""

from pathlib import Path

import click

from gate.cli.console import show
from gate.cli.paths import ANY


@click.command("verify")
@click.argument("receipt", type=ANY)
def command(receipt: Path) -> int:
    """Re-derive a receipt's verdict from the rows it names, offline.

    Exit code 0 when every byte and the verdict agree, whatever the verdict is; 65 when anything does not.
    """
    from gate.errors import EvidenceError
    from gate.pipeline import differences
    from gate.wiring import reopen

    report, rows, remarks = reopen(receipt, Path.cwd())
    found = differences(report, rows)
    if found:
        raise EvidenceError(
            f"{receipt}: does not re-derive: {'; '.join(found)}",
            remedy="the receipt or its rows were changed, or another version of the gate wrote it: run the gate again",
        )
    for remark in remarks:
        click.echo(f"note: {remark}", err=True)
    reason = f" ({report.reason})" if report.reason else ""
    show(f"verified: {report.verdict}{reason} re-derives from {len(report.suites)} suite(s) of rows")
    return 0
