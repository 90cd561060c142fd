"""The replay suite: captured queries asked again, and what is found now held against what was found then."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gate.core.parts import Part, stated
from gate.core.records.objections import Objection
from gate.core.records.qrels import without_default
from gate.core.records.system import Capabilities, Document, Query, SearchReply
from gate.core.replay.captures import Capture, CaptureFile, baseline_mean
from gate.core.replay.held import objections
from gate.core.replay.stability import (
    EMPTY_QUERY,
    Breach,
    Stability,
    Summary,
    breaches,
    compared,
    limit_of,
    summarise,
)
from gate.core.replay.thresholds import Thresholds
from gate.errors import Cancelled
from gate.ports import GrowingRows, System, SystemFailed
from gate.suites.execute import Ended, Execution, Failed, Finished, overhear
from gate.suites.guards import Feature, degradations
from gate.suites.retrieval import Setting
from gate.suites.row_writing import failed_row, first_line, last_line, row_line
from gate.suites.suitability import own_fingerprints, refuse_unknown_mode

METRICS: Final = (
    "jaccard",
    "jaccard@k",
    "top1_stability",
    "over_2x_latency",
    "latency_ms",
    "latency_delta_ms",
)
UNITS: Final = {"latency_ms": "ms", "latency_delta_ms": "ms"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayTask:
    """What to ask again and how. `documents` None = the system holds its own, and is not reset."""

    file: CaptureFile
    mode: str
    compare_limit: int | None = None
    limit: int | None = None
    documents: Sequence[Document] | None = None
    required: tuple[Feature, ...] = ()
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    show_text: bool = False
    thresholds: Thresholds | None = None
    """What the whole replay must hold; None = nothing."""
    part: Part | None = None
    """Which of the captures are asked, where this is one job of a matrix: what they must hold is then not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A finished replay in sum; `said` None = the system has said nothing about itself.

    `missed` are the thresholds that do not hold; None = there are none.
    """

    ended: Ended
    summary: Summary
    said: Capabilities | None = None
    shortfalls: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    missed: tuple[Breach, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Named:
    """A capture and its name among the others."""

    name: str
    capture: Capture


def replay(task: ReplayTask, system: System, rows: GrowingRows, setting: Setting) -> Replayed:
    """Ask every captured query again and write its row as soon as it is its turn; blank ones are skipped.

    A system that fails before the first query has failed them all: `suite_failed`. ConfigError when it has not
    the mode that is asked for.
    """
    chosen = tuple(map(_Named, task.file.names(), task.file.captures))[: task.limit]
    whole = tuple(each for each in chosen if each.capture.query.strip())
    replaying = _Replaying(task, whole, skipped=len(chosen) - len(whole), rows=rows)
    said: Capabilities | None = None
    try:
        said = system.capabilities()
        refuse_unknown_mode(said, task.mode)
        _hand_over(task, system, setting)
    except SystemFailed as error:
        overhear(setting.progress, error)
        replaying.begin(said)
        return replaying.all_failed(error)
    replaying.begin(said)
    setting.progress.stage(f"replaying {len(replaying.asked)} queries, {task.mode}")
    return replaying.everything(system, setting, said.concurrency)


def _hand_over(task: ReplayTask, system: System, setting: Setting) -> None:
    if task.documents is not None:
        setting.progress.stage("handing over the corpus")
        system.reset()
        system.ingest(task.documents)


class _Replaying:
    """The queries on their way: replies become rows, and the sum grows."""

    def __init__(
        self, task: ReplayTask, whole: tuple[_Named, ...], *, skipped: int, rows: GrowingRows
    ) -> None:
        self._task = task
        self._whole = whole
        self.asked = _own(whole, task.part)
        self._skipped = skipped
        self._rows = rows
        self._replayed: list[Stability] = []
        self._errored = 0
        self._shortfalls: Counter[str] = Counter()
        self._said: Capabilities | None = None
        self._known = frozenset(without_default(page.id) for page in task.documents or ())
        self._notes = tuple(self._remarks())

    def begin(self, said: Capabilities | None) -> None:
        """Write what is known before anything is asked."""
        self._said = said
        limit = self._task.compare_limit
        k = "captured" if limit is None else str(limit)
        line = first_line(
            metrics=METRICS,
            fingerprints={
                **own_fingerprints(said),
                **self._task.fingerprints,
                "k": k,
                "mode": self._task.mode,
            },
            units=UNITS,
            questions=len(self.asked),
            notes=self._notes,
        )
        self._rows.write(stated(line, self._part()))

    def _part(self) -> Part | None:
        part = self._task.part
        return None if part is None else part.asking([each.name for each in self._whole])

    def everything(self, system: System, setting: Setting, width: int) -> Replayed:
        """Ask as much as the bounds allow."""
        execution = Execution(
            work=lambda each: self._checked(system.search(self._query(each))),
            keep=self._keep,
            clock=setting.clock,
            progress=setting.progress,
            width=min(setting.width, width),
            bounds=setting.bounds,
        )
        try:
            ended = execution.run(self.asked)
        except Cancelled as cancelled:
            self._close()  # how many rows are missing, the file itself tells best: it says how many were meant
            left = len(self.asked) - len(self._replayed) + self._errored
            so_far = f"{left} of {len(self.asked)} queries were not asked"
            raise Cancelled(cancelled.exit_code, kept=(so_far,)) from cancelled
        if ended.stopped is not None:
            self._shortfalls[ended.stopped] = ended.left
        return self._done(ended)

    def all_failed(self, error: SystemFailed) -> Replayed:
        """Nothing could be asked: every query is an errored one."""
        failed = Failed(error.kind, f"before the first query: {error.message}", error.detail)
        for each in self.asked:
            self._fail(each, failed)
        self._shortfalls["suite_failed"] = len(self.asked)
        self._notes = (*self._notes, failed.message)
        return self._done(Ended(stopped=None, kept=len(self.asked), left=0))

    def _remarks(self) -> list[str]:
        tools = {each.capture.tool for each in self._whole}
        said = (
            (self._skipped, f"{self._skipped} captures skipped: {EMPTY_QUERY}"),
            (
                len(tools) > 1,
                "captures of `search` and of `query` are asked alike: the mode alone decides how",
            ),
        )
        return [text for when, text in said if when]

    def _query(self, each: _Named) -> Query:
        k = limit_of(each.capture, self._task.compare_limit)
        return Query(id=each.name, text=each.capture.query, k=k, mode=self._task.mode)

    def _checked(self, reply: SearchReply) -> SearchReply:
        """SystemFailed for pages that nobody handed over; a system with its own documents knows best."""
        strangers = sum(without_default(hit.doc_id) not in self._known for hit in reply.hits)
        if self._task.documents is not None and strangers:
            raise SystemFailed(
                "unknown_id",
                f"{strangers} of {len(reply.hits)} hits name documents that are not in the corpus",
                remedy="answer with the ids the documents were handed over with",
            )
        return reply

    def _keep(self, finished: Finished[_Named, SearchReply]) -> None:
        each, reply = finished.item, finished.outcome
        if isinstance(reply, Failed):
            self._fail(each, reply)
            return
        self._shortfalls.update(degradations(reply, self._task.required))
        ranked = sorted(reply.hits, key=lambda hit: hit.rank)
        pages = tuple(dict.fromkeys(without_default(hit.doc_id) for hit in ranked))
        outside = finished.elapsed_ms or 0.0
        latency = outside if reply.latency_ms is None else reply.latency_ms
        now = compared(each.capture, pages, latency, compare_limit=self._task.compare_limit)
        self._replayed.append(now)
        members = {
            **self._about(each),
            "jaccard": now.jaccard,
            "jaccard@k": now.jaccard_at_k,
            "top1_stability": float(now.top1_match),
            "over_2x_latency": None if now.latency_delta_ms is None else float(now.over_2x_latency),
            "latency_ms": now.latency_ms,
            "latency_delta_ms": now.latency_delta_ms,
            "retrieved": pages,
        }
        self._rows.write(row_line(each.name, members))

    def _fail(self, each: _Named, failed: Failed) -> None:
        self._errored += 1
        self._rows.write(failed_row(each.name, failed, self._about(each), show_text=self._task.show_text))

    def _about(self, each: _Named) -> dict[str, object]:
        capture = each.capture
        return {
            "question_type": capture.tool,
            "cluster_id": capture.query_hash,
            "content_hash": capture.content_hash(),
            "query": capture.query if self._task.show_text else None,
        }

    def _done(self, ended: Ended) -> Replayed:
        """The sum; a replay that did not go to its end is measured against its thresholds, not judged by them."""
        summary = self._summary()
        judged = self._task.thresholds if self._task.part is None else None
        missed = None if judged is None else breaches(summary, judged)
        self._close(objections(missed or ()) if ended.stopped is None else ())
        return Replayed(
            ended=ended,
            summary=summary,
            said=self._said,
            shortfalls=dict(self._shortfalls),
            notes=self._notes,
            missed=missed,
        )

    def _summary(self) -> Summary:
        return summarise(
            self._replayed,
            errored=self._errored,
            skipped=self._skipped,
            baseline_mean_ms=baseline_mean(self._task.file, [each.capture for each in self.asked]),
        )

    def _close(self, against: Sequence[Objection] = ()) -> None:
        if self._shortfalls or against or self._task.part is not None:
            self._rows.write(last_line(self._shortfalls, (), against))


def _own(whole: tuple[_Named, ...], part: Part | None) -> tuple[_Named, ...]:
    return whole if part is None else tuple(each for each in whole if part.shard.holds(each.name))
