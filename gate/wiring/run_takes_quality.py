"""The takes-quality suite of a plan: takes drawn, the panel asked, its receipt and its rows written."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import UNSET
from msgspec.structs import replace as with_fields

from gate.core.findings import KeptPanel
from gate.core.judging.budget import Capped
from gate.core.judging.judgement import not_asked, objections
from gate.core.judging.panel_rows import panel_rows
from gate.core.judging.prompt import Evidence
from gate.core.judging.rubric import Rubric
from gate.core.plan import FileRef
from gate.core.records.panel_terms import TakesInputs
from gate.core.records.rows import RowTable
from gate.core.records.run_records import Recordable
from gate.core.records.stopped import STOPPED
from gate.core.records.takes_receipt import TakesReceipt
from gate.core.takes.corpus import Scope
from gate.core.takes.sampling import Sampling
from gate.database import URL_VARIABLE, Database
from gate.errors import Cancelled, ConfigError, EvidenceError
from gate.ports import Ran, TakesSource
from gate.store.atomic import write_atomic
from gate.store.confinement import confine
from gate.store.corpora import pin_corpus
from gate.store.row_files import rows_bytes
from gate.store.takes_receipts import keep_takes_receipt
from gate.store.workspace import relative_or
from gate.wiring.judges import without_key
from gate.wiring.panel_terms import payable, terms_of
from gate.wiring.pinned_bytes import pinned_bytes
from gate.wiring.suite_job import SuiteJob
from gate.wiring.takes_quality import Around, Drawn, PanelMade, PanelOrder, judge
from gate.wiring.takes_record import takes_quality_facts
from gate.wiring.takes_sample import sampled

if TYPE_CHECKING:  # each is imported when takes are really read from there
    from gate.takes.markdown import MarkdownTakes
    from gate.takes.postgres import PostgresTakes

FOLDER: Final = "takes"


def run_takes_quality(inputs: TakesInputs, job: SuiteJob, cap: float | None) -> Ran:
    """Have the takes judged for at most `cap` US dollars (None = no limit), and say what was kept.

    Cancelled on the way, the panel's receipt is on disk, and the error says where. A fork's pull request has no
    keys: there the suite is not measured, and says so.
    """
    missing = _missing_secrets(inputs, job, cap)
    if missing and job.around.withheld is not None:
        return _unmeasured(inputs, job, f"there is no {' and no '.join(missing)}: {job.around.withheld}")
    order, drawn = prepared(inputs, job, cap)
    around = job.around
    made = judge(
        order, drawn, Around(environment=around.environment, clock=around.clock, progress=around.progress)
    )
    panel = _kept(made, job)
    if made.run is not None and made.run.interrupted is not None:
        raise Cancelled(made.run.interrupted, kept=(_so_far(panel, job),))
    return _written(_table(made, order), job, panel)


def prepared(inputs: TakesInputs, job: SuiteJob, cap: float | None) -> tuple[PanelOrder, Drawn]:
    """The takes, and how they are to be judged; nobody is asked yet.

    EvidenceError when the pages are not those that were planned, ConfigError when no database is named.
    """
    source = _source(inputs, job)
    drawn = _drawn(inputs, job, source)
    return replace(_order(inputs, job, cap), evidence=_evidence(inputs, source, drawn)), drawn


def _missing_secrets(inputs: TakesInputs, job: SuiteJob, cap: float | None) -> tuple[str, ...]:
    """What the environment would have to hold and does not, in words; a cassette and a budget of 0 need no keys."""
    environment = job.around.environment
    url = inputs.pages is None and not environment.get(URL_VARIABLE)
    asked = () if inputs.cassette is not None or cap == 0 else inputs.panel.models
    keyless = without_key(asked, environment)
    return (
        *(("database URL",) if url else ()),
        *((f"key for {', '.join(keyless)}",) if keyless else ()),
    )


def _drawn(inputs: TakesInputs, job: SuiteJob, source: TakesSource) -> Drawn:
    """The sample in its batches; EvidenceError when the pages are not those that were planned."""
    asked, root = inputs.takes, job.around.root
    scope = Scope(
        slug_prefix=asked.slug_prefix or "", inactive=asked.inactive, deleted_pages=asked.deleted_pages
    )
    sampling = Sampling(limit=asked.limit, seed=asked.seed, strata=asked.strata)
    drawn = sampled(source, scope, sampling, asked.batches)
    if inputs.pages is not None and pin_corpus(root, inputs.pages.path).sha256 != inputs.pages.sha256:
        raise EvidenceError(
            f"{inputs.pages.path}: changed since the run was planned",
            remedy="do not change the pages while the gate runs",
        )
    return drawn


def _source(inputs: TakesInputs, job: SuiteJob) -> "MarkdownTakes | PostgresTakes":
    if inputs.pages is not None:
        from gate.takes.markdown import MarkdownTakes

        return MarkdownTakes(confine(job.around.root, inputs.pages.path))
    url = job.around.environment.get(URL_VARIABLE)
    if not url:
        raise ConfigError(
            "`source: db`: which database?",
            remedy=f"hand its URL to this step in the variable {URL_VARIABLE}, from a secret",
        )
    from gate.takes.postgres import PostgresTakes

    return PostgresTakes(Database(url))


def _order(inputs: TakesInputs, job: SuiteJob, cap: float | None) -> PanelOrder:
    root = job.around.root
    terms = terms_of(inputs, root, job.around.tree)
    if inputs.cassette is not None:
        pinned_bytes(inputs.cassette, root, job.around.tree)
    return PanelOrder(
        rules=terms.rules,
        models=inputs.panel.models,
        roster=terms.roster,
        prices=terms.prices,
        budget=Capped(cap=payable(inputs, cap), price_file=terms.price_file),
        cassette=None if inputs.cassette is None else confine(root, inputs.cassette.path),
        deadline_seconds=job.left(),
    )


def _evidence(inputs: TakesInputs, source: "MarkdownTakes | PostgresTakes", drawn: Drawn) -> Evidence | None:
    if inputs.panel.evidence == "none":
        return None
    return Evidence(
        pages=source.page_texts({(take.origin, take.page) for batch in drawn.batches for take in batch})
    )


def _kept(made: PanelMade, job: SuiteJob) -> KeptPanel:
    """The panel's receipt below the output folder; what models wrote stays out unless words may be shown."""
    receipt = made.receipt if job.plan.show_text else _wordless(made.receipt)
    path = keep_takes_receipt(job.around.out / FOLDER, receipt)
    data = path.read_bytes()
    file = FileRef(
        path=relative_or(job.around.root, path, f"{FOLDER}/{path.name}"),
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
    )
    return KeptPanel(file, receipt)


