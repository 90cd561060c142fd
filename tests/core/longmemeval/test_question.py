import json
from typing import Any

import pytest

from gate.core.longmemeval.question import Question, QuestionError, question_of_line, question_of_object
from tests.core.longmemeval.factories import question, written


def line(document: dict[str, object]) -> bytes:
    return json.dumps(document).encode()


def bare(name: str = "q1", **members: object) -> dict[str, object]:
    """The other shape: lists of turns, and the ids of the sessions beside them."""
    named: Any = written(name)
    sessions = named["haystack_sessions"]
    return {
        **named,
        "haystack_sessions": [session["turns"] for session in sessions],
        "haystack_session_ids": [session["session_id"] for session in sessions],
        **members,
    }


def ids(found: Question) -> list[str]:
    return [session.id for session in found.sessions]


def test_both_shapes_of_a_haystack_give_the_same_question_and_content_hash() -> None:
    assert question_of_object(bare(), 1) == question()
    assert question_of_object(bare(), 1).content_hash() == question().content_hash()


def test_a_line_and_an_element_of_an_array_give_the_same_question() -> None:
    assert question_of_line(line(written()), 1) == question_of_object(written(), 1)


def test_sessions_without_an_id_are_named_after_the_question_and_their_place() -> None:
    assert ids(question_of_object(bare(haystack_session_ids=None), 1)) == ["lme_q1_0", "lme_q1_1", "lme_q1_2"]
    assert ids(question_of_object(bare(haystack_session_ids=["a", None]), 1)) == ["a", "lme_q1_1", "lme_q1_2"]


@pytest.mark.parametrize("answer", ["3:1", 3, 2.5, None])
def test_an_answer_may_be_text_or_a_number(answer: object) -> None:
    assert question(answer=answer).answer == answer


def test_gold_named_twice_counts_once() -> None:
    assert question(answer_session_ids=["b", "a", "b"]).gold == ("b", "a")


def test_a_question_without_gold_or_dates_is_read() -> None:
    found = question(answer_session_ids=None, haystack_dates=None)
    assert (found.gold, found.sessions[0].date) == ((), None)


def test_a_question_to_abstain_from_is_known_by_its_id() -> None:
    assert question("q1_abs").listed().abstention
    assert not question("abs_q1").listed().abstention


def test_the_content_hash_changes_with_the_content_and_not_with_the_id() -> None:
    same = question(haystack_sessions=written()["haystack_sessions"], answer_session_ids=["q1-s0"])
    renamed = question_of_object({**written(), "question_id": "other"}, 1)
    assert same.content_hash() == renamed.content_hash()
    assert same.content_hash() != question(answer="another").content_hash()
    assert question().listed().content_hash == question().content_hash()


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({**written(), "question": 3}, r"question 'q1' \(number 7\): Expected `str`, got `int` - at `\$.question`"),
        ({**written(), "haystack_sessions": []}, "nothing to search"),
        (bare(haystack_session_ids=["a"] * 4), "4 haystack_session_ids for 3 haystack_sessions"),
        ({"question": "which?"}, r"question number 7: .*missing required field `question_id`"),
        (["no", "object"], "question number 7: Expected `object`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_question_it_is_wrong_in(document: Any, said: str) -> None:
    for read in (
        lambda: question_of_object(document, 7),
        lambda: question_of_line(json.dumps(document).encode(), 7),
    ):
        with pytest.raises(QuestionError, match=said):
            read()


@pytest.mark.parametrize("damaged", [b"{", b"\xff", b"[" * 100_000])
def test_a_line_that_is_no_json_is_called_that(damaged: bytes) -> None:
    with pytest.raises(QuestionError, match=r"question number 2: "):
        question_of_line(damaged, 2)


def test_each_digest_changes_with_its_own_part_alone() -> None:
    one = question("q1")
    parts = [
        (other.haystack_hash() != one.haystack_hash(), other.listed().key_hash != one.listed().key_hash)
        for other in (
            question("q1", answer="other"),
            question("q1", answer_session_ids=["q1-s1"]),
            question("q1", haystack_dates=[]),
            question("q1", question="which?"),
        )
    ]
    assert parts == [(False, True), (False, True), (True, False), (False, False)]
