"""`gate suite longmemeval`: a dataset in, rows and their summary out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Events, progress_on_stderr, show
from gate.cli.paths import FILE
from gate.cli.shard import shard_of_option
from gate.cli.suite_places import (
    FEATURES,
    PATIENCE,
    AskedSystem,
    Called,
    all_required,
    append_to_ledger,
    asked_system,
    ends_in_ledger,
    name_in_records,
    named_gbrain,
)
from gate.errors import ExitCode, UsageError
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.records.run_records import Occasion
    from gate.core.shards import Shard
    from gate.ports import Progress
    from gate.wiring.longmemeval import Made, Order


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything the command line said."""

    dataset: Path
    mode: str
    config: Path | None
    gbrain: str | None
    gbrain_option: tuple[str, ...]
    grant: tuple[str, ...]
    k: int
    limit: int | None
    seed: int
    question_ids: Path | None
    output: Path | None
    sha256: str | None
    shard: str | None
    record: bool
    resume: bool
    answers: bool
    show_text: bool
    require: tuple[str, ...]
    deadline: float | None
    jobs: int | None
    as_json: bool


@click.command("longmemeval")
@click.argument("dataset", type=FILE)
@click.option("--mode", default="balanced", show_default=True, help="The search mode to ask for.")
@click.option(
    "--config", type=FILE, help="Ask its `system`; eval-gate.yml by default, else the built-in one."
)
@click.option("--gbrain", metavar="COMMAND", help='Have gbrain ask instead, called like this: "gbrain".')
@click.option("--gbrain-option", multiple=True, metavar="OPTION", help="Handed on to it, such as --judge.")
@click.option("--grant", multiple=True, metavar="NAME", help="A variable that --gbrain may see.")
@click.option(
    "-k", "--k", default=5, show_default=True, type=click.IntRange(1, 10_000), help="Chunks a question."
)
@click.option("--limit", type=click.IntRange(min=1), help="So many questions, drawn with --seed.")
@click.option(
    "--seed", default=42, show_default=True, type=click.IntRange(0, 2**53 - 1), help="Draws --limit."
)
@click.option(
    "--question-ids", type=FILE, metavar="FILE", help="Only the questions named here, one id a line."
)
@click.option("--output", type=FILE, metavar="ROWS", help="Where the rows go; gate-out/rows/ by default.")
@click.option("--sha256", metavar="HEX", help="Refuse a dataset with another digest.")
@click.option("--shard", metavar="I/N", help="Only the I-th of N parts; join them with `gate merge`.")
@click.option("--record", is_flag=True, help="Add the run to the ledger.")
@click.option("--resume", is_flag=True, help="Continue what --output holds; errors are tried again.")
@click.option("--answers", is_flag=True, help="Also ask the system to answer.")
@click.option("--show-text", is_flag=True, help="Write questions and answers into the rows.")
@click.option(
    "--require", multiple=True, type=click.Choice(FEATURES), help="Fail where it silently did without."
)
@click.option(
    "--deadline", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop asking after this time."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Instances of the system, each with a question: 2 of the built-in one, else 1.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: stages, progress, the end.")
@click.pass_obj
def command(environment: Mapping[str, str], /, **asked: Any) -> int:  # click passes options by name
    """Ask the questions of a LongMemEval dataset: a clean system, one haystack, one search each.

    \b
    Exit codes: 0 everything was asked; 1 a guard failed or every question is an error;
    2 the deadline came first; 130, 143 cancelled: the rows so far are kept, --resume goes on.
    """
    cancel_on_signals()
    from gate.wiring.happening import Happening
    from gate.wiring.longmemeval_record import longmemeval_error

    request = _Asked(**asked)
    system = _system(request, environment)
    order = _order(request, system)
    clock = SystemClock()
    progress = Events(clock) if request.as_json else progress_on_stderr(clock)
    happening = Happening(clock, order.root, request.seed, recorded=request.record)
    with ends_in_ledger("longmemeval", order.mode, happening, order.dataset):
        made = _made(request, system, order, progress, environment)
    error = longmemeval_error(made)
    if request.record:
        _record(made, order, happening.over(order.dataset))
    _tell(made, error, progress if isinstance(progress, Events) else None)
    if made.cancelled is not None:
        raise made.cancelled
    return _exit_code(made, error)


