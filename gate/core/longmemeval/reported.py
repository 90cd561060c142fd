"""What gbrain reports about a LongMemEval run of its own (`eval longmemeval --output`), checked and made ours.

Every generation of its rows is read. What a row says about its ranking, its reader and its judge is kept as it
stands; recall is computed again, from what was retrieved and the dataset's gold.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from gate.core.longmemeval.haystack import Haystack, slug_of
from gate.core.longmemeval.question import Question
from gate.core.longmemeval.row import recall_members
from gate.core.longmemeval.run import Run
from gate.core.records.ecmascript import json_text
from gate.core.records.run_info import SUMMARY, RunInfoError, run_info
from gate.core.records.system import Degradation, Flags, Hit, SearchReply

_STATED_BY_US: Final = ("dataset_sha256", "k", "mode")
_KEPT: Final = frozenset({
    "retrieval_config_hash", "reader_model", "reader_model_snapshot", "reader_mode", "reader_prompt_version",
    "reader_prompt_sha", "reader_max_tokens", "reader_config_hash", "reader_finish_reason",
    "reader_context_chars", "reader_context_sessions", "reader_sessions_truncated", "retrieval_only",
    "search_meta", "question_id", "question_type", "abstention", "recall_all_hit", "recall_any_hit",
    "recall_hit", "gold_total", "gold_found", "answer_session_ids", "distinct_sessions_in_top_k", "retrieved",
    "retrieved_session_ids", "gold_missing_from_haystack", "slug_collision", "mode", "judge_correct",
    "judge_error", "judge_skipped", "judge_model_snapshot", "judge_cost_usd", "judge_attempts", "judge_model",
    "judge_prompt_kind", "judge_prompt_version", "judge_config_hash",
})  # fmt: skip
"""The members that hold no text of a question, an answer or a model; others are kept only with the text."""


class ReportedError(ValueError):
    """The output is no report about this run; says what was expected and repeats nothing of the output."""


class _Chunk(Struct, frozen=True, kw_only=True):
    session_id: str
    rank: Annotated[int, Meta(ge=1)]
    score: float | None = None
    slug: str | None = None
    chunk_id: int | str | None = None
    rerank_score: float | None = None
    alias_hit: bool | None = None


class _SearchMeta(Struct, frozen=True, kw_only=True):
    vector_enabled: bool | None = None
    expansion_applied: bool | None = None
    reranked: bool | None = None
    degraded: tuple[str, ...] = ()


class _Row(Struct, frozen=True, kw_only=True):
    question_id: str
    error: str | None = None
    mode: str | None = None
    retrieval_config_hash: str | None = None
    retrieved: tuple[_Chunk, ...] | None = None
    retrieved_session_ids: tuple[str, ...] = ()
    search_meta: _SearchMeta = _SearchMeta()
    judge_correct: bool | None = None
    judge_error: str | None = None


class _Counters(Struct, frozen=True, kw_only=True):
    reranker_skipped_rows: int = 0
    vector_degraded_rows: int = 0
    expansion_failed_rows: int = 0


class _SumLine(Struct, frozen=True, kw_only=True):
    run_config: _Counters = _Counters()


@dataclass(frozen=True, slots=True)
class ReportedRow:
    """One question as gbrain has it: `members` are all that it wrote, `row` is what of it is understood."""

    row: _Row
    members: Mapping[str, object]

    @property
    def error(self) -> str | None:
        """Its own words for why there is no result; they may repeat the question."""
        return self.row.error

    @property
    def reply(self) -> SearchReply:
        """What was found, chunk by chunk where chunks are told, else session by session."""
        hits = tuple(
            Hit(
                doc_id=slug_of(chunk.session_id),
                score=-chunk.rank if chunk.score is None else chunk.score,
                rank=chunk.rank,
                session_id=chunk.session_id,
            )
            for chunk in sorted(self._chunks(), key=lambda chunk: chunk.rank)
        )
        said = self.row.search_meta
        return SearchReply(
            hits=hits,
            flags=Flags(
                vector_enabled=said.vector_enabled,
                reranked=said.reranked,
                expansion_applied=said.expansion_applied,
                degraded=tuple(dict.fromkeys(map(_degradation, said.degraded))),
            ),
        )

    def _chunks(self) -> Sequence[_Chunk]:
        if self.row.retrieved is not None:
            return self.row.retrieved
        sessions = enumerate(self.row.retrieved_session_ids, 1)
        return [_Chunk(session_id=name, rank=place) for place, name in sessions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A whole report. `lacking` are features of which its own summary says that rows went without.

    `torn` = the last line was cut off, `doubled` = rows that a later one of the same question replaced.
    """

    rows: Mapping[str, ReportedRow]
    fingerprints: Mapping[str, str]
    lacking: tuple[Degradation, ...]
    torn: bool
    doubled: int


