"""A takes-quality run: takes, judges, receipt; what is kept of it, and in which order."""

import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.core.judging.budget import Capped, check_prices
from gate.core.judging.conclusion import Rules
from gate.core.judging.judgement import objections
from gate.core.judging.panel_receipt import (
    Asked,
    Came,
    batch_corpora,
    fingerprints_of,
    panel_receipt,
    row_fingerprints,
)
from gate.core.judging.prompt import Evidence, judge_prompt
from gate.core.judging.reuse import replayed, stands_for
from gate.core.judging.roster import Roster, check_panel
from gate.core.pricing import PriceTable
from gate.core.records.rows import RowTable
from gate.core.records.run_records import ran_at
from gate.core.records.takes_receipt import Choice, Fingerprints, TakesReceipt, fingerprints_in
from gate.core.takes.take import Take
from gate.errors import EvidenceError, GateError
from gate.ledgers.takes_quality_runs import TakesQualityRuns
from gate.ports import ChatModel, Clock, Progress
from gate.providers.retry import Patience, Retrying
from gate.store.takes_receipts import kept_takes_receipts, read_takes_receipt
from gate.suites.panel_calls import Judges
from gate.suites.takes_quality import PanelPlan, PanelRun, run_panel
from gate.wiring.judges import askable, live_judges, new_cassette, read_cassette, recording_judges


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The takes to be judged, in their batches, and how many there were to draw from."""

    source: str
    slug_prefix: str | None
    batches: tuple[tuple[Take, ...], ...]
    seed: int | None
    eligible: int | None = None
    inactive: Choice = "skipped"
    deleted_pages: Choice = "skipped"
    left_out: Mapping[str, object] = field(default_factory=dict)
    """What the source left out or read against the rules, by name, counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelOrder:
    """How a panel is to judge. `models` None = the cassette's panel, or the default one."""

    rules: Rules
    models: tuple[str, ...]
    roster: Roster
    prices: PriceTable
    budget: Capped
    cassette: Path | None = None
    """Whose replies are played back instead of asking."""
    record: Path | None = None
    evidence: Evidence | None = None
    deadline_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a run needs of the world."""

    environment: Mapping[str, str]
    clock: Clock
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelMade:
    """A run and its receipt; `run` None = an earlier receipt was taken."""

    receipt: TakesReceipt
    run: PanelRun | None
    rows: RowTable | None = None
    unreadable: int = 0
    """Receipts that have an equal run's name and are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """Where the receipts of earlier runs are."""

    folder: Path
    runs: TakesQualityRuns | None = None

    def same(self, fingerprints: Fingerprints, order: PanelOrder) -> tuple[TakesReceipt | None, int]:
        """The first equal run that came to a PASS or a FAIL by the order's rules; None when there is none.

        The number is how many files have such a run's name and are no receipts. Replies that were played back do
        not stand for judges that are to be asked.
        """
        equal, unreadable = self._equal(fingerprints)
        found = [
            receipt
            for receipt in equal
            if stands_for(receipt, order.rules) and (order.cassette is not None or not replayed(receipt))
        ]
        return min(found, key=lambda receipt: receipt.ts, default=None), unreadable

    def _equal(self, fingerprints: Fingerprints) -> tuple[list[TakesReceipt], int]:
        stored = self.runs.same(fingerprints) if self.runs is not None else None
        found, unreadable = [] if stored is None else [stored], 0
        for path in kept_takes_receipts(self.folder):
            if fingerprints_in(path.name) != fingerprints:
                continue
            try:
                found.append(read_takes_receipt(path, str(path)))
            except GateError:
                unreadable += 1
        return [receipt for receipt in found if receipt.fingerprints == fingerprints], unreadable


def judge(order: PanelOrder, drawn: Drawn, around: Around, reuse: Earlier | None = None) -> PanelMade:
    """Have the takes judged; with `reuse`, an equal earlier run is taken instead, at no cost.

    EvidenceError when there is no take to judge; ConfigError before any call for models that cannot be asked.
    """
    nobody = order.cassette is not None or order.budget.cap == 0
    order = replace(order, roster=askable(order.roster, nobody=nobody, environment=around.environment))
    check_panel(order.models, order.roster)
    check_prices(order.models, order.prices, order.budget)
    if not drawn.batches:
        raise EvidenceError(
            "there is no take to judge",
            remedy=f"check the source and the slug prefix; left out were: {_listed(drawn.left_out)}",
        )
    asked = _asked(order, drawn, around.clock)
    earlier, unreadable = (
        (None, 0) if reuse is None else reuse.same(fingerprints_of(asked, order.rules), order)
    )
    if earlier is not None:
        return PanelMade(receipt=earlier, run=None, unreadable=unreadable)
    run = _run(order, drawn, around)
    receipt = panel_receipt(asked, _came(run, order, drawn, asked), order.rules)
    rows = _rows(run, asked, order.rules)
    return PanelMade(
        receipt=receipt,
        run=run,
        rows=None if rows is None else replace(rows, objections=objections(receipt, order.rules)),
        unreadable=unreadable,
    )


