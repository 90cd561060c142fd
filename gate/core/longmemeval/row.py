"""A question's row as the v0.48 generation has it, key by key in its order; texts only where asked for.

What the gate adds (content hash, latency, tokens, cost) comes last; a key whose value is unknown is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gate.core.longmemeval.haystack import Haystack
from gate.core.longmemeval.question import Listed, Question
from gate.core.longmemeval.recall import recall_at
from gate.core.longmemeval.run import Run
from gate.core.records.ecmascript import json_text
from gate.core.records.system import Degradation, Hit, SearchReply, Usage

NOT_SAID: Final = Usage()
READER_FIELDS: Final = (
    "reader_model",
    "reader_model_snapshot",
    "reader_mode",
    "reader_prompt_version",
    "reader_prompt_sha",
    "reader_config_hash",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What a system found for a question, and said about it; `answer` None = it was not asked to answer."""

    reply: SearchReply
    degraded: tuple[Degradation, ...]
    answer: str | None = None
    answer_usage: Usage = NOT_SAID
    latency_ms: float | None = None


def answered_row(run: Run, question: Question, haystack: Haystack, got: Retrieved) -> bytes:
    """The row of a question that was searched for; hits count in the order of their ranks."""
    listed = question.listed()
    hits = sorted(got.reply.hits, key=lambda hit: hit.rank)
    sessions = [haystack.session_of[hit.doc_id] for hit in hits]
    return _line(
        {
            "retrieval_config_hash": run.retrieval_config_hash,
            **_reader(run, got),
            "search_meta": _search_meta(got),
            **_asked(run, listed),
            "answer": question.answer if run.show_text else None,
            **_hypothesis(run, got),
            "abstention": listed.abstention,
            **recall_members(run, question, sessions),
            "retrieved": [
                _hit(place, hit, session)
                for place, (hit, session) in enumerate(zip(hits, sessions, strict=True), 1)
            ],
            "retrieved_session_ids": list(dict.fromkeys(sessions)),
            "gold_missing_from_haystack": list(haystack.gold_missing),
            "slug_collision": len(haystack.collisions),
            "repeated_sessions": haystack.repeated or None,
            "mode": run.mode,
            "content_hash": listed.content_hash,
            "latency_ms": got.latency_ms,
            "delivered_tokens": got.reply.delivered_tokens,
            "cost_usd": _cost(got),
        }
    )


def failed_row(run: Run, question: Listed, error: str, haystack: Haystack | None = None) -> bytes:
    """The row of a question without a result: it is tried again on resume, and counts as an error."""
    collisions = () if haystack is None else haystack.collisions
    collided_gold = () if haystack is None else haystack.collided_gold
    return _line(
        {
            **_asked(run, question),
            "hypothesis": "",
            "error": error,
            "retrieval_config_hash": run.retrieval_config_hash,
            "slug_collision": len(collisions) or None,
            "slug_collision_gold": len(collided_gold) or None,
            "abstention": question.abstention,
            "mode": run.mode,
            "content_hash": question.content_hash,
        }
    )


def _asked(run: Run, question: Listed) -> dict[str, object]:
    return {
        "question_id": question.id,
        "question": question.text if run.show_text else None,
        "question_type": question.type,
    }


def _reader(run: Run, got: Retrieved) -> dict[str, object]:
    if got.answer is None:
        return {"retrieval_only": True}
    return {name: run.fingerprints.get(name) for name in READER_FIELDS}


def _hypothesis(run: Run, got: Retrieved) -> dict[str, object]:
    """An answer that must not be shown is left out: an empty one would say that the system was silent."""
    if got.answer is None:
        return {"hypothesis": ""}
    return {"hypothesis": got.answer} if run.show_text else {}


def _search_meta(got: Retrieved) -> dict[str, object]:
    flags = got.reply.flags
    return _known(
        {
            "vector_enabled": flags.vector_enabled,
            "expansion_applied": flags.expansion_applied,
            "degraded": list(got.degraded),
            "reranked": flags.reranked,
        }
    )


def recall_members(run: Run, question: Question, sessions: Sequence[str]) -> dict[str, object]:
    """What a row says of its recall: the members of the contract, in their order."""
    recall = recall_at(run.k, sessions, question.gold)
    return {
        "recall_all_hit": recall.all_hit,
        "recall_any_hit": recall.any_hit,
        "recall_hit": recall.any_hit,
        "gold_total": recall.gold_total,
        "gold_found": recall.gold_found,
        "answer_session_ids": list(question.gold),
        "distinct_sessions_in_top_k": recall.distinct_sessions,
    }


def _hit(place: int, hit: Hit, session: str) -> dict[str, object]:
    return _known(
        {
            "slug": hit.doc_id,
            "chunk_id": hit.chunk_id,
            "session_id": session,
            "rank": place,
            "score": hit.score,
        }
    )


def _cost(got: Retrieved) -> float | None:
    """What is known to have been spent; a part that is not known makes the whole unknown."""
    if got.answer is None:
        return got.reply.usage.cost_usd
    parts = (got.reply.usage.cost_usd, got.answer_usage.cost_usd)
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _known(members: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _line(members: Mapping[str, object]) -> bytes:
    return json_text(_known(members)).encode() + b"\n"
