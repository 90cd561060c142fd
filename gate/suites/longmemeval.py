"""The LongMemEval suite: for every question a clean system, its own sessions, one search, perhaps an answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Final, Protocol

from gate.core.longmemeval.haystack import Haystack, haystack_of
from gate.core.longmemeval.question import Listed, Question
from gate.core.longmemeval.row import Retrieved, answered_row, failed_row
from gate.core.longmemeval.run import Run
from gate.core.records.system import Answer, Capabilities, Hit, Query, SearchReply
from gate.errors import ConfigError
from gate.ports import Clock, System, SystemFailed
from gate.suites.execute import Ended, Execution, Failed, Finished
from gate.suites.guards import Feature, degradations
from gate.suites.retrieval import Setting

COLLIDED: Final = "slug_collision: a session that holds the answer shares its name with another"


class Questions(Protocol):
    """Where whole questions come from; called from several threads."""

    def take(self, question_id: str) -> Question:
        """A question with its haystack; each is taken once."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is left to ask of a run, and where its questions come from."""

    run: Run
    todo: Sequence[Listed]
    questions: Questions
    required: tuple[Feature, ...] = ()


def check_suitable(said: Capabilities, *, mode: str, k: int, answers: bool) -> None:
    """ConfigError when a system has not what a run wants of it."""
    if mode not in said.modes:
        raise ConfigError(
            f"the system {said.name!a} has no mode {mode!a}", remedy=f"choose one of {', '.join(said.modes)}"
        )
    if said.max_k is not None and k > said.max_k:
        raise ConfigError(
            f"the system {said.name!a} returns at most {said.max_k} chunks, not {k}", remedy="lower -k"
        )
    if answers and not said.answers:
        raise ConfigError(f"the system {said.name!a} does not answer questions", remedy="leave out --answers")


def ask(task: Task, systems: Sequence[System], write: Callable[[bytes], None], setting: Setting) -> Ended:
    """Ask everything that is left, as many questions at once as there are systems; rows in the given order.

    A question's failure is its row. Whatever had ended when the run is cancelled has been written.
    """
    setting.progress.stage(f"asking {len(task.todo)} questions, {task.run.mode}")
    asking = _Asking(task, systems, setting.clock)
    execution = Execution(
        work=asking.row,
        keep=lambda finished: write(_row(task.run, finished)),
        clock=setting.clock,
        progress=setting.progress,
        width=len(systems),
        bounds=setting.bounds,
    )
    return execution.run(task.todo)


def _row(run: Run, finished: Finished[Listed, bytes]) -> bytes:
    outcome = finished.outcome
    if not isinstance(outcome, Failed):
        return outcome
    said = f"{outcome.kind}: {outcome.message}"
    if run.show_text and outcome.detail:
        said = f"{said}: {outcome.detail}"
    return failed_row(run, finished.item, said)


class _Asking:
    """Systems that wait for a question; each has one at a time."""

    def __init__(self, task: Task, systems: Sequence[System], clock: Clock) -> None:
        self._task = task
        self._clock = clock
        self._idle: SimpleQueue[System] = SimpleQueue()
        for system in systems:
            self._idle.put(system)

    def row(self, listed: Listed) -> bytes:
        """One question's row; SystemFailed when the system does not do its part."""
        question = self._task.questions.take(listed.id)
        haystack = haystack_of(question)
        if haystack.collided_gold:
            return failed_row(self._task.run, listed, COLLIDED, haystack)
        system = self._idle.get()
        try:
            return answered_row(
                self._task.run, question, haystack, self._retrieved(system, question, haystack)
            )
        finally:
            self._idle.put(system)

    def _retrieved(self, system: System, question: Question, haystack: Haystack) -> Retrieved:
        run = self._task.run
        system.reset()
        system.ingest(haystack.documents)
        query = Query(id=question.id, text=question.text, k=run.k, mode=run.mode, question_date=question.date)
        began = self._clock.monotonic()
        reply = system.search(query)
        elapsed = (self._clock.monotonic() - began) * 1000
        _check_known(reply.hits, haystack)
        answer = system.answer(query, reply.hits) if run.answers else None
        return _with(reply, answer, elapsed, self._task.required)


def _with(
    reply: SearchReply, answer: Answer | None, elapsed_ms: float, required: tuple[Feature, ...]
) -> Retrieved:
    latency = elapsed_ms if reply.latency_ms is None else reply.latency_ms
    degraded = tuple(sorted(degradations(reply, required)))
    if answer is None:
        return Retrieved(reply=reply, degraded=degraded, latency_ms=latency)
    return Retrieved(
        reply=reply, degraded=degraded, answer=answer.text, answer_usage=answer.usage, latency_ms=latency
    )


def _check_known(hits: Sequence[Hit], haystack: Haystack) -> None:
    strangers = sum(hit.doc_id not in haystack.session_of for hit in hits)
    if strangers:
        raise SystemFailed(
            "unknown_id",
            f"{strangers} of {len(hits)} hits name documents that this question has not",
            remedy="forget every document on reset, and answer with the ids they were handed over with",
        )
