"""`gate run-all`: every suite in every mode, one after the other, each recorded."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gate.cli.console import Events, show
from gate.cli.suite_places import FEATURES, append_to_ledger, configured
from gate.core.records.ledger import SEARCH_MODES
from gate.core.sweep import FIXES, Caps, SweepRun, estimate, fix_of, over_caps, sweep_runs
from gate.errors import ConfigError, ExitCode, GateError, UsageError
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.sweep import Estimate
    from gate.wiring.happening import Happening

UNWIRED: Final = "eval_suite_unwired"


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything the command line said."""

    suites: str | None
    modes: str
    seed: int
    limit: int | None
    dataset: str | None
    against: str | None
    corpus: str | None
    qrels: str | None
    config: str | None
    gbrain: str | None
    grant: tuple[str, ...]
    baseline: str | None
    base: str | None
    answers: bool
    require: tuple[str, ...]
    budget_usd_retrieval: float
    budget_usd_answer: float
    yes: bool
    as_json: bool


@click.command("run-all")
@click.option("--suites", metavar="A,B", help="Only these; by default every one that has its inputs.")
@click.option("--modes", default=",".join(SEARCH_MODES), show_default=True, metavar="M,N")
@click.option("--seed", default=42, show_default=True, type=click.IntRange(0, 2**53 - 1))
@click.option("--limit", type=click.IntRange(min=1), help="So many questions a suite and mode.")
@click.option("--dataset", metavar="FILE", help="longmemeval: the dataset.")
@click.option("--against", metavar="FILE", help="replay: captured queries, or a baseline of them.")
@click.option("--corpus", metavar="DOCS", help="retrieval, replay: the documents.")
@click.option("--qrels", metavar="FILE", help="retrieval: the judgements.")
@click.option("--config", metavar="FILE", help="Ask the `system` of this configuration.")
@click.option(
    "--gbrain",
    metavar="COMMAND",
    help="How gbrain is called: brainbench, and without --config longmemeval, and replay without documents.",
)
@click.option("--grant", multiple=True, metavar="NAME", help="A variable that --gbrain may see.")
@click.option("--baseline", metavar="FILE", help="brainbench: the committed figures it is compared with.")
@click.option("--base", metavar="REF", help="brainbench: the commit, branch or tag whose --baseline counts.")
@click.option("--answers", is_flag=True, help="longmemeval: also ask for answers, which costs.")
@click.option(
    "--require",
    multiple=True,
    type=click.Choice(FEATURES),
    help="Fail where it silently did without; what --config requires, holds as well.",
)
@click.option("--budget-usd-retrieval", default=5.0, show_default=True, type=float)
@click.option("--budget-usd-answer", default=20.0, show_default=True, type=float)
@click.option("--yes", "-y", is_flag=True, help="Run although the estimate is over a cap.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, and nothing else.")
@click.pass_obj
def command(environment: Mapping[str, str], /, **asked: Any) -> int:  # click passes options by name
    """Run every suite in every mode and record each; the estimate of the cost comes first.

    \b
    Exit codes: 0 every run completed and held; 1 one did not, its record is kept;
    2 over a cap without --yes; 78 a suite has not the inputs it needs (eval_suite_unwired).
    """
    cancel_on_signals()
    request = _Asked(**asked)
    caps = _caps(request)
    events = Events(SystemClock()) if request.as_json else None
    runs = sweep_runs(_suites(request, events), _modes(request.modes))
    cost = estimate(runs, limit=request.limit, answers=request.answers)
    _announce(runs, cost, request, events)
    over = over_caps(cost, caps)
    if over and not request.yes:
        return _refuse(over, events)
    failed = [name for run in runs if (name := _failure(run, request, environment, events)) is not None]
    _conclude(runs, failed, events)
    return ExitCode.FAIL if failed else ExitCode.PASS


def _caps(asked: _Asked) -> Caps:
    for name in ("budget_usd_retrieval", "budget_usd_answer"):
        value = getattr(asked, name)
        if not (math.isfinite(value) and value >= 0):
            raise UsageError(
                f"--{name.replace('_', '-')} must be a number of dollars, 0 or more, not {value}",
                remedy="a cap that is no number would cap nothing",
            )
    return Caps(retrieval_usd=asked.budget_usd_retrieval, answer_usd=asked.budget_usd_answer)


def _modes(text: str) -> tuple[str, ...]:
    return _listed(text, SEARCH_MODES, "mode")


def _suites(asked: _Asked, events: Events | None) -> tuple[str, ...]:
    """The suites to run; ConfigError, before anything runs, when one of them has not its inputs."""
    wired = tuple(suite for suite in FIXES if _inputs(suite, asked) is not None)
    named = wired if asked.suites is None else _listed(asked.suites, tuple(FIXES), "suite")
    unwired = tuple(suite for suite in named or FIXES if suite not in wired)
    if not unwired:
        return named
    fixes = fix_of(unwired)
    if events is not None:
        events.event("error", phase="error", status="error", code=UNWIRED, suites=unwired, fix=fixes)
    raise ConfigError(
        f"{UNWIRED}: no inputs for {', '.join(unwired)}; nothing was run",
        remedy="; ".join(fixes),
    )


