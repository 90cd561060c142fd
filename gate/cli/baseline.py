"""`gate baseline`: accept a run as the baseline, on purpose, and list what is accepted."""

from pathlib import Path
from typing import Any

import click

from gate.cli.console import complain, show
from gate.cli.paths import ANY
from gate.core.wording import counted, printable
from gate.errors import UsageError
from gate.process import SystemClock


@click.group("baseline")
def command() -> None:
    """Accepted baselines: committed by the team, read from the base's tree on pull requests.

    `publish` makes another kind: captured queries, for `gate suite replay`.
    """


@command.command("accept")
@click.argument("receipt", type=ANY)
@click.option("--note", required=True, help="Why this run is the new baseline; kept with it.")
def accept(receipt: Path, note: str) -> int:
    """Copy a finished run's receipt and rows (ids and values, no text) to .gate/baselines/GATE."""
    from gate.store.accepted import FOLDER, accept
    from gate.store.workspace import workspace_of

    root = workspace_of(receipt, Path.cwd())
    root = Path.cwd() if root == receipt.resolve().parent else root
    done = accept(receipt, note=note, now=SystemClock().now(), root=root)
    if done.verdict != "pass":
        said = f"note: this run's verdict is {done.verdict}; later runs are compared with its numbers all the same"
        complain(said)
    dirty = _dirty(root, receipt)
    if dirty:
        shown = ", ".join(map(printable, dirty[:3])) + (", …" if len(dirty) > 3 else "")
        complain(
            f"note: the work tree holds {counted(len(dirty), 'uncommitted file')} ({shown}): if they were there when "
            "this run measured, its commit alone does not give these numbers again"
        )
    show(
        f"accepted: {FOLDER}/{done.gate} is now the run of {done.commit or 'an unknown commit'} ({done.verdict})\n"
        f"  → commit {FOLDER}/{done.gate}; it counts for pull requests once it is on their base branch"
    )
    return 0


def _dirty(root: Path, receipt: Path) -> tuple[str, ...]:
    """What no commit holds beside the run's own files and accepted baselines; nothing where git cannot tell."""
    from gate.ports import NotHereError
    from gate.store.accepted import FOLDER
    from gate.store.work_tree import uncommitted_beside

    try:
        return uncommitted_beside(root, (root / FOLDER, receipt, receipt.parent))
    except NotHereError:
        return ()


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


@command.command("publish")
@click.option(
    "--from",
    "source",
    required=True,
    type=ANY,
    help="Captured queries.",
)
@click.option(
    "--to",
    "target",
    required=True,
    type=ANY,
    help="The baseline to write.",
)
@click.option("--label", help="Its name; the file's own by default.")
@click.option("--threshold-jaccard", "jaccard", type=float, default=0.85, show_default=True)
@click.option("--threshold-top1", "top1", type=float, default=0.80, show_default=True)
@click.option("--threshold-latency-multiplier", "multiplier", type=float, default=2.0, show_default=True)
@click.option("--force", is_flag=True, help="Overwrite a baseline that is there.")
def publish(**asked: Any) -> int:  # click passes every option by name
    """Write captured queries as a replay baseline: sorted, each once, with hashes and thresholds."""
    from gate.core.records.run_records import ran_at
    from gate.core.replay.thresholds import Thresholds
    from gate.store.capture_files import label_of, publish, read_capture_file, refuse_existing

    try:
        thresholds = Thresholds(
            jaccard=asked["jaccard"], top1=asked["top1"], latency_multiplier=asked["multiplier"]
        )
    except ValueError as error:
        raise UsageError(str(error), remedy="NaN and what lies out of range would never be missed") from error
    target: Path = asked["target"]
    if not asked["force"]:
        refuse_existing(target)
    label = asked["label"] or label_of(target)
    moment = ran_at(SystemClock().now())
    captured = read_capture_file(asked["source"])
    rows = publish(captured, target, label=label, published_at=moment, thresholds=thresholds)
    show(f"published: {target}, {rows} queries\n  → replay them with `gate suite replay --against {target}`")
    return 0
