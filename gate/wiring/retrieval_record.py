"""A retrieval run as facts for the run ledger."""

from dataclasses import asdict

from gate.core.records.run_records import Occasion, RunFacts, sha256_of
from gate.suites.suitability import configuration
from gate.systems.modes import MODES
from gate.wiring.retrieval import RetrievalMade, RetrievalOrder, dataset_sha256


def retrieval_error(made: RetrievalMade) -> str | None:
    """Why the run is not what was asked for, in one sentence; None = it is."""
    measured = made.measured
    if measured.shortfalls:
        return "; ".join(f"{code}: {count} queries" for code, count in sorted(measured.shortfalls.items()))
    if measured.errored and not measured.metrics:
        return f"suite_failed: all {measured.errored} queries are errors"
    return None


def retrieval_facts(made: RetrievalMade, order: RetrievalOrder, occasion: Occasion) -> RunFacts:
    """Everything the ledger should know about it; a run that is not what was asked for is a failed one."""
    said, inputs, error = made.measured.said, order.inputs, retrieval_error(made)
    ours = MODES.get(inputs.mode) if said is not None and said.name == "reference" else None
    return RunFacts(
        suite="retrieval",
        mode=inputs.mode,
        occasion=occasion,
        status="completed" if error is None else "failed",
        error=error,
        limit=inputs.limit,
        rows_path=made.rows.path,
        rows_sha256=made.rows.sha256,
        digests={
            "dataset_sha256": dataset_sha256(inputs),
            "corpus_sha256": inputs.corpus.sha256,
            "questions_sha256": sha256_of(f"{query.id}\t{query.text}" for query in made.queries),
            "answer_key_sha256": sha256_of(query.content_hash() for query in made.queries),
        },
        identities=configuration(said, inputs.mode),
        knobs={} if ours is None else asdict(ours),
        params={
            "topK": max(inputs.cuts),
            "cuts": list(inputs.cuts),
            "corpus": inputs.corpus.path,
            "documents": made.documents,
            "questions_run": len(made.measured.metrics) + made.measured.errored,
            "errors": made.measured.errored,
            "shortfalls": dict(made.measured.shortfalls) or None,
        },
        metrics=made.measured.means(),
    )
