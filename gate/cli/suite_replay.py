"""`gate suite replay`: captured queries in, rows and their stability out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Events, progress_on_stderr, show
from gate.cli.paths import FILE
from gate.cli.suite_places import (
    FEATURES,
    PATIENCE,
    AskedSystem,
    all_required,
    append_to_ledger,
    asked_system,
    ends_in_ledger,
    named_gbrain,
    output_of,
)
from gate.errors import ExitCode, UsageError
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.records.run_records import Occasion
    from gate.ports import Progress
    from gate.wiring.replaying import ReplayMade, ReplayOrder


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything the command line said."""

    against: Path
    mode: str
    config: Path | None
    corpus: str | None
    gbrain: str | None
    grant: tuple[str, ...]
    gbrain_gate: bool
    compare_limit: int | None
    limit: int | None
    output: Path | None
    seed: int
    threshold_jaccard: float | None
    threshold_top1: float | None
    threshold_latency_multiplier: float | None
    require: tuple[str, ...]
    deadline: float | None
    record: bool
    show_text: bool
    as_json: bool


@click.command("replay")
@click.option("--against", required=True, type=FILE, help="Captured queries, or a baseline of them.")
@click.option("--mode", default="balanced", show_default=True, help="The search mode to ask for.")
@click.option(
    "--config", type=FILE, help="Ask its `system`; eval-gate.yml by default, else the built-in one."
)
@click.option(
    "--corpus", metavar="DOCS", help="Documents to hand over first; the built-in system needs them."
)
@click.option("--gbrain", metavar="COMMAND", help='Replay with gbrain instead, called like this: "gbrain".')
@click.option("--grant", multiple=True, metavar="NAME", help="A variable that --gbrain may see.")
@click.option("--gbrain-gate", is_flag=True, help="Also hear gbrain's own gate about the baseline.")
@click.option("--compare-limit", type=click.IntRange(1, 10_000), help="Pages a query; k is this.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many captures.")
@click.option("--output", type=FILE, metavar="ROWS", help="Where the rows go; gate-out/rows/ by default.")
@click.option("--seed", default=42, show_default=True, type=click.IntRange(0, 2**53 - 1), help="Recorded.")
@click.option("--threshold-jaccard", type=float, help="The least mean Jaccard cut at k.")
@click.option("--threshold-top1", type=float, help="The least rate of equal first pages.")
@click.option("--threshold-latency-multiplier", type=float, help="The greatest ratio of mean latencies.")
@click.option(
    "--require", multiple=True, type=click.Choice(FEATURES), help="Fail where it silently did without."
)
@click.option(
    "--deadline", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop asking after this time."
)
@click.option("--record", is_flag=True, help="Add the run to the ledger.")
@click.option("--show-text", is_flag=True, help="Write queries into the rows.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: stages, progress, the end.")
@click.pass_obj
def command(environment: Mapping[str, str], /, **asked: Any) -> int:  # click passes options by name
    """Ask captured queries again and say how far the answers moved.

    \b
    Thresholds are the baseline's own or those given here; errored queries count against them.
    Exit codes: 0 they hold, or there are none; 1 one is missed, a guard failed, or everything
    is an error; 2 the deadline came first or there was nothing to ask; 130, 143 cancelled, the rows so far are kept.
    """
    cancel_on_signals()
    from gate.wiring.happening import Happening
    from gate.wiring.replay_record import replay_error

    request = _Asked(**asked)
    system = _system(request, environment)
    order = _order(request, system)
    clock = SystemClock()
    progress = Events(clock) if request.as_json else progress_on_stderr(clock)
    happening = Happening(clock, order.root, request.seed, recorded=request.record)
    with ends_in_ledger("replay", order.mode, happening, order.against):
        made = _made(system, order, environment, progress)
    error = replay_error(made)
    if request.record:
        _record(made, order, happening.over(order.against))
    _tell(made, error, progress if isinstance(progress, Events) else None)
    return _exit_code(made, error)


def _made(
    asked: AskedSystem, order: "ReplayOrder", environment: Mapping[str, str], progress: "Progress"
) -> "ReplayMade":
    """The replay on the system that is asked for, which is closed afterwards."""
    from gate.wiring.replaying import conduct_replay
    from gate.wiring.systems import system_of

    clock = SystemClock()
    if order.gbrain is not None:
        return conduct_replay(order, None, clock, progress)
    planned = asked.planned
    if planned.kind == "reference" and order.corpus is None:
        raise UsageError(
            "the built-in system has no documents of its own",
            remedy="hand them over with --corpus DOCS, name another `system` in --config, or use --gbrain",
        )
    system = system_of(planned, asked.root, environment)
    try:
        return conduct_replay(replace(order, width=planned.concurrency), system, clock, progress)
    finally:
        system.close()


def _system(asked: _Asked, environment: Mapping[str, str]) -> AskedSystem:
    if asked.gbrain is None:
        return asked_system(asked.config, environment)
    if asked.corpus is not None or asked.config is not None:
        raise UsageError(
            "gbrain replays on its own documents and as it is configured",
            remedy="leave out --gbrain, or --corpus and --config",
        )
    return named_gbrain(asked.gbrain, asked.grant, environment)


def _order(asked: _Asked, system: AskedSystem) -> "ReplayOrder":
    from gate.wiring.replaying import Limits, ReplayOrder

    output, name, root = output_of(asked.output, "replay", asked.mode)
    gbrain = system.gbrain
    if gbrain is not None and asked.corpus is not None:
        raise UsageError("gbrain replays on its own documents", remedy="leave out --corpus")
    return ReplayOrder(
        against=asked.against,
        output=output,
        name=name,
        root=root,
        mode=asked.mode,
        corpus=asked.corpus,
        gbrain=None if gbrain is None else gbrain.command,
        own_gate=asked.gbrain_gate,
        patience=PATIENCE if gbrain is None else gbrain.patience,
        compare_limit=asked.compare_limit,
        limit=asked.limit,
        limits=Limits(
            jaccard=asked.threshold_jaccard,
            top1=asked.threshold_top1,
            latency_multiplier=asked.threshold_latency_multiplier,
        ),
        required=all_required(asked.require, system.require),
        show_text=asked.show_text,
        seconds=asked.deadline,
    )


def _exit_code(made: "ReplayMade", error: str | None) -> int:
    empty = not made.replayed.summary.rows_replayed and not made.replayed.summary.rows_errored
    if made.replayed.ended.stopped is not None or empty:
        return ExitCode.INCONCLUSIVE
    return ExitCode.FAIL if error is not None or made.missed else ExitCode.PASS


def _record(made: "ReplayMade", order: "ReplayOrder", occasion: "Occasion") -> None:
    from gate.core.records.run_records import run_record
    from gate.wiring.replay_record import replay_facts

    append_to_ledger(run_record(replay_facts(made, order, occasion)), order.root)


def _tell(made: "ReplayMade", error: str | None, events: Events | None) -> None:
    from gate.render.replay import replay_table

    if events is not None:
        events.event(
            "complete" if error is None else "incomplete",
            rows=made.rows.path,
            sha256=made.rows.sha256,
            summary=asdict(made.replayed.summary),
            missed=None if made.missed is None else [asdict(each) for each in made.missed],
            gbrain_gate=made.objected,
            error=error,
            notes=made.replayed.notes,
        )
        return
    for note in made.replayed.notes:
        click.echo(note, err=True)
    show(replay_table(made.replayed.summary, made.missed))
    if made.objected == ():
        show("gbrain's own gate: pass")
    show(f"rows: {made.rows.path}   sha256: {made.rows.sha256}")
    if error is not None:
        click.echo(error, err=True)
