import json
from typing import Any

from gate.core.longmemeval.haystack import haystack_of, slug_of
from gate.core.longmemeval.question import Question
from gate.core.longmemeval.row import Retrieved, answered_row, failed_row
from gate.core.longmemeval.run import Run
from gate.core.records.row_decoder import decode_rows
from gate.core.records.system import Flags, Hit, SearchReply, Usage
from tests.core.longmemeval.factories import question, run

CONTRACT_ORDER = [
    "retrieval_config_hash", "retrieval_only", "reader_model", "search_meta", "question_id", "question",
    "question_type", "answer", "hypothesis", "abstention", "recall_all_hit", "recall_any_hit", "recall_hit",
    "gold_total", "gold_found", "answer_session_ids", "distinct_sessions_in_top_k", "retrieved",
    "retrieved_session_ids", "gold_missing_from_haystack", "slug_collision", "mode",
]  # fmt: skip


def hit(session: str, rank: int, score: float = 0.5) -> Hit:
    return Hit(doc_id=slug_of(session), chunk_id=f"c{rank}", score=score, rank=rank)


def reply(*hits: Hit, flags: Flags | None = None) -> SearchReply:
    return SearchReply(hits=hits, flags=flags or Flags(vector_enabled=False), usage=Usage(cost_usd=0.25))


def row(
    asked: Question,
    got: SearchReply,
    of: Run | None = None,
    answer: str | None = None,
    usage: Usage | None = None,
) -> dict[str, Any]:
    retrieved = Retrieved(
        reply=got, degraded=got.flags.degraded, answer=answer, answer_usage=usage or Usage(), latency_ms=2.5
    )
    line = answered_row(of or run(), asked, haystack_of(asked), retrieved)
    decode_rows([line], name="row")
    read: dict[str, Any] = json.loads(line)
    return read


def test_keys_stand_in_the_order_of_the_contract() -> None:
    for found in (
        row(question(), reply(hit("q1-s0", 1)), run(show_text=True)),
        row(
            question(), reply(), run(answers=True, show_text=True, fingerprints={"reader_model": "m"}), "yes"
        ),
    ):
        shared = [key for key in found if key in CONTRACT_ORDER]
        assert shared == [key for key in CONTRACT_ORDER if key in found]
        added = [key for key in found if key not in CONTRACT_ORDER]
        assert list(found)[-len(added) :] == added


def test_recall_is_over_the_sessions_of_the_first_k_chunks_in_the_order_of_their_ranks() -> None:
    got = reply(hit("q1-s0", 3), hit("q1-s1", 1), hit("q1-s1", 2))
    assert row(question(), got, run(k=2))["recall_all_hit"] is False
    found = row(question(), got, run(k=3))
    assert (found["recall_all_hit"], found["recall_any_hit"], found["recall_hit"]) == (True, True, True)
    assert found["retrieved_session_ids"] == ["q1-s1", "q1-s0"]
    assert [each["rank"] for each in found["retrieved"]] == [1, 2, 3]
    assert found["retrieved"][2] == {
        "slug": slug_of("q1-s0"), "chunk_id": "c3", "session_id": "q1-s0", "rank": 3, "score": 0.5,
    }  # fmt: skip
    assert found["distinct_sessions_in_top_k"] == 2


def test_a_question_without_gold_has_no_recall_fields() -> None:
    found = row(question(answer_session_ids=[]), reply(hit("q1-s0", 1)))
    assert not {"recall_all_hit", "recall_any_hit", "recall_hit"} & found.keys()
    assert found["gold_total"] == 0


def test_rows_carry_ids_only_unless_text_is_asked_for() -> None:
    hidden = json.dumps(row(question(), reply(hit("q1-s0", 1)), run(answers=True), "my private answer"))
    assert "private" not in hidden
    assert "secret" not in hidden
    assert "hypothesis" not in hidden
    shown = row(question(), reply(), run(answers=True, show_text=True), "my private answer")
    assert (shown["question"], shown["answer"], shown["hypothesis"]) == (
        "private words of q1?", "secret answer", "my private answer",
    )  # fmt: skip


def test_retrieval_without_an_answer_says_so() -> None:
    found = row(question(), reply())
    assert (found["retrieval_only"], found["hypothesis"]) == (True, "")


def test_what_a_system_says_about_its_search_is_kept_and_the_rest_left_out() -> None:
    said = row(question(), reply(flags=Flags(reranked=False, degraded=("reranker_fell_open",))))
    assert said["search_meta"] == {"degraded": ["reranker_fell_open"], "reranked": False}


def test_abstentions_are_marked_and_keep_their_hits() -> None:
    found = row(question("q1_abs"), reply(hit("q1_abs-s0", 1)))
    assert (found["abstention"], found["recall_all_hit"]) == (True, True)


def test_missing_gold_collisions_and_repeats_are_counted() -> None:
    turns = [{"role": "user", "content": "same"}]
    other = [{"role": "user", "content": "else"}]
    found = row(
        question(
            haystack_sessions=[turns, turns, turns, other],
            haystack_session_ids=["a", "a", "b", "b"],
            answer_session_ids=["gone"],
        ),
        reply(hit("a", 1)),
    )
    assert found["gold_missing_from_haystack"] == ["gone"]
    assert (found["slug_collision"], found["repeated_sessions"]) == (1, 1)


def test_costs_add_up_only_when_both_are_known() -> None:
    assert row(question(), reply())["cost_usd"] == 0.25
    answered = run(answers=True)
    assert row(question(), reply(), answered, "x", Usage(cost_usd=0.5))["cost_usd"] == 0.75
    assert "cost_usd" not in row(question(), reply(), answered, "x")


def test_an_error_row_is_the_contracts() -> None:
    asked = question()
    read = json.loads(failed_row(run(show_text=True), asked.listed(), "timeout: no reply"))
    assert list(read) == [
        "question_id", "question", "question_type", "hypothesis", "error", "retrieval_config_hash",
        "abstention", "mode", "content_hash",
    ]  # fmt: skip
    assert "question" not in json.loads(failed_row(run(), asked.listed(), "timeout"))
    table = decode_rows([failed_row(run(), asked.listed(), "timeout")], name="row")
    assert bool(table.errored[0])


def test_an_error_row_counts_the_collisions_that_caused_it() -> None:
    asked = question()
    clash = haystack_of(asked, slug=lambda _: "x")
    read = json.loads(failed_row(run(), asked.listed(), "slug_collision", clash))
    assert (read["slug_collision"], read["slug_collision_gold"]) == (3, 1)
