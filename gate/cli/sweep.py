"""`gate sweep`: every suite of the configuration in every search mode, before a release."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate import __version__
from gate.cli.console import Silence, json_option, progress_on_stderr, show, show_report
from gate.cli.narrowing import narrowing_options, overrides_of
from gate.cli.paths import ANY, config_option, out_option
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.report import Report
    from gate.wiring.sweeping import Sweeping


@click.command("sweep")
@config_option
@out_option
@click.option(
    "--ledger",
    type=ANY,
    metavar="FILE",
    help="Record the runs there; eval-results.jsonl below --out by default.",
)
@narrowing_options
@click.option("--yes", "-y", is_flag=True, help="Run although the estimate is over the budget.")
@json_option
@click.pass_obj
def command(
    environment: Mapping[str, str],
    /,
    config: Path,
    out: Path,
    ledger: Path | None,
    *,
    yes: bool,
    as_json: bool,
    **asked: Any,
) -> int:
    """Measure every suite in every search mode, by the rules of the configuration.

    \b
    First comes what it may cost; more than `budget-usd` is refused without --yes. Beside what
    `gate run` writes: release.md, modes.md, modes.json and eval-results.jsonl below --out.
    Exit codes: 0 pass, 1 fail, 2 inconclusive, or over the budget; 130, 143 cancelled, what has
    ended is recorded.
    """
    cancel_on_signals()
    from gate.store.output_folder import nothing_stale
    from gate.store.work_tree import uncommitted_beside
    from gate.wiring import Asked, connect
    from gate.wiring.sweeping import Wanted, sweeping

    clock = SystemClock()
    written = (out,) if ledger is None else (out, ledger)
    overrides = overrides_of(config, asked)
    with nothing_stale(out):
        job = connect(
            config,
            out,
            clock=clock,
            progress=Silence() if as_json else progress_on_stderr(clock),
            asked=Asked(overrides=overrides, purpose="sweep"),
            environment=environment,
        )
        wanted = Wanted(
            overrides=overrides,
            ledger=ledger,
            confirmed=yes,
            local=lambda: uncommitted_beside(job.around.root, written),
        )
        report = _report(sweeping(job, wanted), as_json=as_json)
    _tell(report, out, as_json=as_json)
    return report.exit_code


def _report(asked: "Sweeping", *, as_json: bool) -> "Report":
    """The sweep's report, or that of a sweep that was not begun."""
    from gate.wiring.sweeping import estimate_lines, refused, sweep

    if not as_json:
        show("\n".join(estimate_lines(asked)) + "\n")
    why = asked.over_budget
    if why is None:
        return sweep(asked, tool_version=__version__).report
    click.echo(
        f"over the budget: {why}\n  → --limit asks less, `budget-usd` allows more, --yes runs all the same",
        err=True,
    )
    return refused(asked, why, tool_version=__version__)


def _tell(report: "Report", out: Path, *, as_json: bool) -> None:
    pages = {"release page": "release.md", "modes": "modes.md"} if report.complete else {}
    show_report(report, out, as_json=as_json, beside=pages)
