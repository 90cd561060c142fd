"""The files a suite is asked on, pinned by their content before anything runs."""

from gate.core.plan import AskedSuite, RetrievalInputs, RetrievalRequest, SuiteInputs
from gate.ports import Files


def pinned_inputs(asked: AskedSuite, files: Files) -> SuiteInputs:
    """What the suite will read; EvidenceError when one of its files cannot be read."""
    match asked:
        case RetrievalRequest():
            return _retrieval(asked, files)


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
