"""Writes the rows and the ledger of this example; run it to get the same bytes again.

Two runs of an invented memory system over 120 invented questions of six types. Between them the retriever
lost its sense of time: 12 of the 20 temporal questions that found their session no longer do. The
other five types flip a little both ways, as they do between any two runs, and the answers come a bit faster.
"""

import json
from pathlib import Path

HERE = Path(__file__).parent
TYPES = (
    "knowledge-update",
    "multi-session",
    "single-session-assistant",
    "single-session-preference",
    "single-session-user",
    "temporal-reasoning",
)
PER_TYPE = 20
K = 5
MISSED_BEFORE = {"knowledge-update": {3}, "multi-session": {4, 11, 17}, "single-session-preference": {7, 15}}
BROKEN = {
    "temporal-reasoning": {0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 16, 19},
    "multi-session": {8},
    "single-session-user": {13},
}
FIXED = {"multi-session": {4, 17}, "knowledge-update": {3}}


def rank_before(kind: str, number: int) -> int:
    """Where the gold session stood in the baseline; 0 = not among the first K."""
    return 0 if number in MISSED_BEFORE.get(kind, ()) else 1 + (number * 7 + len(kind)) % 3


def rank_after(kind: str, number: int) -> int:
    """Where it stands in the candidate."""
    if number in BROKEN.get(kind, ()):
        return 0
    if number in FIXED.get(kind, ()):
        return 4
    return rank_before(kind, number)


def row(kind: str, number: int, rank: int, latency_ms: int) -> dict[str, object]:
    """One question of one run, in the shape that LongMemEval runners write."""
    identity = f"{kind}-{number:02d}"
    gold = f"session-{identity}"
    found = [f"session-other-{(number * 5 + place) % 61:02d}" for place in range(K)]
    if rank:
        found[rank - 1] = gold
    return {
        "question_id": identity,
        "question_type": kind,
        "abstention": False,
        "recall_all_hit": bool(rank),
        "recall_any_hit": bool(rank),
        "answer_session_ids": [gold],
        "retrieved_session_ids": found,
        "latency_ms": latency_ms,
        "mode": "balanced",
    }


def run_info(commit: str) -> dict[str, object]:
    """What the run says about itself."""
    return {"kind": "run_info", "k": K, "embedder": "invented-embedder@384", "code_commit": commit}


def rows(commit: str, rank, faster: int) -> str:
    """A file of rows."""
    lines = [run_info(commit)]
    for kind in TYPES:
        for number in range(PER_TYPE):
            latency = 180 + (number * 37 + len(kind) * 11) % 90 - faster * (1 + number % 3)
            lines.append(row(kind, number, rank(kind, number), latency))
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def record(run: str, commit: str, ran_at: str, status: str, output: str | None) -> dict[str, object]:
    """A line of the run ledger, version 3."""
    params = {"mode": "balanced", "topK": K, "embedder": "invented-embedder@384", "questions_run": 120}
    return {
        "schema_version": 3,
        "run_id": f"{commit}-longmemeval-balanced-{run}",
        "ran_at": ran_at,
        "suite": "longmemeval",
        "mode": "balanced",
        "commit": commit,
        "seed": 42,
        "params": params | ({"output": output} if output else {}),
        "status": status,
        "duration_ms": 84211 if output else 1934,
        **({} if output else {"error": "the embedding service did not answer"}),
    }


def main() -> None:
    """Write everything."""
    (HERE / "rows" / "baseline.ndjson").write_text(rows("4f2c1aa", rank_before, 0))
    (HERE / "rows" / "candidate.ndjson").write_text(rows("9d07e51", rank_after, 4))
    where = "examples/quickstart/rows"
    ledger = [
        record("mg1x0a7c", "4f2c1aa", "2026-11-20T09:14:02.114Z", "completed", f"{where}/baseline.ndjson"),
        record("mg2k5d1e", "9d07e51", "2026-11-21T16:40:55.020Z", "failed", None),
        record("mg2k7qz4", "9d07e51", "2026-11-21T16:52:37.481Z", "completed", f"{where}/candidate.ndjson"),
    ]
    path = HERE / ".gbrain-evals" / "eval-results.jsonl"
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in ledger))


if __name__ == "__main__":
    main()
