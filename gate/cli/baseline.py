"""`gate baseline`: accept a run as the baseline, on purpose, and list what is accepted."""

from pathlib import Path

import click

from gate.cli.console import show
from gate.process import SystemClock


@click.group("baseline")
def command() -> None:
    """Accepted baselines: committed by the team, read from the base's tree on pull requests."""


@command.command("accept")
@click.argument("receipt", type=click.Path(path_type=Path))
@click.option("--note", required=True, help="Why this run is the new baseline; kept with it.")
def accept(receipt: Path, note: str) -> int:
    """Copy a finished run's receipt and rows (ids and values, no text) to .gate/baselines/GATE."""
    from gate.store.accepted import FOLDER, accept
    from gate.store.workspace import workspace_of

    root = workspace_of(receipt, Path.cwd())
    root = Path.cwd() if root == receipt.resolve().parent else root
    done = accept(receipt, note=note, now=SystemClock().now(), root=root)
    show(
        f"accepted: {FOLDER}/{done.gate} is now the run of {done.commit or 'an unknown commit'} ({done.verdict})\n"
        f"  → commit {FOLDER}/{done.gate}; it counts for pull requests once it is on their base branch"
    )
    return 0


@command.command("list")
def listing() -> int:
    """Show every accepted baseline of this workspace."""
    from gate.store.accepted import FOLDER, accepted_baselines
    from gate.store.workspace import workspace_of

    found = accepted_baselines(workspace_of(Path.cwd() / "eval-gate.yml", Path.cwd()))
    for each in found:
        commit = (each.commit or "unknown commit")[:12]
        show(f"{each.gate}: {each.accepted_at} · {commit} · {each.verdict} · {each.note}")
    if not found:
        show(f"no accepted baseline below {FOLDER}; accept one with `gate baseline accept RECEIPT --note …`")
    return 0
