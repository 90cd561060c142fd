"""A BrainBench result as rows: every replayed turn of every cell is one, with what it got right."""

from collections.abc import Mapping, Sequence
from typing import Final

from gate.core.brainbench.decision import Decision
from gate.core.brainbench.held import objections
from gate.core.brainbench.recount import fired, missed, precision_parts, recall_parts
from gate.core.brainbench.result import Gold, Result, Turn
from gate.core.records.ecmascript import canonical_json
from gate.core.records.run_records import sha256_of
from gate.ports import GrowingRows
from gate.suites.row_writing import first_line, last_line, row_line

METRICS: Final = (
    "know_to_ask_failure_rate",
    "false_fire_rate",
    "push_precision",
    "push_recall",
    "source_isolation_violations",
    "injected_tokens",
    "latency_ms",
)
SCORES: Final = METRICS[:4]
"""What only some turns can get right: each belongs to one suite, and to turns where there was something to get."""
UNITS: Final = {"injected_tokens": "tokens", "latency_ms": "ms"}


def write_rows(result: Result, decision: Decision, rows: GrowingRows) -> int:
    """Write every turn, what the run says of itself and what is held against it; how many turns were repeats.

    A turn's precision and recall are its own: their mean is not the cell's, which counts pages over all turns.
    """
    turns = _once(result.turn_rows)
    members = {name: _members(turn) for name, turn in turns.items()}
    rows.write(
        first_line(
            metrics=METRICS,
            fingerprints={
                "dataset_sha256": result.receipt.fixtures_hash,
                "mode": "n/a",
                "llm": "true" if result.receipt.llm else "false",
                "include_holdout": "true" if result.receipt.include_holdout else "false",
            },
            units=UNITS,
            questions=len(turns),
            applies_to={
                metric: sum(row.get(metric) is not None for row in members.values()) for metric in SCORES
            },
        )
    )
    for name, row in members.items():
        rows.write(row_line(name, row))
    repeats = len(result.turn_rows) - len(turns)
    against, notes = objections(decision), (*_notes(repeats), *decision.notes)
    if against or notes:
        rows.write(last_line({}, notes, against))
    return repeats


def _once(turns: Sequence[Turn]) -> Mapping[str, Turn]:
    """Every turn by its name; of several the first."""
    found: dict[str, Turn] = {}
    for turn in turns:
        found.setdefault(turn_name(turn), turn)
    return found


def turn_name(turn: Turn) -> str:
    """Harness, suite, fixture and turn: what makes it one of its kind."""
    return f"{turn.harness}/{turn.suite}/{turn.fixture_id}#{turn.turn_id}"


def _notes(repeats: int) -> tuple[str, ...]:
    return (f"{repeats} turns were there more than once: the first counts",) if repeats else ()


def _members(turn: Turn) -> dict[str, object]:
    return {
        "question_type": f"{turn.harness}/{turn.suite}",
        "cluster_id": turn.fixture_id,
        "content_hash": None if turn.gold is None else sha256_of([_gold_text(turn.gold)])[:32],
        **({} if turn.gold is None else _scores(turn, turn.gold)),
        "source_isolation_violations": len(turn.cross_source_slugs),
        "injected_tokens": turn.injected_tokens,
        "latency_ms": turn.latency_ms,
        "retrieved": turn.injected_slugs,
    }


def _scores(turn: Turn, gold: Gold) -> Mapping[str, float | None]:
    """The scores that the turn's suite has; None where there was nothing to get right."""
    if turn.suite == "know-to-ask":
        asked = gold.should_retrieve
        return {
            "know_to_ask_failure_rate": float(missed(turn, gold)) if asked else None,
            "false_fire_rate": None if asked else float(fired(turn, gold)),
        }
    if turn.suite != "push":
        return {}
    right, injected = precision_parts(turn, gold)
    pushed, wanted = recall_parts(turn, gold)
    return {
        "push_precision": right / injected if injected else None,
        "push_recall": pushed / wanted if wanted else None,
    }


def _gold_text(gold: Gold) -> str:
    stated = {
        "retrieve": gold.should_retrieve,
        "gold": sorted(gold.gold_slugs),
        "acceptable": sorted(gold.acceptable_slugs),
    }
    return canonical_json(stated).decode()