def _wordless(receipt: TakesReceipt) -> TakesReceipt:
    if not receipt.improvements:
        return receipt
    others = {**receipt.others, "improvements_withheld": len(receipt.improvements)}
    return with_fields(receipt, improvements=(), others=others)


def _table(made: PanelMade, order: PanelOrder) -> RowTable:
    """The rows of what decides, with the panel's own judgement; none where it was stopped before it could."""
    if made.rows is not None:
        return replace(made.rows, shortfalls=_shortfalls(made, order))
    said = objections(made.receipt, order.rules)
    return replace(_nothing(order.rules.rubric, {}), objections=said, shortfalls=_shortfalls(made, order))


def _shortfalls(made: PanelMade, order: PanelOrder) -> Mapping[str, int]:
    """How many questions to judges were left unanswered by a run that was stopped."""
    run = made.run
    reason = str(made.receipt.others.get("reason"))
    if run is None or reason not in STOPPED:
        return {}
    every = len(run.prompts) * len(order.models)
    answered = sum(slot.error is None for _, slot in run.unfinished)
    return {reason: max(every * (order.rules.cycles - len(run.cycles)) - answered, 1)}


def _unmeasured(inputs: TakesInputs, job: SuiteJob, why: str) -> Ran:
    rubric = terms_of(inputs, job.around.root, job.around.tree).rules.rubric
    return _written(replace(_nothing(rubric, {}), objections=(not_asked(why),)), job, None)


def _nothing(rubric: Rubric, fingerprints: Mapping[str, str]) -> RowTable:
    return panel_rows((), rubric.names, (), fingerprints)


def _written(table: RowTable, job: SuiteJob, panel: KeptPanel | None) -> Ran:
    data = rows_bytes(table)
    write_atomic(job.output, data)
    rows = FileRef(path=job.name, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
    return Ran(rows=rows, table=table, panel=panel, recordable=_recordable(table, rows, panel))


def _recordable(table: RowTable, rows: FileRef, panel: KeptPanel | None) -> Recordable:
    """The panel's receipt as a run of a ledger; without one, why nobody was asked."""
    if panel is None:
        return "; ".join(said.message for said in table.objections)
    where = (rows.path, rows.sha256) if len(table) else (None, None)
    return lambda occasion: takes_quality_facts(panel.receipt, occasion, Path(panel.file.path), where)


def _so_far(panel: KeptPanel, job: SuiteJob) -> str:
    """What is left of a panel that was cancelled, in a sentence."""
    cost = panel.receipt.cost_usd
    spent = "its cost is unknown" if cost is None else f"it cost ${cost:.4f}"
    kept = "the scores it had given are in" if _gave_scores(panel.receipt) else "it had given no scores; see"
    return f"{job.output.stem}: the panel was stopped, {spent}; {kept} {panel.file.path}"


def _gave_scores(receipt: TakesReceipt) -> bool:
    unfinished = () if receipt.unfinished is UNSET else receipt.unfinished
    return receipt.cycles_run > 0 or any(reply.scores for reply in unfinished)