def _system(asked: _Asked, environment: Mapping[str, str]) -> AskedSystem:
    if asked.gbrain is None:
        return asked_system(asked.config, environment)
    return named_gbrain(asked.gbrain, asked.grant, environment)


def _order(asked: _Asked, system: AskedSystem) -> "Order":
    from gate.store.run_rows import repository_root
    from gate.wiring.longmemeval import Order

    gbrain = system.gbrain
    _check(asked, gbrain)
    shard = _shard(asked.shard)
    output = asked.output or _default_output(asked, shard)
    root = repository_root(Path.cwd())
    return Order(
        dataset=asked.dataset,
        output=output,
        name=name_in_records(output, root),
        root=root,
        mode=asked.mode,
        k=asked.k,
        sha256=asked.sha256,
        limit=asked.limit,
        seed=asked.seed,
        question_ids=asked.question_ids,
        shard=shard,
        resume=asked.resume,
        answers=asked.answers,
        show_text=asked.show_text,
        required=all_required(asked.require, system.require),
        seconds=asked.deadline,
        gbrain=None if gbrain is None else gbrain.command,
        patience=PATIENCE if gbrain is None else gbrain.patience,
        gbrain_options=asked.gbrain_option,
    )


def _check(asked: _Asked, gbrain: Called | None) -> None:
    """UsageError for options that contradict or lack each other."""
    if (asked.grant and asked.gbrain is None) or (asked.gbrain_option and gbrain is None):
        raise UsageError(
            "--grant is about --gbrain, and --gbrain-option about gbrain as the system",
            remedy="name it with --gbrain, or leave them out",
        )
    both = asked.gbrain is not None and asked.config is not None
    if both or (gbrain is not None and asked.jobs is not None):
        raise UsageError(
            "gbrain asks as it is configured, one question at a time",
            remedy="leave out --gbrain or --config, and --jobs",
        )


def _shard(text: str | None) -> "Shard":
    from gate.core.shards import ALL

    return ALL if text is None else shard_of_option(text)


def _default_output(asked: _Asked, shard: "Shard") -> Path:
    from gate.core.longmemeval.row_file import file_name

    part = "" if shard.of == 1 else f".{shard.number}-of-{shard.of}"
    return Path("gate-out") / "rows" / f"{file_name(asked.mode)}{part}.ndjson"


def _made(
    asked: _Asked,
    system: AskedSystem,
    order: "Order",
    progress: "Progress",
    environment: Mapping[str, str],
) -> "Made":
    """The run on the system that is asked for, which is closed afterwards."""
    from gate.wiring.instances import instances_of
    from gate.wiring.longmemeval import conduct

    if order.gbrain is not None:
        return conduct(order, (), SystemClock(), progress)
    systems = instances_of(system.planned, system.root, environment, asked.jobs)
    try:
        return conduct(order, systems, SystemClock(), progress)
    finally:
        for each in systems:
            each.close()


def _exit_code(made: "Made", error: str | None) -> int:
    if made.stopped is not None:
        return ExitCode.INCONCLUSIVE
    return ExitCode.PASS if error is None else ExitCode.FAIL


def _record(made: "Made", order: "Order", occasion: "Occasion") -> None:
    from gate.core.records.run_records import run_record
    from gate.wiring.longmemeval_record import longmemeval_facts

    append_to_ledger(run_record(longmemeval_facts(made, order, occasion)), order.root)


def _tell(made: "Made", error: str | None, events: Events | None) -> None:

    summary = made.summary
    if events is not None:
        events.event(
            "complete" if error is None else "incomplete",
            rows=made.rows.path,
            sha256=made.rows.sha256,
            questions_run=summary.asked,
            questions_left=summary.left,
            errors=summary.errors,
            aggregate=summary.aggregate,
            error=error,
            notes=made.notes,
        )
        return
    for note in made.notes:
        click.echo(note, err=True)
    show(_table(made))
    if error is not None:
        click.echo(error, err=True)


def _table(made: "Made") -> str:
    from gate.render.longmemeval import recall_table

    return f"{recall_table(made.summary)}\nrows: {made.rows.path}   sha256: {made.rows.sha256}\n"
