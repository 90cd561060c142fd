"""A release sweep: what it may cost, every suite measured and recorded, and the pages that a release is told by."""

import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.core.assemble import Circumstances, not_begun
from gate.core.mode_comparison import Options, Selection, Unavailable, compare_modes
from gate.core.mode_report import ModeReport
from gate.core.plan import Plan
from gate.core.receipt import sealed
from gate.core.records.ledger import Ledger, RunRecord
from gate.core.records.rows import RowTable
from gate.core.records.run_records import ran_at
from gate.core.release import Recorded, Release, released, worded
from gate.core.report import Report
from gate.core.sweep import QUESTIONS, Estimate, guessed, planned_cost
from gate.errors import UnavailableError, UsageError
from gate.ledgers.jsonl import FILE_NAME, JsonlLedger
from gate.pipeline import publish, run
from gate.ports import NotHereError
from gate.render.compare_json import compare_json
from gate.render.compare_report import compare_report
from gate.render.release_page import release_page
from gate.settings.narrowing import NARROWING
from gate.store.atomic import write_atomic
from gate.store.output_folder import refuse_inputs, written_by
from gate.store.workspace import relative_or
from gate.wiring import Job
from gate.wiring.known_modes import refuse_unknown_modes
from gate.wiring.panel_projection import projected_costs
from gate.wiring.recorded_runs import RecordedRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a sweep was asked beside the configuration; `ledger` None = one of its own in the output folder.

    `confirmed` = it may cost more than the budget.
    """

    overrides: Mapping[str, str] = field(default_factory=dict)
    ledger: Path | None = None
    confirmed: bool = False
    local: Callable[[], tuple[str, ...]] = tuple
    """The files that no commit holds; NotHereError where that cannot be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeping:
    """A sweep that is decided and has not begun."""

    job: Job
    wanted: Wanted
    estimate: Estimate
    panels: Mapping[str, float | None]

    @property
    def most_usd(self) -> float:
        """What it may cost, as far as that is known."""
        return self.estimate.total_usd + sum(most or 0.0 for most in self.panels.values())

    @property
    def over_budget(self) -> str | None:
        """Why it is not begun; None = it is within the budget, or there is none, or it was confirmed."""
        budget = self.job.plan.budget_usd
        if self.wanted.confirmed or budget is None or self.most_usd <= budget:
            return None
        return (
            f"the sweep may cost {_dollars(self.most_usd)} USD, and the budget is {budget:g} USD: "
            "nothing was run"
        )


@dataclass(frozen=True, slots=True)
class Swept:
    """A finished sweep."""

    report: Report
    release: Release


def sweeping(job: Job, wanted: Wanted) -> Sweeping:
    """Decide everything else about a sweep; nothing has run. Whatever could not work is refused here.

    UsageError where its ledger is a file of something else; ConfigError where the system lacks a mode.
    """
    around = job.around
    if wanted.ledger is None:
        refuse_inputs(around.out, around.root, job.plan, besides=(around.out / FILE_NAME,))
    else:
        _refuse_as_ledger(wanted.ledger, written_by(job.plan, around.out))
    refuse_unknown_modes(job.plan, around.root, around.environment)
    return Sweeping(
        job=job,
        wanted=wanted,
        estimate=planned_cost(job.plan),
        panels=projected_costs(job.plan, around.root, around.environment),
    )


def estimate_lines(asked: Sweeping) -> Iterator[str]:
    """What it may cost, suite by suite, for whoever starts it."""
    without_limit = guessed(asked.job.plan)
    for name, usd in asked.estimate.per_suite.items():
        about = f"about {_dollars(usd)} USD"
        bounded = f"at most {about}"
        guess = f"{about} for every {QUESTIONS} questions; it has no limit"
        yield f"{name}: {guess if name in without_limit else bounded}"
    for name, most in asked.panels.items():
        known = (
            "unknown: no price, or no takes to be read" if most is None else f"at most {_dollars(most)} USD"
        )
        yield f"{name}, one cycle of its panel: {known}"
    budget = asked.job.plan.budget_usd
    limit = "no budget is set" if budget is None else f"the budget is {budget:g} USD"
    yield f"together, as far as it is known: {_dollars(asked.most_usd)} USD; {limit}"


def _dollars(amount: float) -> str:
    """Three decimals, below ten cents as many as make three digits that count."""
    decimals = 2 - math.floor(math.log10(amount)) if amount > 0 else 3
    return f"{amount:.{max(3, decimals)}f}"


def refused(asked: Sweeping, why: str, *, tool_version: str) -> Report:
    """A receipt that says that nothing was run, and why; it is on disk when this returns."""
    job = asked.job
    facts = Circumstances(tool_version, ran_at(job.ports.clock.now()), {}, {})
    report = sealed(not_begun(job.plan, facts, why))
    job.ports.output.open()
    publish(report, job.ports.output)
    return report


