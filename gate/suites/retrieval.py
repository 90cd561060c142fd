"""The retrieval suite: judged queries asked of a system, measured one by one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gate.core.metrics import (
    Metrics,
    Scores,
    best_scores,
    by_class,
    evaluate,
    gold_rank,
    metric_names,
    ranking,
)
from gate.core.parts import Part, stated
from gate.core.records.qrels import JudgedQuery, without_default
from gate.core.records.system import Capabilities, Document, Query, SearchReply
from gate.core.wording import counted
from gate.errors import Cancelled, ConfigError, EvidenceError
from gate.ports import Clock, GrowingRows, Progress, System, SystemFailed
from gate.suites.execute import Bounds, Ended, Execution, Failed, Finished, overhear
from gate.suites.guards import Feature, degradations
from gate.suites.row_writing import failed_row, first_line, last_line, row_line

TOP1: Final = "expected_top1_hit"
UNITS: Final = {"latency_ms": "ms", "cost_usd": "usd", "delivered_tokens": "tokens"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to ask and how: everything the rows follow from, but for the system itself."""

    documents: Sequence[Document]
    queries: Sequence[JudgedQuery]
    cuts: tuple[int, ...]
    mode: str
    required: tuple[Feature, ...] = ()
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    show_text: bool = False
    part: Part | None = None
    """Which of the queries are asked, where this is one job of a matrix."""

    @property
    def own(self) -> Sequence[JudgedQuery]:
        """The queries that are asked here."""
        part = self.part
        return self.queries if part is None else [each for each in self.queries if part.shard.holds(each.id)]

    @property
    def k(self) -> int:
        """How many hits are asked for: as many as the deepest cut needs."""
        return max(self.cuts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Who tells the time, who is told of progress, how many at once, and where the run ends by itself."""

    clock: Clock
    progress: Progress
    width: int = 1
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A finished run in sum; `metrics` has every answered query, None for one nothing is relevant to.

    `said` is what the system says of itself; None = not even that.
    """

    ended: Ended
    said: Capabilities | None = None
    errored: int = 0
    shortfalls: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    metrics: Mapping[str, Metrics | None] = field(default_factory=dict)

    def means(self) -> dict[str, float]:
        """The mean of every metric over the queries that have it."""
        names = dict.fromkeys(name for measured in self.metrics.values() for name in measured or ())
        one = dict.fromkeys(self.metrics, "")
        return {name: by_class(self.metrics, one, name)[""][0] for name in names}


def measure(task: Task, system: System, rows: GrowingRows, setting: Setting) -> Measured:
    """Hand over the corpus, ask every query, write its row as soon as it is its turn.

    A system that fails before the first query has failed them all: `suite_failed`. ConfigError when the system
    has not what is asked for, EvidenceError when judgements and corpus do not belong together.
    """
    notes = _remarks(task)
    setting.progress.stage("handing over the corpus")
    said: Capabilities | None = None
    try:
        said = system.capabilities()
        notes = (*notes, *_suitable(said, task))
        system.reset()
        system.ingest(task.documents)
    except SystemFailed as error:
        overhear(setting.progress, error)
        rows.write(_first_line(task, said, notes))
        return replace(_all_failed(task, rows, error, notes), said=said)
    rows.write(_first_line(task, said, notes))
    setting.progress.stage(f"asking {len(task.own)} queries, {task.mode}")
    measured = _Asking(task, system, rows).everything(setting, said.concurrency, notes)
    return replace(measured, said=said)


class _Asking:
    """The queries on their way: replies become rows, and what is worth knowing is counted."""

    def __init__(self, task: Task, system: System, rows: GrowingRows) -> None:
        self._task = task
        self._system = system
        self._rows = rows
        self._own = task.own
        self._known = frozenset(without_default(document.id) for document in task.documents)
        self._shortfalls: Counter[str] = Counter()
        self._oddities: Counter[str] = Counter()
        self._metrics: dict[str, Metrics | None] = {}
        self._errored = 0

    def everything(self, setting: Setting, width: int, notes: tuple[str, ...]) -> Measured:
        execution = Execution(
            work=self._ask,
            keep=self._keep,
            clock=setting.clock,
            progress=setting.progress,
            width=min(setting.width, width),
            bounds=setting.bounds,
        )
        try:
            ended = execution.run(self._own)
        except Cancelled as cancelled:
            self._close()  # how many rows are missing, the file itself tells best: it says how many were meant
            left = len(self._own) - len(self._metrics) + self._errored
            so_far = f"{left} of {len(self._own)} queries were not asked"
            raise Cancelled(cancelled.exit_code, kept=(so_far,)) from cancelled
        if ended.stopped is not None:
            self._shortfalls[ended.stopped] = ended.left
        return Measured(
            ended=ended,
            errored=self._errored,
            shortfalls=dict(self._shortfalls),
            notes=(*notes, *self._close()),
            metrics=self._metrics,
        )

    def _ask(self, query: JudgedQuery) -> SearchReply:
        asked = Query(id=query.id, text=query.text or "", k=self._task.k, mode=self._task.mode)
        reply = self._system.search(asked)
        strangers = sum(without_default(hit.doc_id) not in self._known for hit in reply.hits)
        if strangers:
            raise SystemFailed(
                "unknown_id",
                f"{strangers} of {len(reply.hits)} hits name documents that are not in the corpus",
                remedy="answer with the ids the documents were handed over with",
            )
        return reply

    def _keep(self, finished: Finished[JudgedQuery, SearchReply]) -> None:
        query, reply = finished.item, finished.outcome
        about = {"question_type": query.type, "content_hash": query.content_hash()}
        if self._task.show_text:
            about["query"] = query.text
        if isinstance(reply, Failed):
            self._errored += 1
            self._rows.write(failed_row(query.id, reply, about, show_text=self._task.show_text))
            return
        self._shortfalls.update(degradations(reply, self._task.required))
        scores, ranked = self._ranked(reply)
        self._metrics[query.id] = measured = _measured(query, scores, ranked, self._task.cuts)
        latency = finished.elapsed_ms if reply.latency_ms is None else reply.latency_ms
        members = {
            **about,
            **(measured or {}),
            "gold_rank": gold_rank(ranked, query.grades),
            "retrieved": ranked,
            "latency_ms": latency,
            "delivered_tokens": reply.delivered_tokens,
            "cost_usd": reply.usage.cost_usd,
        }
        self._rows.write(row_line(query.id, members))

    def _ranked(self, reply: SearchReply) -> tuple[Scores, tuple[str, ...]]:
        """The pages found, each once, with their scores, best first and no more than were asked for."""
        best = best_scores((without_default(hit.doc_id), hit.score) for hit in reply.hits)
        ranked = ranking(best)
        by_rank = [hit.score for hit in sorted(reply.hits, key=lambda hit: hit.rank)]
        self._oddities["out_of_order"] += by_rank != sorted(by_rank, reverse=True)
        self._oddities["too_long"] += len(reply.hits) > self._task.k
        kept = ranked[: self._task.k]
        return {page: best[page] for page in kept}, kept

    def _close(self) -> tuple[str, ...]:
        """Write what fell short and what was odd; the latter is also returned."""
        notes = oddity_notes(self._oddities, self._task.k)
        if self._task.part is not None:
            self._rows.write(last_line(self._shortfalls, oddities=self._oddities))
        elif self._shortfalls or notes:
            self._rows.write(last_line(self._shortfalls, notes))
        return notes


def oddity_notes(oddities: Mapping[str, int], k: int) -> tuple[str, ...]:
    """What was odd in the replies, in words."""
    counted = (
        ("out_of_order", "replies whose ranks contradict their scores: ordered by score"),
        ("too_long", f"replies with more than {k} hits: cut"),
    )
    return tuple(f"{oddities[name]} {what}" for name, what in counted if oddities.get(name))


def _measured(
    query: JudgedQuery, scores: Scores, ranked: Sequence[str], cuts: Sequence[int]
) -> Metrics | None:
    measured = evaluate({query.id: scores}, {query.id: query.grades}, cuts)[query.id]
    if measured is None or query.expected_top1 is None:
        return measured
    return {**measured, TOP1: float(ranked[:1] == (query.expected_top1,))}


def _remarks(task: Task) -> tuple[str, ...]:
    """What a reader must know about these documents and judgements together."""
    known = {without_default(document.id) for document in task.documents}
    gold = {page for query in task.queries for page, grade in query.grades.items() if grade > 0}
    if gold and not gold & known:
        raise EvidenceError(
            f"none of the {len(gold)} relevant documents is in the corpus",
            remedy="judge documents by the corpus' own ids: `_id` of a line, the path of a page without suffix",
        )
    missing = len(gold - known)
    unjudged = sum(all(grade <= 0 for grade in query.grades.values()) for query in task.queries)
    said = (
        (missing, f"{missing} relevant documents are not in the corpus: recall cannot reach 1"),
        (unjudged, f"no metrics, because no document is relevant: {counted(unjudged, 'query', 'queries')}"),
        (
            task.k >= len(known),
            f"k = {task.k} reaches all {len(known)} documents: recall and hit say nothing about the order",
        ),
    )
    return tuple(text for when, text in said if when)


def _suitable(said: Capabilities, task: Task) -> tuple[str, ...]:
    if task.mode not in said.modes:
        raise ConfigError(
            f"the system {said.name!a} has no mode {task.mode!a}",
            remedy=f"choose one of {', '.join(said.modes)}",
        )
    if said.max_k is not None and said.max_k < task.k:
        return (f"k = {task.k}, but the system returns at most {said.max_k} hits",)
    return ()


def _first_line(task: Task, said: Capabilities | None, notes: Sequence[str]) -> bytes:
    own = {} if said is None else {**said.fingerprints, "system": said.name, "system_version": said.version}
    known = {name: text for name, text in own.items() if text is not None}
    top1 = (TOP1,) if any(query.expected_top1 is not None for query in task.queries) else ()
    line = first_line(
        metrics=(*metric_names(task.cuts), *top1, *UNITS),
        fingerprints={**known, **task.fingerprints, "k": str(task.k), "mode": task.mode},
        units=UNITS,
        questions=len(task.own),
        notes=notes,
    )
    return stated(line, task.part and task.part.asking([query.id for query in task.queries]))


def _all_failed(task: Task, rows: GrowingRows, error: SystemFailed, notes: tuple[str, ...]) -> Measured:
    failed = Failed(error.kind, f"before the first query: {error.message}", error.detail)
    for query in task.own:
        about = {"question_type": query.type, "content_hash": query.content_hash()}
        rows.write(failed_row(query.id, failed, about, show_text=task.show_text))
    shortfalls = {"suite_failed": len(task.own)}
    rows.write(last_line(shortfalls, (failed.message,)))
    ended = Ended(stopped=None, kept=len(task.own), left=0)
    return Measured(ended=ended, errored=len(task.own), shortfalls=shortfalls, notes=(*notes, failed.message))
