"""A takes-quality run is kept, and said where."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gate.wiring.happening import Happening
    from gate.wiring.takes_quality import PanelMade
    from gate.wiring.takes_record import Places


def kept(made: "PanelMade", places: "Places", happening: "Happening") -> None:
    """Keep a run and say where; an earlier one that was taken again is told to the database alone."""
    from gate.wiring.takes_record import remember

    if made.unreadable:
        one = made.unreadable == 1
        click.echo(
            f"{made.unreadable} earlier receipt{'s' * (not one)} of that name cannot be read and "
            f"{'was' if one else 'were'} not considered",
            err=True,
        )
    if made.run is None:
        click.echo(f"reused the run of {made.receipt.ts}: no judge was asked", err=True)
        if places.output is not None:
            click.echo(
                f"{places.output}: no rows are written, an earlier run was taken instead (without --reuse they are)",
                err=True,
            )
        if places.runs is not None:
            places.runs.add(made.receipt)
        return
    remembered = remember(made, places, happening.over())
    click.echo(f"receipt: {remembered.receipt}", err=True)
    if remembered.rows is not None:
        click.echo(f"rows: {remembered.rows}", err=True)
    if remembered.stored is not None:
        state = "stored as run" if remembered.stored.new else "the database keeps the first equal run,"
        click.echo(f"database: {state} {remembered.stored.id}", err=True)
