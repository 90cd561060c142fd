"""`gate compare`: the runs of a ledger, or two files of rows, question by question."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gate.cli.console import show, show_exactly
from gate.cli.ledger_places import ledger_file
from gate.cli.paths import ANY
from gate.core.records.ledger import SEARCH_MODES
from gate.errors import EvidenceError, ExitCode, UsageError
from gate.process import cancel_on_signals

if TYPE_CHECKING:
    from gate.core.mode_comparison import Options, Selection
    from gate.core.mode_report import ModeReport
    from gate.core.plan import MetricSpec
    from gate.core.validate import Problem

MOST_DRAWS: Final = 1_000_000
_LEDGER_OPTIONS: Final = ("input", "baseline", "candidate", "runs", "modes", "suite")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything the command line said."""

    input: str | None
    baseline: str | None
    candidate: str | None
    rows: tuple[str, str] | None
    runs: str
    modes: str
    suite: str | None
    draws: int
    seed: int
    output: str
    include_abstention: bool
    config: Path | None


@click.command("compare")
@click.option(
    "--input", metavar="LEDGER|DIR", help="A ledger (.jsonl), or the folder that holds eval-results.jsonl."
)
@click.option("--baseline", metavar="RUN", help="The run id to compare with; needs --candidate.")
@click.option("--candidate", metavar="RUN", help="The run id under test; needs --baseline.")
@click.option("--rows", nargs=2, metavar="BASELINE CANDIDATE", help="Two files of rows instead of a ledger.")
@click.option("--runs", default="", metavar="A,B", help="Only these run ids, separated by commas.")
@click.option(
    "--modes", default="", metavar="M,N", help="Only these modes: conservative, balanced, tokenmax."
)
@click.option("--suite", help="Only this suite.")
@click.option(
    "--draws", default=10_000, show_default=True, type=click.IntRange(1_000, MOST_DRAWS), help="Resamples."
)
@click.option("--seed", default=42, show_default=True, type=click.IntRange(0, 2**53 - 1), help="Their seed.")
@click.option("--json", "output", flag_value="json", help="Print JSON.")
@click.option("--md", "output", flag_value="md", default="md", help="Print Markdown (the default).")
@click.option("--include-abstention", is_flag=True, help="Count abstention questions in recall too.")
@click.option(
    "--config",
    type=ANY,
    help="A configuration; only its `metrics:` are read.",
)
def command(**asked: Any) -> int:  # click passes every option by name; _Asked types them
    """Compare the runs of a ledger, or two files of rows, question by question.

    \b
    The modes of a ledger are shown side by side: exit code 0.
    A pair (--baseline and --candidate, or --rows) is judged: 0 no significant adverse
    difference, 1 a significant adverse difference, 2 the pair cannot be judged.
    """
    cancel_on_signals()
    request = _Asked(**asked)
    _check(request)
    report = _ledger_report(request) if request.rows is None else _rows_report(request, request.rows)
    _print(report, request.output)
    named = request.rows is not None or request.baseline is not None
    return _judged(report) if named else ExitCode.PASS


def _check(asked: _Asked) -> None:
    """UsageError for options that contradict each other; click has checked each by itself."""
    if (asked.baseline is None) != (asked.candidate is None):
        raise UsageError(
            "--baseline and --candidate come together",
            remedy="name both runs, or neither to compare the modes",
        )
    ledger_options = [f"--{name}" for name in _LEDGER_OPTIONS if getattr(asked, name)]
    if asked.rows is not None and ledger_options:
        raise UsageError(
            f"--rows compares two files, without a ledger: {', '.join(ledger_options)} cannot be used with it",
            remedy="leave out one of the two",
        )
    unknown = [mode for mode in _listed(asked.modes) if mode not in SEARCH_MODES]
    if unknown:
        raise UsageError(
            f"--modes: {unknown[0]!r} is not a mode", remedy=f"the modes are {', '.join(SEARCH_MODES)}"
        )


def _ledger_report(asked: _Asked) -> "ModeReport":
    from gate.core.mode_comparison import compare_modes
    from gate.ledgers.jsonl import JsonlLedger
    from gate.store.run_rows import repository_root, rows_below, tolerant

    root = repository_root(Path.cwd())
    path = ledger_file(asked.input, root)
    ledger = JsonlLedger(path).read()
    selection = _selection(asked)
    if ledger.missing and (selection.pair is not None or asked.input is not None):
        raise EvidenceError(f"{path}: there is no such ledger", remedy="name an existing one with --input")
    rows_of = rows_below(root)
    return compare_modes(
        ledger, selection, rows_of if selection.pair is not None else tolerant(rows_of), _options(asked)
    )


def _rows_report(asked: _Asked, names: tuple[str, str]) -> "ModeReport":
    from gate.core.mode_comparison import compare_rows
    from gate.store.row_files import read_rows

    baseline, candidate = ((name, read_rows(Path(name), name=name)) for name in names)
    return compare_rows(baseline, candidate, _options(asked))


def _selection(asked: _Asked) -> "Selection":
    from gate.core.mode_comparison import Selection

    pair = None
    if asked.baseline is not None and asked.candidate is not None:
        pair = (asked.baseline, asked.candidate)
    return Selection(
        runs=frozenset(_listed(asked.runs)),
        modes=frozenset(_listed(asked.modes)),
        suite=asked.suite,
        pair=pair,
    )


def _options(asked: _Asked) -> "Options":
    from gate.core.mode_comparison import PAIRING, Options

    pairing = replace(PAIRING, abstentions="inside") if asked.include_abstention else PAIRING
    return Options(draws=asked.draws, seed=asked.seed, pairing=pairing, metrics=_declared(asked.config))


def _declared(config: Path | None) -> "Mapping[str, MetricSpec]":
    """What a configuration declares of its metrics; nothing else of it is looked at or complained about."""
    if config is None:
        return {}
    from gate.core.plan import MetricSpec
    from gate.store.config_file import read_config, refuse

    file = read_config(config)
    readable = isinstance(file.document, dict)
    wrong = [problem for problem in file.problems if not readable or _is_about_metrics(problem)]
    if wrong:
        raise refuse(file.told(wrong), file.name)
    metrics = file.document.get("metrics", {}) if isinstance(file.document, dict) else {}
    return {name: MetricSpec(name=name, **declared) for name, declared in metrics.items()}


def _is_about_metrics(problem: "Problem") -> bool:
    """A problem below `metrics:`, or a misspelt `metrics:`."""
    return problem.place.startswith("metrics") or "`metrics`" in problem.message


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in (part.strip() for part in text.split(",")) if part)


def _print(report: "ModeReport", output: str) -> None:
    if output == "json":
        from gate.render.compare_json import compare_json

        show_exactly(compare_json(report))
    else:
        from gate.render.compare_report import compare_report

        show(compare_report(report))


def _judged(report: "ModeReport") -> int:
    """The exit code of the one pair that was named; why it is not 0 goes to standard error."""
    from gate.core.mode_report import outcome

    found = outcome(report.pairs[0])
    for reason in found.reasons:
        click.echo(f"{found.exit_code.name.lower()}: {reason}", err=True)
    if found.remedy:
        click.echo(f"  → {found.remedy}", err=True)
    return found.exit_code
