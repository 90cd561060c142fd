import math

import pytest

from gate.core.metrics import best_scores, evaluate, ranking
from gate.core.records.system import Document, Query, SearchReply
from gate.ports import SystemFailed
from gate.systems.keyword_index import CHUNK_WORDS, MAX_QUERY_WORDS
from gate.systems.modes import MODES, tokens
from gate.systems.reference import ReferenceSystem
from tests import cranfield


def reference(*documents: Document) -> ReferenceSystem:
    system = ReferenceSystem()
    system.ingest(documents)
    return system


def page(name: str, text: str, title: str | None = None) -> Document:
    return Document(id=name, text=text, title=title)


def search(system: ReferenceSystem, text: str, k: int = 10, mode: str = "balanced") -> SearchReply:
    return system.search(Query(id="q", text=text, k=k, mode=mode))


def found(reply: SearchReply) -> list[str]:
    return [hit.doc_id for hit in reply.hits]


def test_words_are_stemmed_and_their_case_is_ignored() -> None:
    system = reference(page("a", "Cats were sleeping."), page("b", "Dogs bark."))
    assert found(search(system, "CAT sleeps")) == ["a"]


def test_a_title_is_searched_too() -> None:
    assert found(search(reference(page("a", "text", title="Zebra")), "zebra")) == ["a"]


def test_scores_descend_and_ranks_count_from_one() -> None:
    system = reference(*(page(f"d{n}", "wing " * n + "tail " * (9 - n)) for n in range(1, 9)))

    hits = search(system, "wing").hits

    assert [hit.rank for hit in hits] == list(range(1, 9))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_equal_scores_come_in_the_order_that_trec_eval_gives_them_whatever_came_first() -> None:
    names = ["b", "d", "a", "c"]

    forward, backward = (
        reference(*(page(name, "same words") for name in order)) for order in (names, names[::-1])
    )

    assert found(search(forward, "same")) == found(search(backward, "same")) == ["d", "c", "b", "a"]


def test_its_ranks_are_those_of_the_metrics() -> None:
    system = reference(*(page(f"d{n}", "flow " * (n % 3) + "heat " * (n % 2)) for n in range(20)))
    hits = search(system, "flow heat").hits
    assert [hit.doc_id for hit in hits] == list(ranking(best_scores((hit.doc_id, hit.score) for hit in hits)))


def test_a_long_document_is_found_by_its_chunks_with_the_session_it_is() -> None:
    text = " ".join(["filler"] * CHUNK_WORDS + ["needle"])
    system = reference(Document(id="long", text=text, session_id="s1"))

    (hit,) = search(system, "needle").hits

    assert (hit.doc_id, hit.chunk_id, hit.session_id) == ("long", "long#1", "s1")


@pytest.mark.parametrize(("mode", "limit"), [("conservative", 10), ("balanced", 25), ("tokenmax", 50)])
def test_a_mode_limits_the_number_of_hits(mode: str, limit: int) -> None:
    system = reference(*(page(f"d{n:03}", "word") for n in range(80)))
    assert len(search(system, "word", k=80, mode=mode).hits) == limit


@pytest.mark.parametrize(("mode", "whole"), [("conservative", 4), ("balanced", 12)])
def test_a_mode_limits_what_the_hits_hold(mode: str, whole: int) -> None:
    thousand_tokens = "word " + "x" * 3_995
    system = reference(*(page(f"d{n:03}", thousand_tokens) for n in range(30)))

    reply = search(system, "word", k=30, mode=mode)

    assert len(reply.hits) == whole
    assert reply.delivered_tokens == whole * 1_000 == MODES[mode].token_budget


def test_the_first_hit_is_delivered_even_when_it_is_larger_than_the_budget() -> None:
    system = reference(page("huge", "word " + "x" * 40_000), page("small", "word " + "y " * 50))
    reply = search(system, "word", mode="conservative")
    assert len(reply.hits) >= 1