def read_reported(data: bytes, run: Run) -> Reported:
    """Read the rows of a run; ReportedError where a line is no row of one, or speaks of another run."""
    rows: dict[str, ReportedRow] = {}
    summary: Mapping[str, object] = {}
    count, torn = 0, False
    for number, line, whole in _lines(data):
        members = _object(line)
        if members is None and not whole:
            torn = True
            continue
        if members is None:
            raise ReportedError(f"line {number} is no JSON object")
        if members.get("kind") == SUMMARY:
            summary = members
        elif "question_id" in members:
            count += 1
            row = _row(members, number)
            rows[row.question_id] = ReportedRow(row, members)
    _check_same(run, summary, rows)
    return Reported(
        rows=rows,
        fingerprints=_fingerprints(summary, rows),
        lacking=tuple(_lacking(summary)),
        torn=torn,
        doubled=count - len(rows),
    )


def reported_row(
    run: Run,
    question: Question,
    haystack: Haystack,
    told: ReportedRow,
    degraded: Sequence[Degradation],
) -> bytes:
    """A row without an error as ours: its members in their order, recall as it follows from the dataset."""
    listed = question.listed()
    sessions = [hit.session_id or "" for hit in told.reply.hits]
    ours: dict[str, object] = {
        "question_type": listed.type,
        "abstention": listed.abstention,
        **recall_members(run, question, sessions),
        "retrieved": _chunks(told.row.retrieved),
        "retrieved_session_ids": list(dict.fromkeys(sessions)),
        "gold_missing_from_haystack": list(haystack.gold_missing),
        "slug_collision": len(haystack.collisions),
        "mode": run.mode,
        "search_meta": _search_meta(told.row.search_meta, degraded),
        "content_hash": listed.content_hash,
    }
    kept = {name: value for name, value in told.members.items() if run.show_text or _harmless(name, value)}
    members = {**kept, **ours}
    return json_text({name: value for name, value in members.items() if value is not None}).encode() + b"\n"


def _harmless(name: str, value: object) -> bool:
    """That nothing was answered is no text either."""
    return name in _KEPT or (name, value) == ("hypothesis", "")


def _lines(data: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """Number, content, and whether a line feed ended it; blank lines are passed over."""
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line, number < len(lines)


def _object(line: bytes) -> Mapping[str, object] | None:
    try:
        return msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _row(members: Mapping[str, object], number: int) -> _Row:
    try:
        return msgspec.convert(members, _Row)
    except msgspec.ValidationError as error:
        raise ReportedError(f"line {number} is no row ({error})") from error


def _check_same(run: Run, summary: Mapping[str, object], rows: Mapping[str, ReportedRow]) -> None:
    stated = _stated(summary)
    ours = {"dataset_sha256": run.dataset_sha256, "k": str(run.k), "mode": run.mode}
    for name in _STATED_BY_US:
        if stated.get(name, ours[name]) != ours[name]:
            raise ReportedError(f"it is about a run with another {name}")
    if any(each.row.mode not in (None, run.mode) for each in rows.values()):
        raise ReportedError("it has rows of another mode")


def _fingerprints(summary: Mapping[str, object], rows: Mapping[str, ReportedRow]) -> dict[str, str]:
    stated = dict(_stated(summary))
    hashes = {each.row.retrieval_config_hash for each in rows.values()} - {None}
    if len(hashes) > 1:
        raise ReportedError("its rows have several retrieval_config_hash: they are not of one run")
    for found in hashes:
        stated["retrieval_config_hash"] = str(found)
    return {name: text for name, text in sorted(stated.items()) if name not in _STATED_BY_US}


def _stated(summary: Mapping[str, object]) -> Mapping[str, str]:
    try:
        return run_info(summary).fingerprints if summary else {}
    except RunInfoError as error:
        raise ReportedError(f"its summary states {error}") from error


def _lacking(summary: Mapping[str, object]) -> Iterator[Degradation]:
    try:
        counters = msgspec.convert(summary, _SumLine).run_config
    except msgspec.ValidationError as error:
        raise ReportedError(f"its summary is none ({error})") from error
    if counters.vector_degraded_rows:
        yield "vector_degraded"
    if counters.reranker_skipped_rows:
        yield "reranker_fell_open"
    if counters.expansion_failed_rows:
        yield "expansion_failed"


def _degradation(word: str) -> Degradation:
    """gbrain's word for what failed; a search has three parts, and what names neither of two is the third."""
    if "rerank" in word:
        return "reranker_fell_open"
    return "expansion_failed" if "expan" in word else "vector_degraded"


def _chunks(chunks: Sequence[_Chunk] | None) -> list[dict[str, object]] | None:
    if chunks is None:
        return None
    names = ("slug", "chunk_id", "session_id", "rank", "score", "rerank_score", "alias_hit")
    told = [
        {name: getattr(chunk, name) for name in names} for chunk in sorted(chunks, key=lambda one: one.rank)
    ]
    return [{name: value for name, value in each.items() if value is not None} for each in told]


def _search_meta(said: _SearchMeta, degraded: Sequence[Degradation]) -> dict[str, object]:
    told = {
        "vector_enabled": said.vector_enabled,
        "expansion_applied": said.expansion_applied,
        "degraded": list(degraded),
        "reranked": said.reranked,
    }
    return {name: value for name, value in told.items() if value is not None}
