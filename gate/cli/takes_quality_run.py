"""`gate takes-quality run`: a sample of takes, a panel of judges, a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gate.cli.takes_keeping import kept
from gate.cli.takes_options import (
    CASSETTE_PREFIX,
    JudgesAsked,
    KeepingAsked,
    SourceAsked,
    around_of,
    database_of,
    judges_options,
    keeping_options,
    order_of,
    part,
    places_of,
    runs_of,
    scope_of,
    source_of,
    source_options,
    tell,
    verdict_code,
    warn_unpriced,
)
from gate.process import SystemClock, cancel_on_signals


@dataclass(frozen=True, slots=True)
class _SampleAsked:
    """Which takes, and by whom they are judged."""

    limit: int
    batches: int
    seed: int
    strata: Any
    slug_prefix: str | None
    models: str | None
    reuse: bool


@click.command("run")
@click.option(
    "--limit", default=100, show_default=True, type=click.IntRange(1, 100_000), help="So many takes."
)
@click.option(
    "--batches", default=1, show_default=True, type=click.IntRange(1, 1000), help="Disjoint parts of them."
)
@click.option("--seed", default=42, show_default=True, type=click.IntRange(0, 2**53 - 1), help="Draws them.")
@click.option("--strata", type=click.Choice(["none", "kind"]), default="none", help="Keep kinds' shares.")
@click.option("--slug-prefix", metavar="P", help="Only pages whose slug begins so; every character literal.")
@source_options
@click.option(
    "--models", metavar="A,B,C", help="The panel, provider:model each; or recorded:CASSETTE for its panel."
)
@judges_options
@click.option("--reuse", is_flag=True, help="Take an equal earlier run instead, if there is one.")
@keeping_options
@click.pass_obj
def command(environment: Mapping[str, str], /, **asked: Any) -> int:  # click passes options by name
    """Have a sample of takes scored by a panel of judges.

    \b
    Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY.
    Exit codes: 0 PASS, 1 FAIL, 2 INCONCLUSIVE; 64 usage, 65 no takes, 69 a database failed (the
    receipt is safe on disk), 78 a model, key or price; 130, 143 cancelled, with a truthful receipt.
    """
    cancel_on_signals()
    from gate.store.run_rows import repository_root
    from gate.wiring.happening import Happening
    from gate.wiring.takes_quality import Earlier, judge
    from gate.wiring.takes_sample import sampled

    source, keeping = part(SourceAsked, asked), part(KeepingAsked, asked)
    named = _recorded(asked)
    sample, panel = part(_SampleAsked, named), part(JudgesAsked, named)
    clock = SystemClock()
    happening = Happening(clock, repository_root(Path.cwd()), sample.seed)
    database = database_of(source.database_url, environment)
    places = places_of(keeping, environment, runs_of(database))
    takes = source_of(source, database)
    drawn = sampled(takes, scope_of(source, sample.slug_prefix), _sampling(sample), sample.batches)
    order = order_of(panel, _panel(sample.models), takes, drawn)
    warn_unpriced(order)
    earlier = Earlier(folder=places.receipts, runs=places.runs) if sample.reuse else None
    made = judge(order, drawn, around_of(environment, clock, quiet=keeping.as_json), earlier)
    try:
        kept(made, places, happening)
    finally:
        tell(made.receipt, as_json=keeping.as_json)
    interrupted = None if made.run is None else made.run.interrupted
    return verdict_code(made.receipt) if interrupted is None else interrupted


def _sampling(asked: _SampleAsked) -> Any:
    from gate.core.takes.sampling import Sampling

    return Sampling(limit=asked.limit, seed=asked.seed, strata=asked.strata)


def _recorded(asked: dict[str, Any]) -> dict[str, Any]:
    """`--models recorded:CASSETTE` means the cassette, and the panel that it holds."""
    models: str = asked["models"] or ""
    if not models.startswith(CASSETTE_PREFIX):
        return asked
    return {**asked, "models": None, "cassette": Path(models.removeprefix(CASSETTE_PREFIX))}


def _panel(models: str | None) -> tuple[str, ...] | None:
    if models is None:
        return None
    return tuple(name.strip() for name in models.split(",") if name.strip())