@pytest.mark.parametrize(("characters", "expected"), [(0, 0), (1, 1), (4, 1), (5, 2), (4_000, 1_000)])
def test_a_token_is_four_characters_rounded_up(characters: int, expected: int) -> None:
    assert tokens(characters) == expected


def test_a_mode_it_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(SystemFailed) as caught:
        search(reference(page("a", "b")), "b", mode="turbo")
    assert caught.value.kind == "refused"
    assert "conservative, balanced, tokenmax" in caught.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "?!",
        "___",
        '"',
        "word AND",
        "NOT word",
        "word*",
        "text:word",
        "NEAR(a b)",
        "(",
        "^word",
        "a\0b",
        "é ß",
    ],
)
def test_a_query_is_words_and_never_syntax(text: str) -> None:
    reply = search(reference(page("a", "a word and near")), text)
    assert isinstance(reply, SearchReply)


def test_a_query_without_words_finds_nothing() -> None:
    assert search(reference(page("a", "word")), "?!").hits == ()


def test_a_page_pasted_as_a_query_is_answered_from_its_first_words() -> None:
    pasted = " ".join(["word", *(f"filler{n}" for n in range(MAX_QUERY_WORDS * 3))])
    assert found(search(reference(page("a", "word")), pasted)) == ["a"]


def test_a_text_of_ten_megabytes_is_indexed() -> None:
    system = reference(page("big", "lorem ipsum " * 850_000 + "needle"))
    assert found(search(system, "needle")) == ["big"]


def test_reset_forgets_every_document() -> None:
    system = reference(page("a", "word"))
    system.reset()
    assert search(system, "word").hits == ()
    system.ingest([page("a", "word again")])
    assert found(search(system, "word")) == ["a"]


def test_documents_may_come_in_several_parts() -> None:
    system = reference(page("a", "word"))
    system.ingest([page("b", "word")])
    assert found(search(system, "word")) == ["b", "a"]


def test_a_batch_with_a_known_id_is_refused_as_a_whole() -> None:
    system = reference(page("a", "word"))

    with pytest.raises(SystemFailed, match="there already"):
        system.ingest([page("new", "word"), page("a", "word")])

    assert found(search(system, "word")) == ["a"]


def test_an_empty_document_is_no_error() -> None:
    assert search(reference(page("empty", "")), "word").hits == ()


def test_it_does_not_speak() -> None:
    with pytest.raises(SystemFailed) as caught:
        reference().answer(Query(id="q", text="t", k=1, mode="balanced"), ())
    assert caught.value.kind == "refused"


def test_it_says_what_it_is_and_what_it_went_without() -> None:
    system = reference(page("a", "word"))
    said = system.capabilities()
    assert said.modes == ("conservative", "balanced", "tokenmax")
    assert not said.answers
    flags = search(system, "word").flags
    assert (flags.vector_enabled, flags.reranked, flags.expansion_applied, flags.degraded) == (
        False,
        False,
        False,
        (),
    )


def test_it_may_be_closed_twice() -> None:
    system = reference()
    system.close()
    system.close()


@cranfield.needs_cranfield
@pytest.mark.parametrize("mode", MODES)
def test_on_cranfield_the_binary_ndcg_at_10_is_at_least_0_36(mode: str) -> None:
    system = reference(*cranfield.documents())

    run = {
        number: best_scores((hit.doc_id, hit.score) for hit in search(system, text, k=50, mode=mode).hits)
        for number, text in cranfield.queries().items()
    }

    measured = [
        metrics for metrics in evaluate(run, cranfield.qrels(), (10,)).values() if metrics is not None
    ]
    assert len(measured) == 225
    assert math.fsum(metrics["ndcg@10"] for metrics in measured) / 225 >= 0.36


@cranfield.needs_cranfield
def test_two_runs_on_cranfield_give_the_same_hits_in_the_same_order() -> None:
    first, second = reference(*cranfield.documents()), reference(*cranfield.documents())
    for text in list(cranfield.queries().values())[:30]:
        assert search(first, text, k=50).hits == search(second, text, k=50).hits
