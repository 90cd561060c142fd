"""A panel's receipt, and the panel of the baseline, as a report shows them: nothing is left to compute."""

from collections.abc import Iterator, Mapping

from msgspec import UNSET

from gate.core.judging.judgement import measured_alpha
from gate.core.judging.panel import round_to_tenth
from gate.core.records.file_ref import FileRef
from gate.core.records.panel_figures import PanelDimension, PanelJudge, PanelReport, PanelRun
from gate.core.records.panel_terms import EarlierPanel
from gate.core.records.takes_receipt import Agreement, TakesReceipt


def panel_report(file: FileRef, receipt: TakesReceipt, earlier: EarlierPanel | None) -> PanelReport:
    """What a report shows of a panel. Differences only where the same rubric was asked before."""
    alike = earlier is not None and earlier.rubric_sha8 == receipt.rubric_sha8
    before = earlier if alike else None
    return PanelReport(
        receipt=file,
        verdict=receipt.verdict,
        reason=_text(receipt.others.get("reason")),
        overall=receipt.overall_score,
        overall_before=None if before is None else before.overall,
        overall_delta=_delta(receipt.overall_score, None if before is None else before.overall),
        dimensions=tuple(_dimensions(receipt, before)),
        judges=tuple(_judges(receipt)),
        alpha=measured_alpha(receipt),
        units=max((each.units for each in _agreement(receipt).values()), default=0),
        run=_run(receipt),
        cost_usd=receipt.cost_usd,
        budget_usd=_number(receipt.others.get("budget_usd")),
        unpriced=() if receipt.unpriced_models is UNSET else receipt.unpriced_models,
        rubric_version=receipt.rubric_version,
        rubric_sha8=receipt.rubric_sha8,
        corpus_sha8=receipt.corpus.corpus_sha8,
        prompt_sha8=receipt.prompt_sha8,
        models_sha8=receipt.models_sha8,
        unlike=tuple(_unlike(receipt, earlier)),
    )


def earlier_panel(panel: PanelReport) -> EarlierPanel:
    """What a later run is compared with."""
    return EarlierPanel(
        rubric_sha8=panel.rubric_sha8,
        models_sha8=panel.models_sha8,
        corpus_sha8=panel.corpus_sha8,
        verdict=panel.verdict,
        overall=panel.overall,
        means={each.name: each.mean for each in panel.dimensions},
    )


def total_cost(panels: tuple[PanelReport, ...]) -> float | None:
    """What all panels cost; None where there is none, or one of them does not know."""
    known = [panel.cost_usd for panel in panels if panel.cost_usd is not None]
    return sum(known) if panels and len(known) == len(panels) else None


def _dimensions(receipt: TakesReceipt, before: EarlierPanel | None) -> Iterator[PanelDimension]:
    agreement = _agreement(receipt)
    for name, scores in receipt.scores.items():
        known = agreement.get(name)
        earlier = None if before is None else before.means.get(name)
        yield PanelDimension(
            name=name,
            mean=scores.mean,
            least=scores.min,
            greatest=scores.max,
            failed=None if scores.fail_reason is UNSET else scores.fail_reason,
            before=earlier,
            delta=_delta(scores.mean, earlier),
            range=None if known is None else known.range,
            sd=None if known is None else known.sd,
            alpha=None if known is None else known.alpha,
        )


def _judges(receipt: TakesReceipt) -> Iterator[PanelJudge]:
    """Every place of the panel once; of what went wrong only its kind, which no model wrote."""
    errors = {each.model_id: each.error.partition(":")[0] for each in receipt.errors}
    for model in dict.fromkeys(receipt.models):
        yield PanelJudge(
            model=model,
            scores={
                name: each.per_model[model]
                for name, each in receipt.scores.items()
                if model in each.per_model
            },
            error=errors.get(model),
        )


def _run(receipt: TakesReceipt) -> PanelRun:
    return PanelRun(
        source=receipt.corpus.source,
        slug_prefix=receipt.corpus.slug_prefix,
        takes=receipt.corpus.n_takes,
        eligible=_count(receipt.others.get("eligible_takes")),
        batches=1 if receipt.batches is UNSET else receipt.batches,
        cycles=receipt.cycles_run,
        cycle_policy="last" if receipt.cycle_policy is UNSET else receipt.cycle_policy,
        calls=_count(receipt.others.get("calls")),
        replayed=_count(receipt.others.get("replayed_calls")) or 0,
        corrections=0 if receipt.corrections is UNSET else len(receipt.corrections),
        charged_at_bound=_count(receipt.others.get("calls_charged_at_bound")) or 0,
    )


def _unlike(receipt: TakesReceipt, earlier: EarlierPanel | None) -> Iterator[str]:
    """What the baseline's panel had otherwise, in words."""
    if earlier is None:
        return
    if earlier.rubric_sha8 != receipt.rubric_sha8:
        yield "rubric"
    if earlier.models_sha8 != receipt.models_sha8:
        yield "models"
    if earlier.corpus_sha8 != receipt.corpus.corpus_sha8:
        yield "takes"


def _delta(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else round_to_tenth(now - before)


def _agreement(receipt: TakesReceipt) -> Mapping[str, Agreement]:
    return {} if receipt.agreement is UNSET else receipt.agreement


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
