"""One replay, from a file of captures to finished rows and what is to be held against them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gate.core.parts import Part
from gate.core.plan import FileRef
from gate.core.records.system import Document
from gate.core.replay.reported import objections
from gate.core.replay.stability import Breach
from gate.core.replay.thresholds import Thresholds
from gate.errors import EvidenceError, UsageError
from gate.ports import Clock, Progress, System
from gate.store.capture_files import Captured, read_capture_file
from gate.store.corpora import pin_corpus, read_corpus
from gate.store.growing_rows import GrowingFile
from gate.suites.execute import Bounds
from gate.suites.guards import Feature
from gate.suites.replay import Replayed, ReplayTask, replay
from gate.suites.retrieval import Setting
from gate.systems.gbrain import GateCall, Gbrain, ReplayedSystem
from gate.systems.process import Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Thresholds from the command line; None = the file's own, or none."""

    jaccard: float | None = None
    top1: float | None = None
    latency_multiplier: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOrder:
    """Everything a replay is asked for. `corpus` lies below `root`; `name` is what records call the output.

    `sha256` is the digest that the captures must have; a corpus that was pinned before must still be the same.

    `gbrain` is how gbrain is called where it replays itself, `own_gate` whether its own gate is heard as well;
    `corpus` None = the system holds its documents.
    """

    against: Path
    output: Path
    name: str
    root: Path
    mode: str
    corpus: str | FileRef | None = None
    sha256: str | None = None
    gbrain: Command | None = None
    own_gate: bool = False
    compare_limit: int | None = None
    limit: int | None = None
    limits: Limits = Limits()
    required: tuple[Feature, ...] = ()
    show_text: bool = False
    seconds: float | None = None
    width: int = 1
    patience: float = 3600
    part: Part | None = None
    """Which of the captures are asked, where this is one job of a matrix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayMade:
    """What a replay has come to. `thresholds` and `missed` are None where nothing is to be held.

    `objected` is what gbrain's own gate has against it, None where it was not asked.
    """

    replayed: Replayed
    captured: Captured
    rows: FileRef
    corpus: FileRef | None
    thresholds: Thresholds | None
    missed: tuple[Breach, ...] | None
    objected: tuple[str, ...] | None = None


def conduct_replay(order: ReplayOrder, system: System | None, clock: Clock, progress: Progress) -> ReplayMade:
    """Run it on the system, or None, by gbrain; rows that were written stay, whatever happens."""
    captured = read_capture_file(order.against)
    _check_digest(order, captured)
    if order.own_gate and (order.gbrain is None or captured.file.header is None):
        raise UsageError(
            "gbrain's own gate judges a baseline that gbrain replays",
            remedy="name gbrain, and a file of `gate baseline publish` with --against; or leave out --gbrain-gate",
        )
    thresholds = chosen_thresholds(order.limits, captured)
    corpus = pin_corpus(order.root, order.corpus) if isinstance(order.corpus, str) else order.corpus
    documents = None if corpus is None else read_corpus(order.root, corpus)
    asked = system or _by_gbrain(order, captured, progress)
    rows = GrowingFile(order.output, order.name)
    try:
        task = replace(_task(order, captured, documents, corpus), thresholds=thresholds)
        replayed = replay(task, asked, rows, _setting(order, clock, progress))
    finally:
        written = rows.close()
    return ReplayMade(
        replayed=replayed,
        captured=captured,
        rows=written,
        corpus=corpus,
        thresholds=thresholds,
        missed=replayed.missed,
        objected=_own_gate(order, order.gbrain, progress) if order.gbrain and order.own_gate else None,
    )


def _own_gate(order: ReplayOrder, command: Command, progress: Progress) -> tuple[str, ...]:
    progress.stage("gbrain's own gate")
    report = Gbrain(command, seconds=order.patience).gate(GateCall(baseline=order.against.resolve()))
    return objections(report)


def _check_digest(order: ReplayOrder, captured: Captured) -> None:
    if order.sha256 not in (None, captured.sha256):
        raise EvidenceError(
            f"{order.against}: changed since the run was planned",
            remedy="do not change the captures while the gate runs",
        )


def chosen_thresholds(limits: Limits, captured: Captured) -> Thresholds | None:
    """The command line's over the file's over the defaults; None where neither says anything.

    UsageError for one that could never be missed.
    """
    header = captured.file.header
    told = {
        name: value
        for name in ("jaccard", "top1", "latency_multiplier")
        if (value := getattr(limits, name)) is not None
    }
    if header is None and not told:
        return None
    own = {} if header is None else _own(header.thresholds)
    try:
        return Thresholds(**{**own, **told})
    except ValueError as error:
        raise UsageError(str(error), remedy="NaN and what lies out of range would never be missed") from error


def _own(stated: Thresholds) -> Mapping[str, float]:
    return {
        "jaccard": stated.jaccard,
        "top1": stated.top1,
        "latency_multiplier": stated.latency_multiplier,
    }


def _by_gbrain(order: ReplayOrder, captured: Captured, progress: Progress) -> System:
    if order.gbrain is None:
        raise UsageError("the replay has no system to ask", remedy="name one, or how gbrain is called")
    progress.stage("gbrain replays")
    count = len(captured.file.captures[: order.limit])
    gbrain = Gbrain(order.gbrain, seconds=order.patience, alive=lambda _: progress.step(0, count))
    rows = gbrain.replay(
        captured.file,
        order.against.resolve(),
        mode=order.mode,
        limit=order.limit,
        compare_limit=order.compare_limit,
    )
    return ReplayedSystem(captured.file.names()[: order.limit], rows)


def _task(
    order: ReplayOrder, captured: Captured, documents: tuple[Document, ...] | None, corpus: FileRef | None
) -> ReplayTask:
    digests = {"dataset_sha256": captured.sha256}
    if corpus is not None:
        digests["corpus_sha256"] = corpus.sha256
    return ReplayTask(
        file=captured.file,
        mode=order.mode,
        compare_limit=order.compare_limit,
        limit=order.limit,
        documents=documents,
        required=order.required,
        fingerprints=digests,
        show_text=order.show_text,
        part=order.part,
    )


def _setting(order: ReplayOrder, clock: Clock, progress: Progress) -> Setting:
    until = None if order.seconds is None else clock.monotonic() + order.seconds
    return Setting(clock=clock, progress=progress, width=order.width, bounds=Bounds(deadline=until))
