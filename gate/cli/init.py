"""`gate init`: the first configuration and the workflows, made from what the repository holds."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from gate.cli.console import show
from gate.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from gate.core.plan import Better
    from gate.wiring.adoption import Adoption, Wish


@click.command("init")
@click.option("--force", is_flag=True, help="Write over files that are there already.")
@click.option("--dry-run", is_flag=True, help="Show every file, and write none.")
@click.option("--workflows", is_flag=True, help="Only the workflows, for the configuration that is there.")
@click.option(
    "--drift", is_flag=True, help="Only the workflow that watches for drift; with --workflows, too."
)
@click.option("--action", metavar="OWNER/REPO@REF", help="Where the action lies, for the workflows' `uses:`.")
@click.option(
    "--better",
    multiple=True,
    metavar="METRIC=higher|lower",
    help="Which direction of a metric is better, where its name does not tell. May be repeated.",
)
def command(
    force: bool,  # noqa: FBT001 - click passes options by name
    dry_run: bool,  # noqa: FBT001 - likewise
    workflows: bool,  # noqa: FBT001 - likewise
    drift: bool,  # noqa: FBT001 - likewise
    action: str | None,
    better: tuple[str, ...],
) -> int:
    """Write eval-gate.yml and the two workflows into the repository at the working folder.

    Nothing is asked that can be found out: the default branch, the rows, their metrics, the ledger of runs. Nothing
    that is there already is written over without --force.
    """
    from gate.store.starter_files import check_free, checked_action, write_all
    from gate.wiring.adoption import Wish

    root = Path.cwd()
    wish = Wish(
        root=root, action=None if action is None else checked_action(action), better=_directions(better)
    )
    planned = _planned(wish, workflows=workflows, drift=drift)
    if not force:
        check_free(root, planned.files)
    if not dry_run:
        write_all(root, planned.files)
    show(_text(planned, "would write" if dry_run else "wrote"))
    if dry_run:
        show(_contents(planned))
    return ExitCode.PASS


def _planned(wish: "Wish", *, workflows: bool, drift: bool) -> "Adoption":
    from gate.wiring.adoption import adoption, drift_watch, together, workflows_alone

    if drift and workflows:
        return together(workflows_alone(wish), drift_watch(wish))
    if drift:
        return drift_watch(wish)
    return workflows_alone(wish) if workflows else adoption(wish)


def _directions(given: Sequence[str]) -> "Mapping[str, Better]":
    found: dict[str, Better] = {}
    for one in given:
        metric, _, word = one.rpartition("=")
        if not metric or word not in {"higher", "lower"}:
            raise UsageError(
                f"--better {one!r} names no direction", remedy="write it as METRIC=higher or METRIC=lower"
            )
        found[metric] = cast("Better", word)
    return found


def _text(planned: "Adoption", verb: str) -> str:
    from gate.core.wording import printable

    return "\n".join(map(printable, _lines(planned, verb)))


def _lines(planned: "Adoption", verb: str) -> Iterator[str]:
    yield "found"
    yield from (f"  {line}" for line in planned.found)
    yield verb
    yield from (f"  {one.path}" for one in planned.files)
    yield "to do"
    yield from (f"  {number}. {line}" for number, line in enumerate(planned.to_do, 1))


def _contents(planned: "Adoption") -> str:
    return "\n".join(f"\n──── {one.path} ────\n{one.data.decode()}" for one in planned.files)
