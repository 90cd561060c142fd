import json
from pathlib import Path
from typing import Any

import pytest

from gate.core.longmemeval.haystack import haystack_of, slug_of
from gate.core.longmemeval.reported import Reported, ReportedError, read_reported, reported_row
from gate.core.records.row_decoder import decode_rows
from tests.core.longmemeval.factories import question, run

DATA = Path(__file__).parents[4] / "shared" / "data" / "gbrain"


def chunk(session: str, rank: int, **members: object) -> dict[str, object]:
    return {
        "slug": slug_of(session),
        "chunk_id": 7,
        "session_id": session,
        "rank": rank,
        "score": 1 / rank,
        **members,
    }


def row(name: str = "q1", **members: object) -> dict[str, object]:
    """A row of the newest generation."""
    return {
        "retrieval_config_hash": "a" * 64,
        "search_meta": {
            "vector_enabled": True,
            "expansion_applied": False,
            "degraded": [],
            "reranked": False,
        },
        "question_id": name,
        "question": "private words",
        "question_type": "multi-session",
        "answer": 3,
        "hypothesis": "a private answer",
        "recall_all_hit": True,
        "recall_hit": True,
        "retrieved": [chunk(f"{name}-s1", 1), chunk(f"{name}-s0", 2)],
        "mode": "balanced",
        **members,
    }


def data(*objects: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


def report(*objects: object) -> Reported:
    return read_reported(data(*objects), run("q1", "q2"))


def turned(told: dict[str, object], *, show_text: bool = False, k: int = 5, **members: Any) -> dict[str, Any]:
    asked = question("q1", **members)
    ours = run("q1", show_text=show_text, k=k)
    reported = read_reported(data(told), ours)
    line = reported_row(ours, asked, haystack_of(asked), reported.rows["q1"], ())
    found: dict[str, Any] = json.loads(line)
    return found


def test_recall_follows_from_the_dataset_whatever_the_row_claims() -> None:
    found = turned(row(recall_all_hit=False, answer_session_ids=["other"]))
    assert (found["recall_all_hit"], found["recall_any_hit"], found["recall_hit"]) == (True, True, True)
    assert (found["gold_total"], found["gold_found"], found["answer_session_ids"]) == (1, 1, ["q1-s0"])
    assert turned(row(), k=1)["recall_all_hit"] is False


def test_a_question_without_gold_has_no_recall() -> None:
    assert "recall_hit" not in turned(row(), answer_session_ids=[])


def test_chunks_are_ordered_by_rank_and_keep_what_is_known_of_them() -> None:
    told = [chunk("q1-s0", 2, rerank_score=0.5, text="secret"), chunk("q1-s1", 1, score=None)]
    found = turned(row(retrieved=told))
    assert [hit["session_id"] for hit in found["retrieved"]] == ["q1-s1", "q1-s0"]
    assert found["retrieved"][1]["rerank_score"] == 0.5
    assert "secret" not in json.dumps(found)
    assert found["retrieved_session_ids"] == ["q1-s1", "q1-s0"]


def test_no_text_is_kept_unless_asked_for() -> None:
    told = row(
        judge_correct=True, judge_raw="Yes, private", reader_partial_output="private", entity_resolved="priv"
    )
    assert "priv" not in json.dumps(turned(told))
    assert turned(told)["judge_correct"] is True
    shown = turned(told, show_text=True)
    assert (shown["hypothesis"], shown["judge_raw"], shown["answer"]) == (
        "a private answer",
        "Yes, private",
        3,
    )


def test_that_nothing_was_answered_is_no_text() -> None:
    assert turned(row(hypothesis=""))["hypothesis"] == ""


def test_rows_of_older_generations_name_sessions_alone() -> None:
    old = {"question_id": "q1", "hypothesis": "", "retrieved_session_ids": ["q1-s0"], "recall_hit": False}
    found = turned(old)
    assert (found["recall_all_hit"], found["retrieved_session_ids"]) == (True, ["q1-s0"])
    assert "retrieved" not in found
    assert (found["mode"], found["question_type"]) == ("balanced", "multi-session")


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("reranker", "reranker_fell_open"),
        ("expansion_timeout", "expansion_failed"),
        ("embed", "vector_degraded"),
    ],
)
def test_its_words_for_what_failed_become_reason_codes(word: str, code: str) -> None:
    found = report(row(search_meta={"degraded": [word, word]})).rows["q1"].reply
    assert found.flags.degraded == (code,)