def sweep(asked: Sweeping, *, tool_version: str) -> Swept:
    """Run everything, record each suite as it ends, compare the modes, write the pages.

    Cancelled on the way, what has ended is recorded, and the error is raised again.
    """
    job = asked.job
    uncommitted, unseen = _local(asked.wanted)
    job.ports.output.open()
    runs = _recorded_runs(asked)
    report = run(job.plan, replace(job.ports, suites=runs), tool_version=tool_version)
    _record_brought(report, job, runs)
    job.ports.progress.stage("comparing the modes")
    modes = modes_of(job.plan, runs.recorded)
    release = replace(_release(asked, report, modes, runs.recorded), uncommitted=uncommitted, unseen=unseen)
    for name, text in (
        ("modes.json", compare_json(modes)),
        ("modes.md", compare_report(modes)),
        ("release.md", release_page(report, release)),
    ):
        job.ports.output.write(name, text.encode())
    return Swept(report, release)


def _local(wanted: Wanted) -> tuple[tuple[str, ...], str | None]:
    """What no commit holds before anything is measured, and why that cannot be told, where it cannot."""
    try:
        return wanted.local(), None
    except NotHereError as error:
        return (), error.message


def modes_of(plan: Plan, recorded: Sequence[Recorded]) -> ModeReport:
    """The modes side by side by the comparator of ledgers, on the records and rows of this sweep alone."""
    tables = {each.record.run_id: each.table for each in recorded}

    def rows_of(record: RunRecord) -> RowTable | Unavailable:
        table = tables[record.run_id]
        return Unavailable("the run left no rows") if table is None or not len(table) else table

    options = Options(
        draws=plan.stats.draws, seed=plan.stats.seed, metrics={spec.name: spec for spec in plan.metrics}
    )
    ledger = Ledger(records=tuple(each.record for each in recorded))
    return compare_modes(ledger, Selection(), rows_of, options)


def _recorded_runs(asked: Sweeping) -> RecordedRuns:
    job = asked.job
    if job.ports.suites is None:
        raise ValueError("nobody runs the suites of this sweep")
    return RecordedRuns(job.ports.suites, job.plan, _ledger(asked), job.around)


def _ledger(asked: Sweeping) -> JsonlLedger:
    """The ledger that was named, or a new one: records of an earlier sweep name rows that this one replaces."""
    named = asked.wanted.ledger
    if named is None:
        own = asked.job.around.out / FILE_NAME
        write_atomic(own, b"")
        return JsonlLedger(own)
    try:
        named.parent.mkdir(parents=True, exist_ok=True)
        named.open("ab").close()
    except OSError as error:
        raise UnavailableError(
            f"{named}: the ledger cannot be written ({error.strerror})",
            remedy="check the path and its permissions, or leave out --ledger",
        ) from error
    return JsonlLedger(named)


def _record_brought(report: Report, job: Job, runs: RecordedRuns) -> None:
    """Rows that somebody else measured belong to the release, too."""
    planned = {suite.name: suite for suite in job.plan.suites}
    for found in report.suites:
        suite = planned[found.name]
        if suite.rows is not None and suite.anchored is None:
            runs.brought(report, suite, found, job.ports.rows.read(suite.rows))


def _release(asked: Sweeping, report: Report, modes: ModeReport, recorded: Sequence[Recorded]) -> Release:
    texts = asked.job.ports.texts
    suites = released(report, modes, recorded)
    if texts is not None and report.plan.show_text:
        suites = tuple(worded(suite, texts.texts) for suite in suites)
    return Release(
        suites=suites,
        modes=modes,
        estimate=asked.estimate,
        panels=asked.panels,
        commands=tuple(_commands(asked, report)),
    )


def _commands(asked: Sweeping, report: Report) -> Iterator[str]:
    """Shell lines that repeat the sweep, check its receipt and compare its modes again."""
    around, wanted, config = asked.job.around, asked.wanted, report.plan.config
    out = relative_or(around.root, around.out, str(around.out))
    words = ["gate", "sweep", *(() if config is None else ("--config", config.path)), "--out", out]
    for name in NARROWING:
        if wanted.overrides.get(name):
            words += [f"--{name}", wanted.overrides[name]]
    named = None if wanted.ledger is None else relative_or(around.root, wanted.ledger, str(wanted.ledger))
    words += [] if named is None else ["--ledger", named]
    yield shlex.join([*words, "--yes"] if wanted.confirmed else words)
    others = {name: value for name, value in wanted.overrides.items() if name not in NARROWING}
    if others:
        yield f"# with the inputs {', '.join(f'{name}: {value}' for name, value in others.items())} of the action"
    yield shlex.join(["gate", "verify", f"{out}/receipt.json"])
    yield shlex.join(["gate", "compare", "--input", named or f"{out}/{FILE_NAME}"])


def _refuse_as_ledger(path: Path, written: Sequence[Path]) -> None:
    """UsageError where records would be added to a file that this sweep replaces, or that is no ledger."""
    remedy = "name a file of its own, such as .gbrain-evals/eval-results.jsonl"
    if path.resolve() in {each.resolve() for each in written}:
        raise UsageError(f"--ledger {path}: this sweep writes something else there", remedy=remedy)
    found = JsonlLedger(path).read() if path.exists() and not path.is_dir() else Ledger()
    if not found.records and any(skip.kind != "blank" for skip in found.skips):
        raise UsageError(
            f"--ledger {path}: holds something else than records of runs; it is not touched", remedy=remedy
        )