def _asked(order: PanelOrder, drawn: Drawn, clock: Clock) -> Asked:
    return Asked(
        ts=ran_at(clock.now()),
        source=drawn.source,
        slug_prefix=drawn.slug_prefix,
        seed=drawn.seed,
        batches=drawn.batches,
        models=order.models,
        inactive=drawn.inactive,
        deleted_pages=drawn.deleted_pages,
        evidence="none" if order.evidence is None else "excerpt",
        prompts=tuple(judge_prompt(order.rules.rubric, takes, order.evidence) for takes in drawn.batches),
    )


def panel_plan(order: PanelOrder, drawn: Drawn) -> PanelPlan:
    """What the panel would be asked, and on what terms."""
    return PanelPlan(
        rules=order.rules,
        models=order.models,
        batches=drawn.batches,
        roster=order.roster,
        prices=order.prices,
        budget=order.budget,
        evidence=order.evidence,
        deadline_seconds=order.deadline_seconds,
    )


def _run(order: PanelOrder, drawn: Drawn, around: Around) -> PanelRun:
    plan = panel_plan(order, drawn)
    if order.budget.cap == 0:
        return run_panel(plan, _judges({}, order, around))
    if order.cassette is not None:
        cassette = read_cassette(order.cassette)
        return run_panel(plan, _judges({name: cassette.model(name) for name in order.models}, order, around))
    if order.record is None:
        return run_panel(plan, _judges(live_judges(order.models, around.environment), order, around))
    with closing(new_cassette(order.record)) as growing:
        models = recording_judges(order.models, around.environment, growing)
        return run_panel(plan, _judges(models, order, around))


def _judges(models: Mapping[str, ChatModel], order: PanelOrder, around: Around) -> Judges:
    """The judges with the one retry policy; a cassette's failures are played back without the pauses."""
    stop = threading.Event()
    wait = stop.wait if order.cassette is None else lambda _seconds: stop.is_set()
    return Judges(
        models=models,
        clock=around.clock,
        progress=around.progress,
        stop=stop,
        patience=lambda model: Retrying(model, Patience(), around.clock, wait),
    )


def _came(run: PanelRun, order: PanelOrder, drawn: Drawn, asked: Asked) -> Came:
    return Came(
        conclusion=run.conclusion,
        cycles=run.cycles,
        account=run.account,
        corrections=run.corrections,
        unpriced=run.unpriced,
        unfinished=run.unfinished,
        further={
            "eligible_takes": drawn.eligible,
            "left_out": dict(drawn.left_out),
            "model_snapshots": dict(run.snapshots),
            "remarks": list(run.remarks),
            "calls": run.calls,
            "replayed_calls": run.replayed or None,
            "projected_usd": run.projected_usd,
            "budget_usd": order.budget.cap,
            "prices_as_of": list(order.prices.as_of),
            "pages_cut": sum(prompt.pages_cut for prompt in asked.prompts) or None,
            "pages_missing": sum(prompt.pages_missing for prompt in asked.prompts) or None,
        },
    )


def _rows(run: PanelRun, asked: Asked, rules: Rules) -> RowTable | None:
    """The rows of what decides; None when nothing did."""
    decided = run.conclusion.decision
    if decided is None:
        return None
    from gate.core.judging.panel_rows import panel_rows

    table = panel_rows(
        decided.batches, rules.rubric.names, batch_corpora(asked), row_fingerprints(asked, rules)
    )
    # a judge that did not answer is the judge's failure, not that of the takes
    return replace(table, errored=table.errored & False, judge_errors=table.judge_errors | table.errored)


def _listed(left_out: Mapping[str, object]) -> str:
    return ", ".join(f"{count} {name}" for name, count in left_out.items()) or "none"
