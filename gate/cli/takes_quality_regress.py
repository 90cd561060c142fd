"""`gate takes-quality regress`: the takes of an earlier run, judged again."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gate.cli.paths import FILE
from gate.cli.takes_keeping import kept
from gate.cli.takes_options import (
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
    warn_unpriced,
)
from gate.errors import ExitCode
from gate.process import SystemClock, cancel_on_signals

if TYPE_CHECKING:
    from gate.core.judging.regression import Regression
    from gate.core.judging.score_pairs import Paired
    from gate.core.records.takes_receipt import TakesReceipt
    from gate.wiring.takes_sample import Again

_CODES: Final[Mapping[str, ExitCode]] = {
    "ok": ExitCode.PASS,
    "regressed": ExitCode.FAIL,
    "inconclusive": ExitCode.INCONCLUSIVE,
}
_INPUTS: Final = ("corpus", "prompt", "models", "rubric", "protocol")


@click.command("regress")
@click.option(
    "--against",
    required=True,
    type=FILE,
    metavar="RECEIPT",
    help="The earlier run.",
)
@click.option(
    "--threshold",
    default=0.5,
    show_default=True,
    type=click.FloatRange(min=0),
    help="A greater drop is a regression.",
)
@click.option(
    "--require-same", multiple=True, type=click.Choice(_INPUTS), help="Where these differ: INCONCLUSIVE."
)
@source_options
@judges_options
@keeping_options
@click.pass_obj
def command(environment: Mapping[str, str], /, **asked: Any) -> int:  # click passes options by name
    """Judge the takes of an earlier run again, by the same panel, and say what got worse.

    \b
    Exit codes: 0 nothing, 1 a dimension or the overall score fell by more than the threshold,
    2 either run is INCONCLUSIVE; 64 65 69 78 as for run; 130, 143 cancelled.
    """
    cancel_on_signals()
    from gate.core.judging.regression import compare_receipts
    from gate.core.judging.score_pairs import paired_scores
    from gate.store.run_rows import repository_root
    from gate.store.takes_receipts import read_takes_receipt
    from gate.wiring.happening import Happening
    from gate.wiring.takes_quality import judge
    from gate.wiring.takes_sample import DEFAULT_SEED, sampled_again

    prior = read_takes_receipt(asked["against"], str(asked["against"]))
    source, keeping = _as_then(part(SourceAsked, asked), prior), part(KeepingAsked, asked)
    judges = _shown_as_then(part(JudgesAsked, asked), prior)
    database = database_of(source.database_url, environment)
    takes = source_of(source, database, prior.corpus.source)
    again = sampled_again(takes, scope_of(source, prior.corpus.slug_prefix), prior)
    clock, seed = SystemClock(), again.drawn.seed
    happening = Happening(clock, repository_root(Path.cwd()), DEFAULT_SEED if seed is None else seed)
    order = order_of(judges, prior.models, takes, again.drawn)
    warn_unpriced(order)
    made = judge(order, again.drawn, around_of(environment, clock, quiet=keeping.as_json))
    found = compare_receipts(made.receipt, prior, asked["threshold"], same=asked["require_same"])
    paired = paired_scores(made.receipt, prior)
    try:
        kept(made, places_of(keeping, environment, runs_of(database)), happening)
    finally:
        _tell((made.receipt, prior), found, paired, again, as_json=keeping.as_json)
    interrupted = None if made.run is None else made.run.interrupted
    return _CODES[found.outcome] if interrupted is None else interrupted


def _as_then(source: SourceAsked, prior: "TakesReceipt") -> SourceAsked:
    """Takes that the earlier run judged although they are struck, or their page is deleted, are judged again."""
    return replace(
        source,
        inactive=source.inactive or prior.inactive == "included",
        deleted_pages=source.deleted_pages or prior.deleted_pages == "included",
    )


def _shown_as_then(judges: JudgesAsked, prior: "TakesReceipt") -> JudgesAsked:
    """Judges see of the pages what they saw then, unless something else is asked for."""
    from msgspec import UNSET

    then = None if prior.evidence is UNSET else prior.evidence
    return replace(judges, evidence=judges.evidence or then)


def _tell(
    receipts: "tuple[TakesReceipt, TakesReceipt]",
    found: "Regression",
    paired: "Paired",
    again: "Again",
    *,
    as_json: bool,
) -> None:
    from gate.cli.console import show
    from gate.core.records.ecmascript import json_text
    from gate.render.takes_quality import receipt_text, regression_text

    current, prior = receipts
    if as_json:
        show(json_text(_document(current, prior, found, paired, again), indent=2))
        return
    show(receipt_text(current))
    show(regression_text(found, paired, prior))
    show(
        again.why_new
        or f"the same takes: {again.found} as they were, {again.changed} edited, {again.gone} gone"
    )


def _document(
    current: "TakesReceipt", prior: "TakesReceipt", found: "Regression", paired: "Paired", again: "Again"
) -> dict[str, object]:
    """The contract's document; in `delta`, keys of our own follow the contract's."""
    from gate.core.judging.regression import delta_document
    from gate.core.records.takes_receipt import takes_document

    intervals = {name: asdict(statistics) for name, statistics in paired.by_dimension.items()}
    return {
        "schema_version": 1,
        "current": takes_document(current),
        "prior": takes_document(prior),
        "delta": {
            **delta_document(found),
            "intervals": intervals,
            **({"no_intervals": paired.why_none} if paired.why_none else {}),
            **({"batches_not_paired": paired.left_out} if paired.left_out else {}),
            "takes": {"unchanged": again.found, "edited": again.changed, "gone": again.gone},
            **({"another_sample": again.why_new} if again.why_new else {}),
            "warnings": [f"{each.text}: {each.meaning}" for each in found.differences],
        },
    }
