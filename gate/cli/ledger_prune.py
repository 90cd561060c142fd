"""`gate ledger prune`: old runs leave a ledger."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from gate.cli.ledger_places import DATABASE, INPUT, Place, place_of
from gate.errors import ExitCode, UsageError
from gate.process import SystemClock

if TYPE_CHECKING:
    from gate.core.records.pruning import Pruned, Pruning

_LONGEST: Final = 365_000


@click.command("prune")
@INPUT
@DATABASE
@click.option("--older-than", type=click.IntRange(0, _LONGEST), metavar="DAYS", help="Only older runs go.")
@click.option(
    "--keep", type=click.IntRange(min=1), metavar="N", help="The newest N of a suite, mode and status stay."
)
@click.option("--keep-run", multiple=True, metavar="RUN", help="This run stays, a baseline for example.")
@click.option("--suite", help="Only runs of this suite go.")
@click.option("--mode", help="Only runs of this mode go.")
@click.option("--status", help="Only runs with this status go.")
@click.option("--yes", is_flag=True, help="Remove them; without it nothing is removed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document, and nothing else.")
@click.pass_obj
def command(environment: Mapping[str, str], /, *, yes: bool, as_json: bool, **asked: Any) -> int:
    """Remove old runs; without --yes, only say which.

    A run goes when it is older than --older-than days and not among the newest --keep; one of the two must be
    given. What is no run, or has no readable date, stays. Files of rows stay where they are.
    """
    if asked["older_than"] is None and asked["keep"] is None:
        raise UsageError("which runs may go?", remedy="say --older-than DAYS, --keep N, or both")
    place = place_of(asked["place"], asked["database_url"], environment)
    pruning = _pruning(asked)
    found = place.ledger.prune(pruning) if yes else _would(place, pruning)
    _tell_json(place, found, yes=yes) if as_json else _tell(place, found, yes=yes)
    return ExitCode.PASS


def _pruning(asked: Mapping[str, Any]) -> "Pruning":
    from gate.core.records.pruning import Pruning

    days = asked["older_than"]
    return Pruning(
        before=None if days is None else SystemClock().now() - timedelta(days=days),
        newest=asked["keep"],
        named=frozenset(asked["keep_run"]),
        suite=asked["suite"],
        mode=asked["mode"],
        status=asked["status"],
    )


def _would(place: Place, pruning: "Pruning") -> "Pruned":
    from gate.core.records.pruning import pruned

    return pruned(place.read().records, pruning)


def _tell(place: Place, found: "Pruned", *, yes: bool) -> None:
    from gate.cli.console import show
    from gate.core.wording import counted
    from gate.render.ledger import runs_table

    if found.going:
        show(runs_table(found.going))
    verb = "removed" if yes else "would be removed"
    show(f"{counted(len(found.going), 'run')} {verb} from {place.name}")
    for reason, count in sorted(found.staying.items()):
        show(f"{counted(count, 'run')} stay{'s' * (count == 1)}: {reason}")
    if found.going and not yes:
        show("nothing was removed yet: --yes removes them")


def _tell_json(place: Place, found: "Pruned", *, yes: bool) -> None:
    from gate.cli.console import show
    from gate.core.records.ecmascript import json_text

    document = {
        "schema_version": 1,
        "ledger": place.name,
        "removed": yes,
        "runs": [record.run_id for record in found.going],
        "staying": dict(sorted(found.staying.items())),
    }
    show(json_text(document, indent=2))
