"""What a run's rows come to: recall by question type, and what went wrong, as the v2 summary has it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec import Struct

from gate.core.longmemeval.run import NO_EMBEDDER, Run
from gate.core.records.ecmascript import json_text, utf16_key
from gate.core.records.run_info import SUMMARY

UNTYPED: Final = "unknown"
_CODES: Final = {
    "reranker_skipped_rows": "reranker_fell_open",
    "vector_degraded_rows": "vector_degraded",
    "expansion_failed_rows": "expansion_failed",
}
"""The contract's counters and the reason code that each of them counts."""


class _SearchMeta(Struct, frozen=True):
    degraded: tuple[str, ...] = ()


class _Row(Struct, frozen=True):
    """What of a row is counted."""

    question_id: str
    question_type: str | None = None
    error: str | None = None
    abstention: bool = False
    recall_all_hit: bool | None = None
    recall_any_hit: bool | None = None
    distinct_sessions_in_top_k: int = 0
    gold_missing_from_haystack: tuple[str, ...] = ()
    slug_collision: int = 0
    search_meta: _SearchMeta = _SearchMeta()
    judge_correct: bool | None = None
    judge_error: str | None = None


_ROW: Final = msgspec.json.Decoder(_Row)


@dataclass(slots=True)
class _Count:
    total: int = 0
    all_hit: int = 0
    any_hit: int = 0

    def add(self, row: _Row) -> None:
        self.total += 1
        self.all_hit += bool(row.recall_all_hit)
        self.any_hit += bool(row.recall_any_hit)

    def members(self) -> dict[str, object]:
        return {
            "total": self.total,
            "all_hit": self.all_hit,
            "all_rate": self.all_hit / self.total if self.total else None,
            "any_hit": self.any_hit,
            "any_rate": self.any_hit / self.total if self.total else None,
        }


@dataclass(frozen=True, slots=True)
class Judged:
    """How answers were judged, abstentions included; what could not be judged counts as wrong in the headline."""

    questions: int
    judged: int
    correct: int
    judge_errors: int

    @property
    def accuracy(self) -> float:
        """The share of all questions whose answer was found right."""
        return self.correct / self.questions

    def members(self) -> dict[str, object]:
        """The contract's block."""
        return {
            "total_questions": self.questions,
            "judged": self.judged,
            "correct": self.correct,
            "judge_errors": self.judge_errors,
            "accuracy": self.accuracy,
            "accuracy_headline": self.accuracy,
            "accuracy_excluding_errors": self.correct / self.judged if self.judged else None,
            "complete": self.judged == self.questions,
        }


@dataclass(slots=True)
class _Totals:
    rows: int = 0
    errors: int = 0
    abstentions: int = 0
    answered: int = 0
    sessions: int = 0
    gold_missing: int = 0
    collisions: int = 0
    judged: int = 0
    correct: int = 0
    judge_errors: int = 0
    degraded: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_CODES.values(), 0))


