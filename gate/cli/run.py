"""`gate run`: the straight line from the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gate import __version__
from gate.cli.console import Silence, for_this_terminal, progress_on_stderr, show
from gate.cli.narrowing import narrowing_options, overrides_of
from gate.cli.paths import ANY
from gate.process import SystemClock, cancel_on_signals


@click.command("run")
@click.option(
    "--config",
    default="eval-gate.yml",
    show_default=True,
    type=ANY,
    help="The configuration.",
)
@click.option(
    "--out",
    default="gate-out",
    show_default=True,
    type=ANY,
    help="The folder that everything is written to.",
)
@narrowing_options
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where a stopped run was: LongMemEval keeps the rows below --out; other suites begin anew.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the report as one JSON object, and nothing else."
)
@click.pass_obj
def command(
    environment: Mapping[str, str], /, config: Path, out: Path, *, resume: bool, as_json: bool, **asked: Any
) -> int:
    """Run the gate: suites, comparison, verdict. The exit code is the verdict.

    \b
    Writes receipt.json, report.json, comment.md, summary.md, junit.xml and rows/ below --out.
    With --suites, --modes or --limit it may measure less than the configuration names: such
    a run can fail, and is inconclusive where it would have passed.
    """
    cancel_on_signals()
    from gate.pipeline import run
    from gate.render.machine import machine
    from gate.store.output_folder import nothing_stale
    from gate.wiring import Asked, connect

    clock = SystemClock()
    progress = Silence() if as_json else progress_on_stderr(clock)
    with nothing_stale(out):
        job = connect(
            config,
            out,
            clock=clock,
            progress=progress,
            asked=Asked(overrides=overrides_of(config, asked), resume=resume),
            environment=environment,
        )
        report = run(job.plan, job.ports, tool_version=__version__)
    show(machine(report) if as_json else for_this_terminal(report))
    if not as_json:
        show(f"receipt: {out / 'receipt.json'}   comment: {out / 'comment.md'}")
    return report.exit_code
