"""`gate run`: the straight line from the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate import __version__
from gate.cli.console import Silence, json_option, progress_on_stderr, show, show_report
from gate.cli.narrowing import narrowing_options, overrides_of
from gate.cli.paths import config_option, out_option
from gate.cli.shard import shard_of_option
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.shards import Shard
    from gate.wiring import Job


@click.command("run")
@config_option
@out_option
@narrowing_options
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where a stopped run was: LongMemEval keeps the rows below --out; other suites begin anew.",
)
@click.option("--shard", metavar="I/N", help="Measure only this part, and judge nothing; `gate merge` does.")
@json_option
@click.pass_obj
def command(
    environment: Mapping[str, str],
    /,
    config: Path,
    out: Path,
    *,
    resume: bool,
    shard: str | None,
    as_json: bool,
    **asked: Any,
) -> int:
    """Run the gate: suites, comparison, verdict. The exit code is the verdict.

    \b
    Writes receipt.json, report.json, comment.md, summary.md, junit.xml and rows/ below --out.
    With --suites, --modes or --limit it may measure less than the configuration names: such
    a run can fail, and is inconclusive where it would have passed. With --shard it writes rows/
    alone, and the exit code says only whether the suites ran as they were asked to.
    """
    cancel_on_signals()
    from gate.pipeline import run
    from gate.store.output_folder import nothing_stale
    from gate.wiring import Asked, connect

    part = None if shard is None else shard_of_option(shard)
    clock = SystemClock()
    progress = Silence() if as_json else progress_on_stderr(clock)
    with nothing_stale(out):
        job = connect(
            config,
            out,
            clock=clock,
            progress=progress,
            asked=Asked(overrides=overrides_of(config, asked), resume=resume, shard=part),
            environment=environment,
        )
        if part is not None:
            return _measured(job, part, as_json=as_json)
        report = run(job.plan, job.ports, tool_version=__version__)
    show_report(report, out, as_json=as_json)
    return report.exit_code


def _measured(job: "Job", part: "Shard", *, as_json: bool) -> int:
    import msgspec

    from gate.core.records.ecmascript import json_text
    from gate.render.leg import leg_text
    from gate.wiring.sharding import measured

    leg = measured(job, part)
    show(json_text(msgspec.to_builtins(leg), indent=2) if as_json else leg_text(leg))
    return leg.exit_code
