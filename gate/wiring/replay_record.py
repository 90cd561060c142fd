"""A replay as facts for the run ledger."""

from dataclasses import asdict

from gate.core.records.run_records import Occasion, RunFacts, sha256_of
from gate.core.replay.held import breach_text
from gate.suites.suitability import configuration
from gate.systems.modes import MODES
from gate.wiring.replaying import ReplayMade, ReplayOrder


def replay_error(made: ReplayMade) -> str | None:
    """Why the run is not what was asked for, in one sentence; None = it is. Missed thresholds are no error."""
    summary, short = made.replayed.summary, made.replayed.shortfalls
    if short:
        return "; ".join(f"{code}: {count} queries" for code, count in sorted(short.items()))
    if summary.rows_errored and not summary.rows_replayed:
        return f"suite_failed: all {summary.rows_errored} queries are errors"
    if made.objected:
        return f"gbrain's own gate: {'; '.join(made.objected)}"
    return None if summary.rows_replayed else "empty_suite: there was nothing to ask"


def replay_failure(made: ReplayMade) -> str | None:
    """Why it is recorded as failed: what is wrong with the run, else the thresholds that it missed."""
    missed = "; ".join(breach_text(each) for each in made.missed or ())
    return replay_error(made) or (f"threshold_missed: {missed}" if missed else None)


def replay_facts(made: ReplayMade, order: ReplayOrder, occasion: Occasion) -> RunFacts:
    """Everything the ledger should know about it; missed thresholds are among the parameters."""
    captures, error = made.captured.file.captures[: order.limit], replay_failure(made)
    said = made.replayed.said
    mode = MODES.get(order.mode) if said is not None and said.name == "reference" else None
    return RunFacts(
        suite="replay",
        mode=order.mode,
        occasion=occasion,
        status="completed" if error is None else "failed",
        error=error,
        limit=order.limit,
        rows_path=made.rows.path,
        rows_sha256=made.rows.sha256,
        digests={
            "dataset_sha256": made.captured.sha256,
            "questions_sha256": sha256_of(each.query_hash for each in captures),
            "answer_key_sha256": sha256_of(each.content_hash() for each in captures),
            **({} if made.corpus is None else {"corpus_sha256": made.corpus.sha256}),
        },
        identities=configuration(said, order.mode),
        knobs={} if mode is None else asdict(mode),
        params={
            "topK": order.compare_limit,
            "questions_run": made.replayed.summary.rows_replayed + made.replayed.summary.rows_errored,
            "thresholds": None if made.thresholds is None else asdict(made.thresholds),
            "missed": None if made.missed is None else [each.metric for each in made.missed],
        },
        metrics={**asdict(made.replayed.summary)},
    )
