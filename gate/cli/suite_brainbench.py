"""`gate suite brainbench`: the hermetic suite through gbrain's own runner, or a result it has written."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gate.cli.console import Events, progress_on_stderr, show
from gate.cli.paths import FILE
from gate.cli.suite_places import (
    PATIENCE,
    Called,
    append_to_ledger,
    asked_system,
    ends_in_ledger,
    named_gbrain,
    output_of,
)
from gate.errors import ExitCode, UsageError
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.wiring.brainbench import BrainbenchMade, BrainbenchOrder

EXITS: Final = {
    "pass": ExitCode.PASS,
    "regression": ExitCode.FAIL,
    "inconclusive": ExitCode.INCONCLUSIVE,
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything the command line said."""

    config: Path | None
    gbrain: str | None
    grant: tuple[str, ...]
    result: Path | None
    baseline: Path | None
    base: str | None
    allow_regression: str | None
    write_baseline: Path | None
    justification: str | None
    output: Path | None
    seed: int
    record: bool
    as_json: bool


@click.command("brainbench")
@click.option(
    "--config", type=FILE, help="Run it with the gbrain that is its `system`; eval-gate.yml by default."
)
@click.option("--gbrain", metavar="COMMAND", help='Run it with gbrain, called like this: "gbrain".')
@click.option("--grant", multiple=True, metavar="NAME", help="A variable that --gbrain may see.")
@click.option("--result", type=FILE, help="Judge a result that was written already.")
@click.option("--baseline", type=FILE, help="The committed figures to compare with.")
@click.option("--base", metavar="REF", help="Compare with the --baseline of this commit, branch or tag.")
@click.option("--allow-regression", metavar="REASON", help="Let what got worse pass; leaks never.")
@click.option("--write-baseline", type=FILE, metavar="FILE", help="Write this run's figures to commit.")
@click.option("--justification", metavar="REASON", help="Why they may be worse; kept in --write-baseline.")
@click.option("--output", type=FILE, metavar="ROWS", help="Where the rows go; gate-out/rows/ by default.")
@click.option("--seed", default=42, show_default=True, type=click.IntRange(0, 2**53 - 1), help="Recorded.")
@click.option("--record", is_flag=True, help="Add the run to the ledger.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: stages, progress, the end.")
@click.pass_obj
def command(environment: Mapping[str, str], /, **asked: Any) -> int:  # click passes options by name
    """Run BrainBench and compare it, whole pieces of gold first, with the committed figures.

    \b
    Exit codes: 0 nothing got worse; 1 something did, something leaked or a floor is missed;
    2 it cannot be told: other settings, no baseline, fixtures that could not be set up.
    """
    cancel_on_signals()
    from gate.core.records.run_records import run_record
    from gate.store.git_tree import GitTree
    from gate.wiring.brainbench import brainbench_facts, conduct_brainbench
    from gate.wiring.happening import Happening

    request = _Asked(**asked)
    order = _order(request, environment)
    clock = SystemClock()
    progress = Events(clock) if request.as_json else progress_on_stderr(clock)
    happening = Happening(clock, order.root, request.seed, recorded=request.record)
    with ends_in_ledger("brainbench", "n/a", happening):
        made = conduct_brainbench(order, GitTree(order.root), progress)
    if request.record:
        append_to_ledger(run_record(brainbench_facts(made, order, happening.over())), order.root)
    _tell(made, progress if isinstance(progress, Events) else None)
    return EXITS[made.decision.verdict]


def _order(asked: _Asked, environment: Mapping[str, str]) -> "BrainbenchOrder":
    from gate.wiring.brainbench import BrainbenchOrder

    gbrain = _gbrain(asked, environment)
    _check(asked, gbrain)
    output, name, root = output_of(asked.output, "brainbench", "n/a")
    return BrainbenchOrder(
        output=output,
        name=name,
        root=root,
        seed=asked.seed,
        gbrain=None if gbrain is None else gbrain.command,
        patience=PATIENCE if gbrain is None else gbrain.patience,
        result=asked.result,
        baseline=asked.baseline,
        base=asked.base,
        allowed=asked.allow_regression,
        bank=asked.write_baseline,
        justification=asked.justification,
    )


def _gbrain(asked: _Asked, environment: Mapping[str, str]) -> Called | None:
    """Who runs it: --gbrain, else the configuration's system; nobody where a result is there already."""
    if asked.gbrain is not None:
        return named_gbrain(asked.gbrain, asked.grant, environment).gbrain
    return None if asked.result is not None else asked_system(asked.config, environment).gbrain


def _check(asked: _Asked, gbrain: Called | None) -> None:
    """UsageError for options that contradict or lack each other."""
    if (gbrain is None) == (asked.result is None):
        raise UsageError(
            "brainbench needs a runner or a result, and not both",
            remedy="--gbrain COMMAND or `system: {kind: gbrain, run: [gbrain]}` runs it, "
            "--result FILE judges what was written",
        )
    if asked.gbrain is not None and asked.config is not None:
        raise UsageError("gbrain is named twice", remedy="leave out --gbrain or --config")
    needs = (
        ("--base", asked.base, "--baseline", asked.baseline),
        ("--allow-regression", asked.allow_regression, "--baseline", asked.baseline),
        ("--justification", asked.justification, "--write-baseline", asked.write_baseline),
    )
    for option, given, other, there in needs:
        if given is not None and there is None:
            raise UsageError(f"{option} needs {other}", remedy=f"name a file with {other}, or leave it out")


def _tell(made: "BrainbenchMade", events: Events | None) -> None:
    from gate.render.brainbench import cells_table

    if events is not None:
        events.event("complete", rows=made.rows.path, sha256=made.rows.sha256, **asdict(made.decision))
        return
    show(cells_table(made.result, made.decision))
    show(f"rows: {made.rows.path}   sha256: {made.rows.sha256}")
