"""One retrieval run from its pinned inputs to its finished rows."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from gate.core.parts import Part
from gate.core.plan import Feature, FileRef
from gate.core.records.qrels import JudgedQuery, QrelsError, read_qrels, read_queries, with_texts
from gate.core.records.suite_inputs import RetrievalInputs
from gate.core.records.system import Document
from gate.errors import EvidenceError
from gate.ports import System
from gate.store.confinement import confine
from gate.store.corpora import read_corpus
from gate.store.growing_rows import GrowingFile
from gate.store.row_files import digest
from gate.suites.retrieval import Measured, Setting, Task, measure
from gate.wiring.pinned_bytes import bytes_on_disk


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOrder:
    """A run: inputs below `root`, rows to `output`, which records call `name`."""

    root: Path
    inputs: RetrievalInputs
    output: Path
    name: str
    required: tuple[Feature, ...] = ()
    show_text: bool = False
    part: Part | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalMade:
    """What a run has come to."""

    measured: Measured
    rows: FileRef
    documents: int
    queries: tuple[JudgedQuery, ...]

    @property
    def classes(self) -> dict[str, str]:
        """The class of every query that has one."""
        return {query.id: query.type for query in self.queries if query.type is not None}


def conduct_retrieval(order: RetrievalOrder, system: System, setting: Setting) -> RetrievalMade:
    """Read what was pinned, ask the system, write the rows; EvidenceError when an input is not what it was."""
    setting.progress.stage("reading corpus and judgements")
    documents = read_corpus(order.root, order.inputs.corpus)
    task = _task(order, documents)
    rows = GrowingFile(order.output, order.name)
    try:
        measured = measure(task, system, rows, setting)
    finally:
        written = rows.close()
    return RetrievalMade(
        measured=measured, rows=written, documents=len(documents), queries=tuple(task.queries)
    )


def _task(order: RetrievalOrder, documents: tuple[Document, ...]) -> Task:
    inputs = order.inputs
    return Task(
        documents=documents,
        queries=_queries(order.root, inputs)[: inputs.limit],
        cuts=inputs.cuts,
        mode=inputs.mode,
        required=order.required,
        fingerprints={"corpus_sha256": inputs.corpus.sha256, "dataset_sha256": dataset_sha256(inputs)},
        show_text=order.show_text,
        part=order.part,
    )


def dataset_sha256(inputs: RetrievalInputs) -> str:
    """The identity of the questions: of the judgements, and of the queries where they lie elsewhere."""
    if inputs.queries is None:
        return inputs.qrels.sha256
    return sha256(f"{inputs.qrels.sha256}\n{inputs.queries.sha256}\n".encode()).hexdigest()


def _queries(root: Path, inputs: RetrievalInputs) -> tuple[JudgedQuery, ...]:
    remedy = "see docs/retrieval.md for the shapes that are read"
    try:
        judged = read_qrels(bytes_on_disk(inputs.qrels, root))
    except QrelsError as error:
        raise EvidenceError(f"{inputs.qrels.path}: {error}", remedy=remedy) from error
    name = inputs.qrels.path if inputs.queries is None else inputs.queries.path
    try:
        texts = {} if inputs.queries is None else read_queries(bytes_on_disk(inputs.queries, root))
        return with_texts(judged, texts)
    except QrelsError as error:
        raise EvidenceError(f"{name}: {error}", remedy="name the file with the queries' texts") from error


def pinned(root: Path, path: str) -> FileRef:
    """A file and its digest now; EvidenceError when it cannot be read."""
    found, size = digest(confine(root, path), name=path)
    return FileRef(path=path, sha256=found, bytes=size)
