from gate.core.longmemeval.haystack import haystack_of, slug_of
from tests.core.longmemeval.factories import question, written


def turns(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "indeed"}]


def test_a_session_becomes_a_document_whose_name_says_nothing_about_it() -> None:
    found = haystack_of(question(haystack_sessions=[turns("gin")], haystack_session_ids=["answer_1"]))
    (document,) = found.documents
    assert document.text == "user: gin\nassistant: indeed"
    assert document.date == "2024-01-01"
    assert "answer" not in f"{document.id}{document.session_id}"
    assert found.session_of == {document.id: "answer_1"}


def test_slugs_are_ten_hexadecimal_digits() -> None:
    # printf answer_6fe9fb49 | sha256sum
    assert slug_of("answer_6fe9fb49") == "chat/s-a5059f5d1a"


def test_gold_that_is_nowhere_in_the_haystack_is_named() -> None:
    assert haystack_of(question(answer_session_ids=["q1-s1", "gone"])).gold_missing == ("gone",)


def test_the_same_session_twice_is_handed_over_once_and_is_no_collision() -> None:
    found = haystack_of(question(haystack_sessions=[turns("a"), turns("a")], haystack_session_ids=["s", "s"]))
    assert (len(found.documents), found.repeated, found.collisions) == (1, 1, ())


def test_one_id_for_two_different_sessions_is_a_collision() -> None:
    found = haystack_of(
        question(
            haystack_sessions=[turns("a"), turns("b")],
            haystack_session_ids=["s", "s"],
            answer_session_ids=["s"],
        )
    )
    assert (found.collisions, found.collided_gold) == (("s",), ("s",))


def test_two_ids_with_one_slug_are_a_collision_that_concerns_gold_only_when_gold_is_among_them() -> None:
    clash = haystack_of(question(), slug=lambda each: "x" if each in ("q1-s1", "q1-s2") else each)
    assert clash.collisions == ("q1-s1", "q1-s2")
    assert clash.collided_gold == ()
    assert len(clash.documents) == 2
    assert haystack_of(question(), slug=lambda _: "x").collided_gold == ("q1-s0",)


def test_every_session_of_an_ordinary_question_is_there() -> None:
    found = haystack_of(question("q9"))
    assert list(found.session_of.values()) == [f"q9-s{number}" for number in range(3)]
    assert [document.text for document in found.documents] == [f"user: words of {n}" for n in range(3)]
    assert written("q9")["answer_session_ids"] == ["q9-s0"]
    assert found.gold_missing == ()