def _listed(text: str, known: Sequence[str], what: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None or not names:
        raise UsageError(
            f"{unknown!a} is not a {what}" if unknown is not None else f"no {what} is named",
            remedy=f"there are {', '.join(known)}",
        )
    return names


def _inputs(suite: str, asked: _Asked) -> tuple[str, ...] | None:
    """The arguments that wire a suite; None when one of its inputs is not given."""
    granted = () if asked.gbrain is None else tuple(("--grant", name) for name in asked.grant)
    gbrain = _options(("--gbrain", asked.gbrain), *granted)
    match suite:
        case "longmemeval" if asked.dataset is not None:
            asked_of = _options(("--config", asked.config)) or gbrain
            return (asked.dataset, *(("--answers",) if asked.answers else ()), *asked_of)
        case "replay" if asked.against is not None and (asked.corpus or asked.config or asked.gbrain):
            corpus = None if _configured_gbrain(asked) else asked.corpus
            documents = _options(("--corpus", corpus), ("--config", asked.config))
            return ("--against", asked.against, *(documents or gbrain))
        case "retrieval" if asked.corpus is not None and asked.qrels is not None:
            return _options(("--corpus", asked.corpus), ("--qrels", asked.qrels), ("--config", asked.config))
        case "brainbench" if asked.baseline is not None and (asked.gbrain or _configured_gbrain(asked)):
            runner = gbrain or _options(("--config", asked.config))
            return (*runner, *_options(("--baseline", asked.baseline), ("--base", asked.base)))
        case _:
            return None


def _configured_gbrain(asked: _Asked) -> bool:
    """Whether gbrain is the system of the configuration that is named."""
    found = None if asked.config is None else configured(Path(asked.config))
    return found is not None and found[0].system.kind == "gbrain"


def _options(*given: tuple[str, str | None]) -> tuple[str, ...]:
    return tuple(word for name, value in given if value is not None for word in (name, value))


def _announce(runs: Sequence[SweepRun], cost: "Estimate", asked: _Asked, events: Events | None) -> None:
    if events is not None:
        events.event(
            "estimate",
            phase="estimate",
            schema_version=2,
            suites=list(dict.fromkeys(run.suite for run in runs)),
            modes=list(dict.fromkeys(run.mode for run in runs)),
            limit=asked.limit,
            seed=asked.seed,
            estimate={**asdict(cost), "total_usd": cost.total_usd},
        )
        return
    for name, usd in cost.per_suite.items():
        show(f"{name}: at most about {usd:.3f} $")
    show(f"together: {cost.retrieval_usd:.3f} $ retrieval, {cost.answer_usd:.3f} $ answers")


def _refuse(over: Sequence[str], events: Events | None) -> int:
    if events is not None:
        events.event("error", phase="error", status="error", code="over_budget", reasons=list(over))
    for reason in over:
        click.echo(f"over budget: {reason}", err=True)
    click.echo("  → --limit asks less, a --budget-usd-… allows more, --yes runs all the same", err=True)
    return ExitCode.INCONCLUSIVE


def _failure(
    run: SweepRun, asked: _Asked, environment: Mapping[str, str], events: Events | None
) -> str | None:
    """Run one suite in one mode; its name when it did not complete and hold. Its record is kept either way."""
    from gate.ports import SystemFailed
    from gate.store.run_rows import repository_root
    from gate.wiring.happening import Happening

    if events is None:
        show(f"\n{run.suite}, {run.mode}")
    else:
        events.event("run", phase="run", suite=run.suite, mode=run.mode)
    happening = Happening(SystemClock(), repository_root(Path.cwd()), asked.seed)
    try:
        code = _called(run, asked, environment)
    except GateError as error:
        if not isinstance(error, SystemFailed):  # of which the suite's own command keeps the record
            _record_failure(run, error, happening)
        click.echo(f"error: {error.message}\n  → {error.remedy}", err=True)
        code = error.exit_code
    if events is not None:
        events.event("run_ended", phase="run", suite=run.suite, mode=run.mode, code=int(code))
    return None if code == ExitCode.PASS else f"{run.suite}:{run.mode}"


def _called(run: SweepRun, asked: _Asked, environment: Mapping[str, str]) -> int:
    required = _options(*(("--require", feature) for feature in asked.require))
    mode = () if run.suite == "brainbench" else ("--mode", run.mode, *required)
    limit = None if run.suite == "brainbench" or asked.limit is None else str(asked.limit)
    arguments = [
        *(_inputs(run.suite, asked) or ()),
        *mode,
        *_options(("--limit", limit), ("--seed", str(asked.seed))),
        "--record",
        *(("--json",) if asked.as_json else ()),
    ]
    suite = import_module(f"gate.cli.suite_{run.suite}").command
    return int(
        suite.main(arguments, prog_name=f"gate suite {run.suite}", standalone_mode=False, obj=environment)
    )


def _record_failure(run: SweepRun, error: GateError, happening: "Happening") -> None:
    from gate.core.records.run_records import failed_facts, run_record

    facts = failed_facts(run.suite, run.mode, happening.over(), error.message)
    append_to_ledger(run_record(facts), happening.root)


def _conclude(runs: Sequence[SweepRun], failed: Sequence[str], events: Events | None) -> None:
    if events is not None:
        events.event("complete", phase="complete", runs=len(runs), failed_runs=list(failed))
    else:
        kept = f"; failed, records kept: {', '.join(failed)}" if failed else ""
        show(f"\n{len(runs)} runs{kept}")
