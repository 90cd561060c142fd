"""`gate suite retrieval`: a corpus and judgements in, rows and their means out."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Events, progress_on_stderr, show
from gate.cli.paths import ANY, FILE
from gate.cli.suite_places import (
    FEATURES,
    AskedSystem,
    all_required,
    append_to_ledger,
    asked_system,
    ends_in_ledger,
    output_of,
)
from gate.errors import EvidenceError, ExitCode
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.plan import PlannedSystem
    from gate.core.records.run_records import Occasion
    from gate.ports import Clock, Progress
    from gate.suites.retrieval import Setting
    from gate.wiring.retrieval import RetrievalMade, RetrievalOrder


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything the command line said."""

    corpus: Path
    qrels: Path
    queries: Path | None
    k: tuple[int, ...]
    mode: str
    limit: int | None
    config: Path | None
    output: Path | None
    seed: int
    require: tuple[str, ...]
    deadline: float | None
    record: bool
    show_text: bool
    as_json: bool


@click.command("retrieval")
@click.option(
    "--corpus",
    required=True,
    type=ANY,
    help="Pages, JSON lines or BEIR.",
)
@click.option("--qrels", required=True, type=FILE, help="Judgements: TREC, BEIR, or JSON with queries.")
@click.option("--queries", type=FILE, help="The queries' texts, where the judgements have none.")
@click.option(
    "-k", "--k", multiple=True, default=(10,), show_default=True, type=click.IntRange(1, 10_000), help="Cuts."
)
@click.option("--mode", default="balanced", show_default=True, help="The search mode to ask for.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first so many queries.")
@click.option(
    "--config", type=FILE, help="Ask its `system`; eval-gate.yml by default, else the built-in one."
)
@click.option("--output", type=FILE, metavar="ROWS", help="Where the rows go; gate-out/rows/ by default.")
@click.option("--seed", default=42, show_default=True, type=click.IntRange(0, 2**53 - 1), help="Recorded.")
@click.option(
    "--require",
    multiple=True,
    type=click.Choice(FEATURES),
    help="Fail where it silently did without.",
)
@click.option(
    "--deadline", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop asking after this time."
)
@click.option("--record", is_flag=True, help="Add the run to the ledger.")
@click.option("--show-text", is_flag=True, help="Write queries into the rows.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: stages, progress, the end.")
@click.pass_obj
def command(environment: Mapping[str, str], /, **asked: Any) -> int:  # click passes options by name
    """Ask judged queries and measure what is found: precision, recall, nDCG, hit rate, MRR, MAP.

    \b
    Exit codes: 0 everything was asked; 1 a guard failed or every query is an error;
    2 the deadline came first; 130, 143 cancelled, the rows so far are kept.
    """
    cancel_on_signals()
    from gate.wiring.happening import Happening
    from gate.wiring.retrieval import conduct_retrieval
    from gate.wiring.retrieval_record import retrieval_error
    from gate.wiring.systems import system_of

    request = _Asked(**asked)
    system_asked = asked_system(request.config, environment)
    with _named_as_given(request):
        order, repository = _order(request, system_asked)
    clock = SystemClock()
    progress = Events(clock) if request.as_json else progress_on_stderr(clock)
    happening = Happening(clock, repository, request.seed, recorded=request.record)
    planned = system_asked.planned
    with _named_as_given(request), ends_in_ledger("retrieval", request.mode, happening, *_dataset(order)):
        system = system_of(planned, system_asked.root, environment)
        try:
            made = conduct_retrieval(order, system, _setting(request, planned, clock, progress))
        finally:
            system.close()
    error = retrieval_error(made)
    if request.record:
        _record(made, order, happening.over(*_dataset(order)), repository)
    _tell(made, error, progress if isinstance(progress, Events) else None)
    return _exit_code(made, error)


@contextmanager
def _named_as_given(asked: _Asked) -> Iterator[None]:
    """What is wrong with an input is said of the path that was given, wherever its root is."""
    try:
        yield
    except EvidenceError as error:
        given = [path for path in (asked.corpus, asked.qrels, asked.queries) if path is not None]
        names = {name: path for path in given for name in _names(path) if error.message.startswith(name)}
        if not names:
            raise
        longest = max(names, key=len)
        said = f"{names[longest]}{error.message.removeprefix(longest)}"
        raise EvidenceError(said, remedy=error.remedy) from error


