"""A LongMemEval run as facts for the run ledger."""

from collections.abc import Mapping
from dataclasses import replace

from gate.core.longmemeval.summary import Summary
from gate.core.plan import FileRef
from gate.core.records.row_fields import QA_ACCURACY, RECALL_ALL, RECALL_ANY
from gate.core.records.run_records import Occasion, RunFacts


def facts_of(
    summary: Summary,
    rows: FileRef,
    occasion: Occasion,
    *,
    error: str | None,
    digests: Mapping[str, str],
    knobs: Mapping[str, object],
) -> RunFacts:
    """The run's facts; `error` None = the run is complete and as it was asked for. `knobs` are the mode's."""
    run = summary.run
    aggregate = dict(summary.aggregate)
    return RunFacts(
        suite="longmemeval",
        mode=run.mode,
        occasion=replace(occasion, seed=run.seed),
        status="completed" if error is None else "failed",
        error=error,
        limit=run.limit,
        rows_path=rows.path,
        rows_sha256=rows.sha256,
        digests=digests,
        knobs=knobs,
        params={
            **summary.run_config(),
            "questions_run": summary.asked,
            "aggregate": aggregate,
            "mean_distinct_sessions": summary.mean_distinct_sessions,
            "qa_accuracy": None if summary.answers is None else summary.answers.members(),
        },
        metrics=_metrics(summary),
    )


def _metrics(summary: Summary) -> dict[str, float]:
    """What was measured; a rate over nothing is left out."""
    rates = {
        RECALL_ALL: summary.aggregate["all_rate"],
        RECALL_ANY: summary.aggregate["any_rate"],
        QA_ACCURACY: None if summary.answers is None else summary.answers.accuracy,
    }
    return {name: rate for name, rate in rates.items() if isinstance(rate, float)}