def test_the_summary_states_how_the_run_was_made_and_what_it_went_without() -> None:
    config = {
        "mode": "balanced",
        "topK": 5,
        "embedder": "e@3",
        "reranker_skipped_rows": 1,
        "vector_degraded_rows": 2,
        "expansion_failed_rows": 1,
    }
    found = report(row(), {"kind": "by_type_summary", "schema_version": 2, "run_config": config})
    assert found.fingerprints == {"embedder": "e@3", "retrieval_config_hash": "a" * 64}
    assert found.lacking == ("vector_degraded", "reranker_fell_open", "expansion_failed")


def test_without_a_summary_only_the_rows_speak() -> None:
    found = report(row(), {"kind": "other"})
    assert (found.fingerprints, found.lacking) == ({"retrieval_config_hash": "a" * 64}, ())
    assert report({"question_id": "q1"}).fingerprints == {}


def test_a_torn_last_line_and_doubled_rows_are_counted() -> None:
    written = data(row()) + b"\n" + data(row(mode=None)) + b'{"question_id":'
    found = read_reported(written, run("q1"))
    assert (found.torn, found.doubled, len(found.rows)) == (True, 1, 1)


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ((row(), 3), "line 2 is no JSON object"),
        ((row(retrieved=[{"session_id": 1}]),), "line 1 is no row"),
        ((row(mode="tokenmax"),), "rows of another mode"),
        ((row(), row("q2", retrieval_config_hash="b" * 64)), "several retrieval_config_hash"),
        (({"kind": "by_type_summary", "k": 8},), "another k"),
        (({"kind": "by_type_summary", "run_config": {"dataset_sha256": "e" * 64}},), "another dataset_sha256"),
        (({"kind": "by_type_summary", "run_config": {"vector_degraded_rows": "x"}},), "its summary is none"),
        (({"kind": "by_type_summary", "k": 10**400},), "its summary"),
    ],
)  # fmt: skip
def test_what_is_no_report_of_this_run_is_refused(objects: tuple[object, ...], said: str) -> None:
    with pytest.raises(ReportedError, match=said):
        report(*objects)


@pytest.mark.parametrize("arm", ["a", "r1"])
def test_real_rows_are_read_and_their_recall_is_the_one_that_was_published(arm: str) -> None:
    path = DATA / f"longmemeval-native-rows-{arm}-sample.ndjson"
    if not path.exists():
        pytest.skip("gbrain's real rows lie in ../shared, which is not here")
    published = [json.loads(line) for line in path.read_text().splitlines()]
    for told in published:
        name, gold = told["question_id"], told["answer_session_ids"]
        sessions = [hit["session_id"] for hit in told["retrieved"]]
        asked = question(
            name,
            haystack_session_ids=sessions,
            haystack_sessions=[[{"role": "user", "content": each}] for each in sessions],
            answer_session_ids=gold,
        )
        ours = run(name, k=5)
        reported = read_reported(data(told), ours)
        line = reported_row(ours, asked, haystack_of(asked), reported.rows[name], ())
        found = json.loads(line)
        for key in ("recall_all_hit", "recall_any_hit", "gold_found", "distinct_sessions_in_top_k",
                    "retrieved", "retrieved_session_ids", "judge_correct", "slug_collision"):  # fmt: skip
            assert found[key] == told[key], key
        assert str(told["question"]) not in line.decode()
        table = decode_rows(iter([line]), name="rows")
        assert table.metrics["qa_accuracy"].values.tolist() == [float(told["judge_correct"])]


def test_an_error_is_kept_in_its_own_words() -> None:
    found = report({"question_id": "q1", "hypothesis": "", "error": "no such model"}, row("q2"))
    assert [each.error for each in found.rows.values()] == ["no such model", None]