def _names(path: Path) -> Iterator[str]:
    """What a path is called below the roots that a run may have."""
    from gate.store.run_rows import repository_root

    whole = path.resolve()
    for root in (repository_root(Path.cwd()), Path("/")):
        if whole != root and whole.is_relative_to(root):
            yield whole.relative_to(root).as_posix()


def _order(asked: _Asked, system: AskedSystem) -> "tuple[RetrievalOrder, Path]":
    """What to run, and the repository it is recorded in; its inputs may lie anywhere."""
    from gate.core.records.suite_inputs import RetrievalInputs
    from gate.store.corpora import beir_queries, pin_corpus
    from gate.wiring.retrieval import RetrievalOrder, pinned

    output, name, repository = output_of(asked.output, "retrieval", asked.mode)
    inputs = [path for path in (asked.corpus, asked.qrels, asked.queries) if path is not None]
    inside = all(path.resolve().is_relative_to(repository) for path in inputs)
    root = repository if inside else Path("/")
    corpus, qrels, queries = (
        None if path is None else path.resolve().relative_to(root).as_posix()
        for path in (asked.corpus, asked.qrels, asked.queries)
    )
    beside = queries or beir_queries(root, str(corpus))
    return (
        RetrievalOrder(
            root=root,
            inputs=RetrievalInputs(
                corpus=pin_corpus(root, str(corpus)),
                qrels=pinned(root, str(qrels)),
                queries=None if beside is None else pinned(root, beside),
                cuts=tuple(sorted(set(asked.k))),
                mode=asked.mode,
                limit=asked.limit,
            ),
            output=output,
            name=name,
            required=all_required(asked.require, system.require),
            show_text=asked.show_text,
        ),
        repository,
    )


def _dataset(order: "RetrievalOrder") -> tuple[Path, ...]:
    inputs = order.inputs
    files = (inputs.qrels,) if inputs.queries is None else (inputs.qrels, inputs.queries)
    return tuple(order.root / file.path for file in files)


def _setting(asked: _Asked, planned: "PlannedSystem", clock: "Clock", progress: "Progress") -> "Setting":
    from gate.suites.execute import Bounds
    from gate.suites.retrieval import Setting

    deadline = None if asked.deadline is None else clock.monotonic() + asked.deadline
    return Setting(
        clock=clock, progress=progress, width=planned.concurrency, bounds=Bounds(deadline=deadline)
    )


def _exit_code(made: "RetrievalMade", error: str | None) -> int:
    if made.measured.ended.stopped is not None:
        return ExitCode.INCONCLUSIVE
    return ExitCode.PASS if error is None else ExitCode.FAIL


def _record(made: "RetrievalMade", order: "RetrievalOrder", occasion: "Occasion", repository: Path) -> None:
    from gate.core.records.run_records import run_record
    from gate.wiring.retrieval_record import retrieval_facts

    append_to_ledger(run_record(retrieval_facts(made, order, occasion)), repository)


def _tell(made: "RetrievalMade", error: str | None, events: Events | None) -> None:
    from gate.render.retrieval import ending, retrieval_table

    measured = made.measured
    if events is not None:
        events.event(
            "complete" if error is None else "incomplete",
            rows=made.rows.path,
            sha256=made.rows.sha256,
            documents=made.documents,
            questions_run=len(measured.metrics) + measured.errored,
            questions_left=measured.ended.left,
            errors=measured.errored,
            metrics=measured.means(),
            error=error,
            notes=measured.notes,
        )
        return
    for note in measured.notes:
        click.echo(note, err=True)
    show(retrieval_table(measured.metrics, made.classes))
    show(ending(len(measured.metrics), measured.errored, measured.ended.left))
    show(f"rows: {made.rows.path}   sha256: {made.rows.sha256}")
    if error is not None:
        click.echo(error, err=True)
