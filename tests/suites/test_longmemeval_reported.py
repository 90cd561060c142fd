import json
from typing import Any

from gate.core.longmemeval.haystack import slug_of
from gate.core.longmemeval.question import Question
from gate.core.longmemeval.reported import Reported, read_reported
from gate.suites.guards import Feature
from gate.suites.longmemeval import Task
from gate.suites.longmemeval_reported import write_reported
from tests.core.longmemeval.factories import question, run


class InMemory:
    def __init__(self, *questions: Question) -> None:
        self.questions = {each.id: each for each in questions}

    def take(self, question_id: str) -> Question:
        return self.questions[question_id]


def told(name: str, session: str | None = None, **members: object) -> dict[str, object]:
    session = session or f"{name}-s0"
    chunk = {"slug": slug_of(session), "session_id": session, "rank": 1, "score": 0.5}
    return {"question_id": name, "retrieved": [chunk], **members}


def written(
    *rows: dict[str, object],
    questions: tuple[Question, ...] = (),
    required: tuple[Feature, ...] = (),
    missing: str | None = "garbage: none",
    show_text: bool = False,
) -> list[dict[str, Any]]:
    questions = questions or (question("q1"), question("q2"))
    of = run(*(each.id for each in questions), show_text=show_text)
    task = Task(
        run=of,
        todo=[each.listed() for each in questions],
        questions=InMemory(*questions),
        required=required,
    )
    lines: list[bytes] = []
    reported: Reported = read_reported(b"\n".join(json.dumps(each).encode() for each in rows) + b"\n", of)
    write_reported(task, reported, lines.append, missing=missing)
    return [json.loads(line) for line in lines]


def test_rows_come_in_our_order_and_a_question_without_one_is_an_error() -> None:
    found = written(told("q2"))
    assert [row["question_id"] for row in found] == ["q1", "q2"]
    assert (found[0]["error"], found[1]["recall_all_hit"]) == ("garbage: none", True)


def test_what_was_not_asked_gets_no_row() -> None:
    assert [row["question_id"] for row in written(told("q2"), missing=None)] == ["q2"]


def test_rows_of_other_questions_are_passed_over() -> None:
    assert [row["question_id"] for row in written(told("q1"), told("q2"), told("q9"))] == ["q1", "q2"]


def test_gbrain_s_own_words_for_an_error_are_kept_only_with_the_text() -> None:
    failed = {"question_id": "q1", "error": "no answer to: private words"}
    assert written(failed)[0]["error"] == "refused: gbrain answered with an error"
    assert written(failed, show_text=True)[0]["error"].endswith("error: no answer to: private words")


def test_a_session_of_another_question_is_an_error() -> None:
    assert written(told("q1", "q2-s0"))[0]["error"].startswith("unknown_id: 1 of 1 hits")


def test_a_collision_on_gold_is_an_error_whatever_was_found() -> None:
    turns = [[{"role": "user", "content": word}] for word in ("a", "b")]
    clash = question("q1", haystack_sessions=turns, haystack_session_ids=["s", "s"], answer_session_ids=["s"])
    (row,) = written(told("q1", "s"), questions=(clash,))
    assert row["error"].startswith("slug_collision")


def test_what_was_required_and_what_gbrain_counts_as_gone_without_is_looked_for_in_every_row() -> None:
    meta = {"vector_enabled": False, "reranked": False}
    summary = {"kind": "by_type_summary", "run_config": {"reranker_skipped_rows": 1}}
    found = written(told("q1", search_meta=meta), told("q2", search_meta=meta), summary, required=("vector",))
    assert found[0]["search_meta"]["degraded"] == ["reranker_fell_open", "vector_degraded"]
