"""`gate merge`: the rows of sharded jobs become one run, which is then judged."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import progress_on_stderr, show, show_report
from gate.cli.narrowing import narrowing_options, overrides_of
from gate.cli.paths import ANY
from gate.cli.suite_places import CONFIG
from gate.errors import ExitCode
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.wiring.merging import Merging


@click.command("merge")
@click.argument("folders", metavar="OUT_DIR...", nargs=-1, required=True, type=ANY)
@click.option(
    "--out",
    default="gate-out",
    show_default=True,
    type=ANY,
    help="The folder the whole rows, and what the gate writes, go to.",
)
@click.option(
    "--config",
    type=ANY,
    help="Judge by this configuration, the one the shards were measured by; eval-gate.yml by default.",
)
@narrowing_options
@click.pass_obj
def command(
    environment: Mapping[str, str],
    /,
    folders: tuple[Path, ...],
    out: Path,
    config: Path | None,
    **asked: Any,
) -> int:
    """Join the shards below OUT_DIR... into OUT/rows/ and judge them, where there is a configuration.

    \b
    What `gate run --shard` has measured stands in for running the configuration's suites, and
    the verdict is that of one whole run. What `gate suite longmemeval --shard` has measured is
    judged where the configuration names the merged rows as `suite: rows`.

    \b
    Every question must be there exactly once, and all shards of one run. A shard that is
    missing or not finished is inconclusive, exit code 2, and never a success; shards of
    different runs are an invalid input, exit code 65. Of a shard that was run again the most
    complete file counts, of equals the newest attempt (attempt-10 after attempt-2), and the
    rows that differ are counted.
    """
    cancel_on_signals()
    from gate.store.output_folder import nothing_stale
    from gate.wiring.merging import merge_folders

    with nothing_stale(out):
        merging = merge_folders(folders, out)
        for note in merging.notes:
            click.echo(note, err=True)
        _tell(merging)
        judged_by = CONFIG if config is None and CONFIG.exists() else config
        if judged_by is not None:
            return _judged(merging, judged_by, out, environment, asked)
        merging.check_anything()
    click.echo(f"joined, not judged: there is no {CONFIG}, and --config names none", err=True)
    return ExitCode.INCONCLUSIVE if merging.missing else ExitCode.PASS


def _tell(merging: "Merging") -> None:
    from gate.render.longmemeval import recall_table

    for run in merging.runs:
        show(f"{recall_table(run.summary)}\nrows: {run.path}\n")
    for missing in merging.missing:
        click.echo(f"inconclusive: {missing}", err=True)


def _judged(
    merging: "Merging", config: Path, out: Path, environment: Mapping[str, str], asked: Mapping[str, Any]
) -> int:
    from gate import __version__
    from gate.pipeline import run
    from gate.store.workspace import workspace_of
    from gate.wiring import Asked, connect
    from gate.wiring.merged_suites import joined_job

    gaps = merging.fill_gaps(config, workspace_of(config, Path.cwd()), out)
    clock = SystemClock()
    job = connect(
        config,
        out,
        clock=clock,
        progress=progress_on_stderr(clock),
        asked=Asked(overrides=overrides_of(config, asked)),
        environment=environment,
    )
    merging.check_judged_by(job.plan)
    merged = joined_job(job, merging.parts)
    for said in (*gaps, *merged.said, *merged.missing):
        click.echo(said, err=True)
    report = run(merged.job.plan, merged.job.ports, tool_version=__version__)
    show_report(report, out)
    return report.exit_code
