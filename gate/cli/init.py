"""`gate init`: the first configuration and the workflows, made from what the repository holds."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from gate.cli.console import show
from gate.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from gate.core.plan import Better
    from gate.store.starter_files import StarterFile
    from gate.wiring.adoption import Adoption, Wish


@click.command("init")
@click.option("--force", is_flag=True, help="Write over files that are there already.")
@click.option("--dry-run", is_flag=True, help="Show every file, and write none.")
@click.option("--workflows", is_flag=True, help="Only the workflows, for the configuration that is there.")
@click.option(
    "--drift", is_flag=True, help="Only the workflow that watches for drift; with --workflows, too."
)
@click.option("--sweep", is_flag=True, help="Only the workflow of the release sweep; with --workflows, too.")
@click.option("--action", metavar="OWNER/REPO@REF", help="Where the action lies, for the workflows' `uses:`.")
@click.option(
    "--better",
    multiple=True,
    metavar="METRIC=higher|lower",
    help="Which direction of a metric is better, where its name does not tell. May be repeated.",
)
def command(*, force: bool, dry_run: bool, action: str | None, better: tuple[str, ...], **parts: bool) -> int:
    """Write eval-gate.yml and the two workflows into the repository at the working folder.

    Nothing is asked that can be found out: the default branch, the rows, their metrics, the ledger of runs. Nothing
    that is there already is written over without --force.
    """
    from gate.store.starter_files import check_free, checked_action, is_there, write_all
    from gate.wiring.adoption import Wish

    root = Path.cwd()
    wish = Wish(
        root=root, action=None if action is None else checked_action(action), better=_directions(better)
    )
    planned = _planned(wish, parts)
    if not force:
        check_free(root, planned.files)
    new = [one for one in planned.files if not is_there(root, one)]
    if not dry_run:
        write_all(root, new)
    show(_text(planned, new, "would write" if dry_run else "wrote"))
    if dry_run:
        show(_contents(planned))
    return ExitCode.PASS


def _planned(wish: "Wish", parts: Mapping[str, bool]) -> "Adoption":
    """The parts that are asked for by their options, or else everything that a first start needs."""
    from gate.wiring.adoption import WORKFLOWS, adoption, workflows_alone

    asked = [part for part in WORKFLOWS if parts[part]]
    return workflows_alone(wish, asked) if asked else adoption(wish)


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


def _text(planned: "Adoption", new: "Sequence[StarterFile]", verb: str) -> str:
    from gate.core.wording import printable

    return "\n".join(map(printable, _lines(planned, new, verb)))


def _lines(planned: "Adoption", new: "Sequence[StarterFile]", verb: str) -> Iterator[str]:
    unchanged = [one for one in planned.files if one not in new]
    yield from _section("found", planned.found)
    yield from _section(verb, [one.path for one in new])
    yield from _section("unchanged", [one.path for one in unchanged])
    yield from _section("to do", [f"{number}. {line}" for number, line in enumerate(planned.to_do, 1)])


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield title
        yield from (f"  {line}" for line in lines)


def _contents(planned: "Adoption") -> str:
    return "\n".join(f"\n──── {one.path} ────\n{one.data.decode()}" for one in planned.files)
