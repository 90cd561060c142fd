"""The files a suite is asked on, pinned by their content before anything runs."""

from gate.core.plan import AskedSuite, SuiteInputs
from gate.core.records.file_ref import FileRef
from gate.core.records.panel_terms import TakesInputs, TakesRequest
from gate.core.records.suite_inputs import (
    BrainbenchInputs,
    BrainbenchRequest,
    LongMemEvalInputs,
    LongMemEvalRequest,
    ReplayInputs,
    ReplayRequest,
    RetrievalInputs,
    RetrievalRequest,
)
from gate.errors import EvidenceError
from gate.ports import Files


def pinned_inputs(asked: AskedSuite, files: Files, baseline_files: Files) -> SuiteInputs:
    """What the suite will read; EvidenceError when one of its files cannot be read.

    What a suite is compared with comes from `baseline_files`: a pull request cannot bring its own.
    """
    match asked:
        case RetrievalRequest():
            return _retrieval(asked, files)
        case LongMemEvalRequest():
            return _longmemeval(asked, files)
        case ReplayRequest():
            return _replay(asked, files, baseline_files)
        case BrainbenchRequest():
            return _brainbench(asked, files, baseline_files)
        case TakesRequest():
            return _takes(asked, files, baseline_files)


def _retrieval(asked: RetrievalRequest, files: Files) -> RetrievalInputs:
    queries = asked.queries or files.queries_beside(asked.corpus)
    return RetrievalInputs(
        corpus=files.pin_corpus(asked.corpus),
        qrels=files.pin(asked.qrels),
        queries=None if queries is None else files.pin(queries),
        cuts=asked.cuts,
        mode=asked.mode,
        limit=asked.limit,
    )


def _longmemeval(asked: LongMemEvalRequest, files: Files) -> LongMemEvalInputs:
    dataset = _dataset(asked.dataset, files)
    if asked.sha256 is not None and asked.sha256.lower() != dataset.sha256:
        raise EvidenceError(
            f"{asked.dataset}: its sha256 is {dataset.sha256}, not {asked.sha256}",
            remedy="fetch it again with `gate dataset fetch`, or name the digest of the one that is meant",
        )
    return LongMemEvalInputs(
        dataset=dataset,
        k=asked.k,
        mode=asked.mode,
        limit=asked.limit,
        seed=asked.seed,
        question_ids=None if asked.question_ids is None else files.pin(asked.question_ids),
        reader=asked.reader,
        options=asked.options,
    )


def _dataset(path: str, files: Files) -> FileRef:
    if not files.has(path):
        raise EvidenceError(
            f"{path}: there is no such dataset",
            remedy="fetch it in a step before: `gate dataset fetch URL --sha256 HEX --output FILE`",
        )
    return files.pin(path)


def _replay(asked: ReplayRequest, files: Files, baseline_files: Files) -> ReplayInputs:
    """The captures as the base has them; those of the change itself where it has none."""
    source = baseline_files if baseline_files.has(asked.against) else files
    return ReplayInputs(
        against=source.pin(asked.against),
        corpus=None if asked.corpus is None else files.pin_corpus(asked.corpus),
        mode=asked.mode,
        compare_limit=asked.compare_limit,
        limit=asked.limit,
        limits=asked.limits,
    )


def _brainbench(asked: BrainbenchRequest, files: Files, baseline_files: Files) -> BrainbenchInputs:
    return BrainbenchInputs(
        baseline=asked.baseline,
        committed=_if_there(asked.baseline, files),
        base=_if_there(asked.baseline, baseline_files),
        result=None if asked.result is None else files.pin(asked.result),
        seed=asked.seed,
        allowed=asked.allowed,
    )


def _if_there(path: str | None, files: Files) -> FileRef | None:
    return None if path is None or not files.has(path) else files.pin(path)


def _takes(asked: TakesRequest, files: Files, baseline_files: Files) -> TakesInputs:
    """The rubric and the prices as the base has them: a pull request cannot bring its own where there are some."""

    def as_the_base_has_it(path: str | None) -> FileRef | None:
        if path is None:
            return None
        return (baseline_files if baseline_files.has(path) else files).pin(path)

    return TakesInputs(
        takes=asked.takes,
        panel=asked.panel,
        pages=None if asked.pages is None else files.pin_corpus(asked.pages),
        cassette=None if asked.cassette is None else files.pin(asked.cassette),
        rubric=as_the_base_has_it(asked.rubric),
        prices=as_the_base_has_it(asked.prices),
        shipped=asked.shipped,
    )