@dataclass(frozen=True, slots=True)
class Summary:
    """The sum of a run; `left` = questions that were not asked, `degraded` by reason code.

    `answers` None = nothing in the rows judges an answer: qa_accuracy is not measured.
    """

    run: Run
    asked: int
    left: int
    errors: int
    excluded_abstention: int
    recall_by_type: Mapping[str, Mapping[str, object]]
    aggregate: Mapping[str, object]
    mean_distinct_sessions: float | None
    gold_missing: int
    collisions: int
    degraded: Mapping[str, int]
    answers: Judged | None = None

    @property
    def complete(self) -> bool:
        """Whether every question was asked."""
        return self.left == 0

    def run_config(self) -> dict[str, object]:
        """The contract's run_config, as far as it is known, with what the gate knows besides."""
        run = self.run
        reader = {
            name: run.fingerprints[f"reader_{name}"]
            for name in ("mode", "prompt_version", "prompt_sha", "model", "config_hash")
            if f"reader_{name}" in run.fingerprints
        }
        return {
            "mode": run.mode,
            "embedder": run.fingerprints.get("embedder", NO_EMBEDDER),
            "topK": run.k,
            "dataset_sha256": run.dataset_sha256,
            "dataset_questions": run.dataset_questions,
            "question_ids_file": run.question_ids_sha256,
            "retrieval_config_hash": run.retrieval_config_hash,
            "cache": None,
            **{name: self.degraded[code] for name, code in _CODES.items()},
            "gold_missing_from_haystack": self.gold_missing,
            "slug_collisions": self.collisions,
            "excluded_abstention": self.excluded_abstention,
            "errors": self.errors,
            **({"reader": reader} if reader else {}),
            "system": run.system,
            **({} if run.system_version is None else {"system_version": run.system_version}),
            "fingerprints": dict(sorted(run.fingerprints.items())),
            "seed": run.seed,
            **({} if run.limit is None else {"limit": run.limit}),
            "shard": str(run.shard),
        }

    def line(self) -> bytes:
        """The last line of the file of rows."""
        members = {
            "schema_version": 2,
            "kind": SUMMARY,
            "metric": "recall_all@k",
            "k": self.run.k,
            "excluded_abstention": self.excluded_abstention,
            "recall_by_type": dict(self.recall_by_type),
            "aggregate": dict(self.aggregate),
            "legacy_rows": 0,
            "gold_missing_from_haystack": self.gold_missing,
            "slug_collisions": self.collisions,
            "run_config": self.run_config(),
            "mean_distinct_sessions": self.mean_distinct_sessions,
            **({} if self.answers is None else {"qa_accuracy": self.answers.members()}),
            "complete": self.complete,
            "questions_run": self.asked,
            "questions_left": self.left,
        }
        return json_text(members).encode() + b"\n"


def summarise(run: Run, rows: Iterable[bytes]) -> Summary:
    """Count the rows of a run, one line each; a row without gold, an abstention and an error stay outside recall."""
    totals, aggregate = _Totals(), _Count()
    by_type: dict[str, _Count] = {}
    for line in rows:
        row = _ROW.decode(line)
        _total(totals, row)
        if row.recall_all_hit is not None and not row.abstention:
            aggregate.add(row)
            by_type.setdefault(row.question_type or UNTYPED, _Count()).add(row)
    return Summary(
        run=run,
        asked=totals.rows,
        left=len(run.own_questions()) - totals.rows,
        errors=totals.errors,
        excluded_abstention=totals.abstentions,
        recall_by_type={kind: by_type[kind].members() for kind in sorted(by_type, key=utf16_key)},
        aggregate=aggregate.members(),
        mean_distinct_sessions=totals.sessions / totals.answered if totals.answered else None,
        gold_missing=totals.gold_missing,
        collisions=totals.collisions,
        degraded=totals.degraded,
        answers=_answers(totals),
    )


def _answers(totals: _Totals) -> Judged | None:
    if not totals.judged and not totals.judge_errors:
        return None
    return Judged(
        questions=totals.rows,
        judged=totals.judged,
        correct=totals.correct,
        judge_errors=totals.judge_errors,
    )


def failed_ids(rows: Iterable[bytes]) -> frozenset[str]:
    """The questions whose rows are errors."""
    return frozenset(row.question_id for row in map(_ROW.decode, rows) if row.error is not None)


def _total(totals: _Totals, row: _Row) -> None:
    totals.rows += 1
    totals.collisions += row.slug_collision
    if row.error is not None:
        totals.errors += 1
        return
    totals.abstentions += row.abstention
    totals.answered += 1
    totals.sessions += row.distinct_sessions_in_top_k
    totals.gold_missing += len(row.gold_missing_from_haystack)
    _judge(totals, row)
    for code in _distinct(row.search_meta.degraded):
        totals.degraded[code] = totals.degraded.get(code, 0) + 1


def _judge(totals: _Totals, row: _Row) -> None:
    """As rows are read elsewhere: an error of the judge is no judgement."""
    if row.judge_error is not None:
        totals.judge_errors += 1
    elif row.judge_correct is not None:
        totals.judged += 1
        totals.correct += row.judge_correct


def _distinct(codes: Sequence[str]) -> Iterable[str]:
    return dict.fromkeys(codes)
