"""Options that several commands of `gate takes-quality` share, and what they come to."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import click

from gate.cli.paths import FILE, FOLDER
from gate.database import URL_VARIABLE as DATABASE_VARIABLE
from gate.errors import ConfigError, ExitCode, UsageError

if TYPE_CHECKING:
    from gate.core.judging.conclusion import Rules
    from gate.core.judging.cycles import CyclePolicy
    from gate.core.judging.roster import Roster
    from gate.core.pricing import PriceTable
    from gate.core.records.takes_receipt import PanelVerdict, TakesReceipt
    from gate.core.takes.corpus import Scope
    from gate.database import Database
    from gate.ledgers.takes_quality_runs import TakesQualityRuns
    from gate.ports import Clock, RunLedger
    from gate.takes.markdown import MarkdownTakes
    from gate.takes.postgres import PostgresTakes
    from gate.wiring.takes_quality import Around, Drawn, PanelOrder
    from gate.wiring.takes_record import Places

CASSETTE_PREFIX: Final = "recorded:"
TERMINAL_CYCLES: Final = 3
VERDICT_CODES: Final[Mapping["PanelVerdict", ExitCode]] = {
    "pass": ExitCode.PASS,
    "fail": ExitCode.FAIL,
    "inconclusive": ExitCode.INCONCLUSIVE,
}

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Part = TypeVar("_Part")

DATABASE: Final = click.option(
    "--database-url", metavar="URL", help=f"PostgreSQL; better in the variable {DATABASE_VARIABLE}."
)
RECEIPTS: Final = click.option(
    "--receipts-dir", type=FOLDER, help="Where receipts are kept; ~/.gbrain/eval-receipts by default."
)
LEDGER: Final = click.option(
    "--ledger", metavar="LEDGER|DIR|URL", help="The run ledger; .gbrain-evals/eval-results.jsonl by default."
)
AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="One JSON document, and nothing else.")

_SOURCE: Final = (
    click.option("--source", type=click.Choice(["fs", "db"]), help="Markdown pages, or gbrain's database."),
    click.option("--pages", type=FOLDER, metavar="DIR", help="The folder of pages."),
    DATABASE,
    click.option("--inactive", is_flag=True, help="Also judge takes that are struck or superseded."),
    click.option("--deleted-pages", is_flag=True, help="Also judge takes of deleted pages."),
)
_JUDGES: Final = (
    click.option("--cassette", type=FILE, help="Play these recorded replies back; nobody is asked."),
    click.option("--record", type=FILE, metavar="CASSETTE", help="Keep every reply in a new cassette."),
    click.option(
        "--cycles", type=click.IntRange(0, 100), help="At most; 3 on a terminal, 1 elsewhere, by default."
    ),
    click.option(
        "--cycle-policy",
        type=click.Choice(["last", "all", "median"]),
        default="last",
        show_default=True,
        help="Which cycle decides.",
    ),
    click.option(
        "--budget-usd", type=click.FloatRange(min=0), help="No call that could cost more; 0 = no calls."
    ),
    click.option("--rubric", type=FILE, help="A rubric of your own."),
    click.option("--prices", type=FILE, help="Prices of your own; they come before the gate's."),
    click.option("--min-alpha", type=click.FloatRange(-1, 1), help="Below it judges are not believed."),
    click.option(
        "--max-sd",
        type=click.FloatRange(min=0),
        metavar="POINTS",
        help="Nor where their standard deviation on any dimension is greater.",
    ),
    click.option(
        "--max-range",
        type=click.FloatRange(min=0),
        metavar="POINTS",
        help="Nor where two of them lie further apart on any dimension.",
    ),
    click.option(
        "--evidence",
        type=click.Choice(["none", "excerpt"]),
        help="Show judges the beginning of the takes' pages; none by default, in regress what the earlier run had.",
    ),
    click.option("--deadline", type=click.FloatRange(min=0), metavar="SECONDS", help="For the whole run."),
)
_KEEPING: Final = (
    RECEIPTS,
    LEDGER,
    click.option("--output", type=FILE, metavar="ROWS", help="Also write rows, one a batch and judge."),
    click.option("--no-store", is_flag=True, help="The database only gives takes: no run is stored in it."),
    AS_JSON,
)


@dataclass(frozen=True, slots=True)
class SourceAsked:
    """Where the takes are."""

    source: Literal["fs", "db"] | None
    pages: Path | None
    database_url: str | None
    inactive: bool
    deleted_pages: bool


@dataclass(frozen=True, slots=True)
class JudgesAsked:
    """How they are judged."""

    cassette: Path | None
    record: Path | None
    cycles: int | None
    cycle_policy: "CyclePolicy"
    budget_usd: float | None
    rubric: Path | None
    prices: Path | None
    min_alpha: float | None
    max_sd: float | None
    max_range: float | None
    evidence: Literal["none", "excerpt"] | None
    deadline: float | None


@dataclass(frozen=True, slots=True)
class KeepingAsked:
    """What becomes of the run."""

    receipts_dir: Path | None
    ledger: str | None
    output: Path | None
    no_store: bool
    as_json: bool


def source_options(function: _Function) -> _Function:
    """The options of SourceAsked."""
    return _with(_SOURCE, function)


def judges_options(function: _Function) -> _Function:
    """The options of JudgesAsked."""
    return _with(_JUDGES, function)


def keeping_options(function: _Function) -> _Function:
    """The options of KeepingAsked."""
    return _with(_KEEPING, function)


def part(kind: type[_Part], asked: dict[str, Any]) -> _Part:
    """One group of options out of everything the command line said."""
    return kind(**{each.name: asked.pop(each.name) for each in fields(kind)})  # type: ignore[arg-type]  # dataclasses


def database_of(url: str | None, environment: Mapping[str, str]) -> "Database | None":
    """The database that an option or the environment names; None = there is none."""
    from gate.database import Database

    named = url or environment.get(DATABASE_VARIABLE)
    return Database(named) if named else None


def source_of(
    asked: SourceAsked, database: "Database | None", kind: str | None = None
) -> "MarkdownTakes | PostgresTakes":
    """Where the takes are; `kind` is what an earlier run used. UsageError when no place is named."""
    chosen = asked.source or ("fs" if asked.pages else kind or ("db" if database else "fs"))
    if chosen == "db":
        if database is None:
            raise UsageError(
                "--source db: which database?", remedy=f"name it with --database-url or {DATABASE_VARIABLE}"
            )
        from gate.takes.postgres import PostgresTakes

        return PostgresTakes(database)
    if asked.pages is None:
        raise UsageError(
            "where are the takes?",
            remedy=f"name the folder of pages with --pages DIR, or a database with {DATABASE_VARIABLE}",
        )
    from gate.takes.markdown import MarkdownTakes

    return MarkdownTakes(asked.pages)


def scope_of(asked: SourceAsked, slug_prefix: str | None) -> "Scope":
    """Which takes count."""
    from gate.core.takes.corpus import Scope

    return Scope(
        slug_prefix=slug_prefix or "",
        inactive="included" if asked.inactive else "skipped",
        deleted_pages="included" if asked.deleted_pages else "skipped",
    )


def order_of(
    asked: JudgesAsked,
    models: tuple[str, ...] | None,
    source: "MarkdownTakes | PostgresTakes",
    drawn: "Drawn",
) -> "PanelOrder":
    """How the panel is to judge these takes."""
    from gate.core.judging.budget import Capped
    from gate.wiring.takes_quality import PanelOrder

    if asked.cassette is not None and asked.record is not None:
        raise UsageError("--cassette plays back, --record records", remedy="use one of them")
    roster = _roster()
    prices, file = _prices(asked.prices)
    panel = models or (_recorded_panel(asked.cassette) if asked.cassette else roster.models)
    return PanelOrder(
        rules=_rules(asked),
        models=panel,
        roster=roster,
        prices=prices,
        budget=Capped(cap=asked.budget_usd, price_file=file),
        cassette=asked.cassette,
        record=asked.record,
        evidence=_evidence(asked, source, drawn),
        deadline_seconds=asked.deadline,
    )


def warn_unpriced(order: "PanelOrder") -> None:
    """Say before any call that nobody knows what it will cost; where replies are played back it costs nothing."""
    unpriced = () if order.cassette is not None else order.prices.unpriced(order.models)
    if unpriced and order.budget.cap is None:
        click.echo(
            f"warning: no price is known for {', '.join(unpriced)}: the cost will be unknown (--prices)",
            err=True,
        )


def around_of(environment: Mapping[str, str], clock: "Clock", *, quiet: bool) -> "Around":
    """The world of a run; with `quiet` nothing is said of its progress."""
    from gate.cli.console import Silence, progress_on_stderr
    from gate.wiring.takes_quality import Around

    progress = Silence() if quiet else progress_on_stderr(clock)
    return Around(environment=environment, clock=clock, progress=progress)


def receipts_of(folder: Path | None, environment: Mapping[str, str]) -> Path:
    """The folder of receipts."""
    home = environment.get("HOME")
    return folder or (Path(home) if home else Path.home()) / ".gbrain" / "eval-receipts"


def ledger_of(named: str | None) -> "RunLedger":
    """The run ledger: a file, the folder that holds one, or a database."""
    from gate.ledgers.jsonl import FILE_NAME, FOLDER, JsonlLedger

    if named is None:
        from gate.store.run_rows import repository_root

        return JsonlLedger(repository_root(Path.cwd()) / FOLDER / FILE_NAME)
    if named.startswith(("postgresql://", "postgres://")):
        from gate.database import Database
        from gate.ledgers.postgres import PostgresLedger

        return PostgresLedger(Database(named))
    return JsonlLedger(Path(named) if named.endswith(".jsonl") else Path(named) / FILE_NAME)


def places_of(
    asked: KeepingAsked, environment: Mapping[str, str], runs: "TakesQualityRuns | None"
) -> "Places":
    """Where the run is kept."""
    from gate.wiring.takes_record import Places

    return Places(
        receipts=receipts_of(asked.receipts_dir, environment),
        ledger=ledger_of(asked.ledger),
        output=asked.output,
        runs=None if asked.no_store else runs,
    )


def runs_of(database: "Database | None") -> "TakesQualityRuns | None":
    """The table of runs, where there is a database."""
    from gate.ledgers.takes_quality_runs import TakesQualityRuns

    return None if database is None else TakesQualityRuns(database)


def needed_runs(url: str | None, environment: Mapping[str, str]) -> "TakesQualityRuns":
    """The table of runs; UsageError where no database is named."""
    runs = runs_of(database_of(url, environment))
    if runs is None:
        raise UsageError("which database?", remedy=f"name it with --database-url or {DATABASE_VARIABLE}")
    return runs


def verdict_code(receipt: "TakesReceipt") -> ExitCode:
    """How a process ends that shows a receipt."""
    return VERDICT_CODES[receipt.verdict]


def tell(receipt: "TakesReceipt", *, as_json: bool) -> None:
    """Show a receipt, as a table or as its own bytes."""
    from gate.cli.console import show, show_exactly
    from gate.core.records.takes_receipt import takes_receipt_bytes
    from gate.render.takes_quality import receipt_text

    if as_json:
        show_exactly(takes_receipt_bytes(receipt).decode())
    else:
        show(receipt_text(receipt))


def _with(options: "tuple[Callable[[Any], Any], ...]", function: _Function) -> _Function:
    for option in reversed(options):
        function = option(function)
    return function


def _rules(asked: JudgesAsked) -> "Rules":
    from gate.core.judging.conclusion import Rules
    from gate.core.judging.reliability import Floor
    from gate.core.judging.rubric import read_rubric
    from gate.store.data_files import RUBRIC, data_file

    data = data_file(RUBRIC) if asked.rubric is None else _own(asked.rubric)
    return Rules(
        rubric=read_rubric(data, RUBRIC if asked.rubric is None else str(asked.rubric)),
        cycles=asked.cycles if asked.cycles is not None else TERMINAL_CYCLES if sys.stdout.isatty() else 1,
        policy=asked.cycle_policy,
        floor=Floor(alpha_at_least=asked.min_alpha, sd_at_most=asked.max_sd, range_at_most=asked.max_range),
    )


def _roster() -> "Roster":
    from gate.core.judging.roster import read_roster
    from gate.store.data_files import PANEL, data_file

    return read_roster(data_file(PANEL), PANEL)


def _prices(own: Path | None) -> "tuple[PriceTable, str]":
    """The prices, and the file a user would add one to."""
    from gate.core.pricing import price_table
    from gate.store.data_files import price_files

    if own is None:
        return price_table(price_files()), "a file of your own and name it with --prices"
    return price_table({str(own): _own(own), **price_files()}), str(own)


def _recorded_panel(cassette: Path) -> tuple[str, ...]:
    from gate.wiring.judges import read_cassette

    return read_cassette(cassette).models


def _evidence(asked: JudgesAsked, source: "MarkdownTakes | PostgresTakes", drawn: "Drawn") -> Any:
    if asked.evidence != "excerpt":
        return None
    from gate.core.judging.prompt import Evidence

    return Evidence(
        pages=source.page_texts({(take.origin, take.page) for batch in drawn.batches for take in batch})
    )


def _own(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror})", remedy="check the path and its permissions"
        ) from error
