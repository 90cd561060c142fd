"""A LongMemEval run as facts for the run ledger."""

from dataclasses import asdict

from gate.core.longmemeval.record import facts_of
from gate.core.records.run_records import Occasion, RunFacts
from gate.systems.modes import MODES
from gate.wiring.longmemeval import Made, Order


def longmemeval_error(made: Made) -> str | None:
    """Why the run is not what was asked for, in one sentence; None = it is."""
    summary = made.summary
    if made.stopped is not None:
        return (
            f"{made.stopped}: {summary.left} of {len(summary.run.own_questions())} questions were not asked"
        )
    degraded = [f"{code}: {count} questions" for code, count in summary.degraded.items() if count]
    if degraded:
        return "; ".join(degraded)
    if summary.asked and summary.errors == summary.asked:
        return f"suite_failed: all {summary.errors} questions are errors"
    return made.distrusted


def longmemeval_facts(made: Made, order: Order, occasion: Occasion) -> RunFacts:
    """Everything the ledger should know about it; a run that is not what was asked for is a failed one."""
    ours = MODES.get(order.mode) if made.summary.run.system == "reference" else None
    knobs = {} if ours is None else asdict(ours)
    error = longmemeval_error(made)
    return facts_of(made.summary, made.rows, occasion, error=error, digests=made.digests, knobs=knobs)
