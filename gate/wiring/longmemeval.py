"""One LongMemEval run from its dataset to its finished rows: begun, continued, ended in every way truthfully."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gate.core.longmemeval.row_file import Kept, finished_lines, kept_of
from gate.core.longmemeval.run import Run, differences, first_line, retrieval_config_hash
from gate.core.longmemeval.selection import Selection, SelectionError, ids_of_text, selected
from gate.core.longmemeval.summary import Summary, failed_ids, summarise
from gate.core.parts import Part
from gate.core.plan import FileRef
from gate.core.records.run_records import sha256_of
from gate.core.records.system import Capabilities
from gate.core.shards import ALL, Shard
from gate.errors import Cancelled, EvidenceError, UsageError
from gate.ports import Clock, Progress, System
from gate.store.longmemeval_dataset import Dataset, QuestionStream, read_dataset
from gate.store.resumable_rows import ResumableFile
from gate.store.row_files import digest
from gate.suites.execute import Bounds
from gate.suites.guards import Feature
from gate.suites.longmemeval import Task, ask, check_suitable
from gate.suites.retrieval import Setting
from gate.systems.process import Command
from gate.wiring.longmemeval_by_gbrain import GBRAIN, LEARNT, Call, Told, ask_gbrain

Stopped = Literal["deadline", "budget_exhausted", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Everything that a run is asked for. `name` is what records call the output, `root` the
    repository they are kept in; `seconds` bounds the asking; `part` is what a job of a matrix states in its rows.

    `gbrain` is how gbrain is called where it asks its own questions, with `gbrain_options` besides, and
    `patience` how long it may take, in seconds.
    """

    dataset: Path
    output: Path
    name: str
    root: Path = Path()
    mode: str
    k: int = 5
    sha256: str | None = None
    limit: int | None = None
    seed: int = 42
    question_ids: Path | None = None
    shard: Shard = ALL
    part: Part | None = None
    resume: bool = False
    judged: bool = False
    """Whether a verdict follows: then the rows say how many of them an earlier start has left."""
    answers: bool = False
    show_text: bool = False
    required: tuple[Feature, ...] = ()
    seconds: float | None = None
    gbrain: Command | None = None
    gbrain_options: tuple[str, ...] = ()
    patience: float = 6 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a run has come to; `stopped` None = everything was asked. `cancelled` is to be raised again.

    `distrusted` is why a run counts as failed although its rows do not show it. `digests` are those of what went
    in, for the ledger.
    """

    summary: Summary
    rows: FileRef
    stopped: Stopped | None
    notes: tuple[str, ...]
    digests: Mapping[str, str]
    cancelled: Cancelled | None = None
    distrusted: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """How the asking went; `run` is what is known of it now."""

    run: Run
    stopped: Stopped | None = None
    cancelled: Cancelled | None = None
    notes: tuple[str, ...] = ()
    distrusted: str | None = None


def conduct(order: Order, systems: Sequence[System], clock: Clock, progress: Progress) -> Made:
    """Run the suite; every way of ending leaves the rows so far, in order, with a summary that says how it ended.

    `systems` are asked side by side; there are none where gbrain asks its own questions.
    """
    progress.stage(f"reading {order.dataset.name}")
    dataset = read_dataset(order.dataset)
    _check_digest(order, dataset)
    run = _planned(order, dataset, GBRAIN if order.gbrain is not None else systems[0].capabilities())
    file = ResumableFile(order.output)
    try:
        kept, notes = _begun(order, run, file)
        task = _task(order, run, dataset, kept.rows)
        setting = _setting(order, clock, progress)
        asked = (
            _asked(task, systems, file, setting)
            if order.gbrain is None
            else _by_gbrain(order, order.gbrain, task, kept, file, progress)
        )
        summary, lines = finished_lines(
            asked.run,
            kept_of(file.read()).rows,
            asked.stopped,
            distrusted=asked.distrusted is not None,
            part=order.part,
            notes=tuple(_earlier(kept, run)) if order.judged else (),
        )
        rows = file.finish(lines, order.name)
    finally:
        file.close()
    return Made(
        summary=summary,
        rows=rows,
        stopped=asked.stopped,
        notes=(*notes, *asked.notes),
        digests=_digests(dataset, asked.run),
        cancelled=asked.cancelled,
        distrusted=asked.distrusted,
    )


def _digests(dataset: Dataset, run: Run) -> dict[str, str]:
    own = set(run.own_questions())
    asked = [each for each in dataset.questions if each.id in own]
    return {
        "corpus_sha256": dataset.corpus_sha256,
        "questions_sha256": sha256_of(f"{each.id}\t{each.text}" for each in asked),
        "answer_key_sha256": sha256_of(f"{each.id}\t{each.key_hash}" for each in asked),
    }


def _check_digest(order: Order, dataset: Dataset) -> None:
    if order.sha256 is not None and order.sha256.lower() != dataset.sha256:
        raise EvidenceError(
            f"{order.dataset}: its sha256 is {dataset.sha256}, not {order.sha256}",
            remedy="fetch the dataset again, or name the digest of the one that is meant",
        )


def _planned(order: Order, dataset: Dataset, said: Capabilities) -> Run:
    check_suitable(said, mode=order.mode, k=order.k, answers=order.answers)
    named, named_sha256 = _named(order.question_ids)
    wish = Selection(named=named, limit=order.limit, seed=order.seed)
    try:
        questions = selected(tuple(each.id for each in dataset.questions), wish)
    except SelectionError as error:
        raise EvidenceError(
            f"{order.question_ids}: {error}", remedy="name questions of this dataset, one a line"
        ) from error
    return Run(
        dataset_sha256=dataset.sha256,
        dataset_questions=len(dataset.questions),
        k=order.k,
        mode=order.mode,
        system=said.name,
        system_version=said.version,
        fingerprints=dict(said.fingerprints),
        retrieval_config_hash=retrieval_config_hash(said, order.mode),
        answers=order.answers,
        show_text=order.show_text,
        seed=order.seed,
        limit=order.limit,
        question_ids_sha256=named_sha256,
        shard=order.shard,
        questions=questions,
    )


def _named(path: Path | None) -> tuple[tuple[str, ...] | None, str | None]:
    if path is None:
        return None, None
    sha256, _ = digest(path, name=str(path))
    try:
        return ids_of_text(path.read_text(encoding="utf-8")), sha256
    except (SelectionError, UnicodeDecodeError) as error:
        said = error if isinstance(error, SelectionError) else "this is no UTF-8"
        raise EvidenceError(f"{path}: {said}", remedy="write one question id a line") from error


def _begun(order: Order, run: Run, file: ResumableFile) -> tuple[Kept, tuple[str, ...]]:
    """What is kept of an earlier start, the file ready for more, and remarks on what was lost."""
    kept = kept_of(file.read())
    if not order.resume or not (kept.whole_bytes or kept.torn_bytes):
        _check_free(order, kept)
        return _anew(order, run, file), ()
    if kept.run is None:
        if kept.whole_bytes:
            raise _foreign(order)
        return _anew(order, run, file), ("the earlier start had written nothing yet",)
    _check_same(order, kept.run, run, LEARNT if order.gbrain is not None else frozenset())
    file.restart(kept.whole_bytes)
    return kept, tuple(_remarks(kept))


def _anew(order: Order, run: Run, file: ResumableFile) -> Kept:
    file.restart()
    file.write(first_line(run, order.part))
    return kept_of(b"")


def _check_free(order: Order, kept: Kept) -> None:
    if kept.run is None and kept.whole_bytes:
        raise _foreign(order)
    if kept.rows and not kept.summed:
        raise UsageError(
            f"{order.output}: holds an unfinished run, {len(kept.rows)} rows",
            remedy="continue it with --resume, delete the file, or give --output another name",
        )


def _foreign(order: Order) -> UsageError:
    return UsageError(
        f"{order.output}: holds something else than a run of this suite",
        remedy="give --output another name; what is there is not touched",
    )


def _check_same(order: Order, before: Run, now: Run, ignoring: frozenset[str] = frozenset()) -> None:
    found = differences(before, now, ignoring=ignoring)
    if found:
        raise EvidenceError(
            f"{order.output}: was begun as another run ({'; '.join(found)})",
            remedy="continue it as it was begun, or begin anew without resuming, into another place",
        )


def _remarks(kept: Kept) -> list[str]:
    counted = (
        (kept.torn_bytes, "bytes of a torn last line dropped"),
        (kept.unreadable, "unreadable lines passed over"),
        (kept.doubled, "rows replaced by a later one of the same question"),
    )
    said = [f"{count} {what}" for count, what in counted if count]
    return [
        f"continued after {len(kept.rows)} of {len(kept.run.own_questions()) if kept.run else 0} rows",
        *said,
    ]


def _earlier(kept: Kept, run: Run) -> Iterator[str]:
    """That not everything was asked now: the system may have been another one then, and not have said so."""
    before = len(kept.rows.keys() - failed_ids(kept.rows.values()))
    if before:
        yield f"{before} of {len(run.own_questions())} questions were asked by an earlier start, which was gone on with"


def _task(order: Order, run: Run, dataset: Dataset, kept: Mapping[str, bytes]) -> Task:
    """What has no row yet, or only an error, is asked."""
    own = set(run.own_questions())
    done = kept.keys() - failed_ids(kept.values())
    todo = tuple(each for each in dataset.questions if each.id in own and each.id not in done)
    questions = QuestionStream(dataset, {each.id for each in todo})
    return Task(run=run, todo=todo, questions=questions, required=order.required)


def _setting(order: Order, clock: Clock, progress: Progress) -> Setting:
    deadline = None if order.seconds is None else clock.monotonic() + order.seconds
    return Setting(clock=clock, progress=progress, bounds=Bounds(deadline=deadline))


def _asked(task: Task, systems: Sequence[System], file: ResumableFile, setting: Setting) -> _Asked:
    try:
        return _Asked(run=task.run, stopped=ask(task, systems, file.write, setting).stopped)
    except Cancelled as cancelled:
        return _Asked(run=task.run, stopped="cancelled", cancelled=cancelled)


def _by_gbrain(
    order: Order, command: Command, task: Task, kept: Kept, file: ResumableFile, progress: Progress
) -> _Asked:
    """What is left is asked in one go; of a run that goes on, everything learnt must be as before."""
    if not task.todo:
        return _Asked(run=kept.run or task.run)
    progress.stage(f"gbrain asks {len(task.todo)} questions, {task.run.mode}")
    call = Call(
        command=command,
        dataset=order.dataset.resolve(),
        options=order.gbrain_options,
        seconds=order.patience if order.seconds is None else min(order.seconds, order.patience),
        stops=order.seconds is not None and order.seconds <= order.patience,
        alive=lambda rows: progress.step(min(rows, len(task.todo) - 1), len(task.todo)),
    )
    told = ask_gbrain(call, task)
    if kept.run is not None and kept.run.fingerprints:
        _check_same(order, kept.run, told.run)
    told.write(task, file.write)
    return _Asked(
        run=told.run,
        stopped=told.stopped,
        cancelled=told.cancelled,
        notes=told.notes,
        distrusted=_distrusted(told, summarise(told.run, kept_of(file.read()).rows.values())),
    )


def _distrusted(told: Told, found: Summary) -> str | None:
    """gbrain's own opinion of the run, where nothing in its rows gives a reason for it."""
    if told.code <= 0 or found.errors or any(found.degraded.values()):
        return None
    return f"suite_failed: gbrain ended with exit code {told.code}, which is how it fails a run"
