"""`gate drift`: the configured suites now, against the reference that was accepted last."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate import __version__
from gate.cli.console import Silence, json_option, progress_on_stderr, show, show_report
from gate.cli.narrowing import narrowing_options, overrides_of
from gate.cli.paths import config_option, out_option
from gate.errors import ExitCode, UsageError
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.plan import Drifted
    from gate.wiring import Asked


@click.command("drift")
@config_option
@out_option
@narrowing_options
@json_option
@click.option(
    "--paths-only", is_flag=True, help="Measure nothing: only say which watched files changed. Free."
)
@click.pass_obj
def command(
    environment: Mapping[str, str],
    /,
    config: Path,
    out: Path,
    *,
    as_json: bool,
    paths_only: bool,
    **narrowed: Any,
) -> int:
    """Measure the configured suites and compare them with the configured baseline, as a watch does.

    The rules, files and exit codes are those of `gate run`: 0 no drift, 1 drift, 2 could not
    measure. The report also says which watched files changed since the reference; uncommitted
    and untracked ones count.

    With --paths-only: 0 nothing watched has changed, 1 something has, 2 it cannot be told.
    """
    cancel_on_signals()
    from gate.wiring import Asked

    if paths_only and narrowed["limit"] is not None:
        raise UsageError(
            "--paths-only asks no questions that --limit could limit", remedy="leave one of them out"
        )
    asked = Asked(overrides=overrides_of(config, narrowed), purpose="drift")
    if paths_only:
        return _paths(config, asked, environment, as_json=as_json)
    from gate.pipeline import run
    from gate.store.output_folder import nothing_stale
    from gate.wiring import connect
    from gate.wiring.drift import watched_here

    clock = SystemClock()
    progress = Silence() if as_json else progress_on_stderr(clock)
    with nothing_stale(out):
        job = connect(config, out, clock=clock, progress=progress, asked=asked, environment=environment)
        job = watched_here(job, config)
        report = run(job.plan, job.ports, tool_version=__version__)
    show_report(report, out, as_json=as_json)
    return report.exit_code


def _paths(config: Path, asked: "Asked", environment: Mapping[str, str], *, as_json: bool) -> ExitCode:
    import msgspec

    from gate.core.records.ecmascript import json_text
    from gate.render.drift import changes
    from gate.wiring.drift import changes_only

    since = changes_only(config, asked, clock=SystemClock(), environment=environment)
    document = {"watched_changed": since.watched, **msgspec.to_builtins(since)}
    show(json_text(document, indent=2) if as_json else changes(since))
    return _told(since)


def _told(since: "Drifted") -> ExitCode:
    if since.watched is None:
        return ExitCode.INCONCLUSIVE
    return ExitCode.FAIL if since.watched else ExitCode.PASS
