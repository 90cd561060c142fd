import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.qrels import (
    JudgedQuery,
    QrelsError,
    read_qrels,
    read_queries,
    with_texts,
    without_default,
)

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "gbrain"


def gate_shape(*entries: object, **members: object) -> bytes:
    return json.dumps({"schema_version": 1, "queries": list(entries), **members}).encode()


def plain_shape(*entries: object, **members: object) -> bytes:
    return json.dumps({"version": 1, "queries": list(entries), **members}).encode()


LEGACY = {"query": "who?", "relevant_slugs": ["people/a"]}
FEDERATED = {"query": "who?", "relevant": [{"source_id": "wiki", "slug": "people/a"}]}
PLAIN = {"query": "who?", "relevant": ["people/a"]}


def test_a_legacy_entry_names_slugs_of_the_default_source() -> None:
    entry = LEGACY | {"query_id": "q1", "first_relevant_slug": "people/a", "embedding_dim": 3, "label": "x"}
    assert read_qrels(gate_shape(entry)) == (
        JudgedQuery(id="q1", text="who?", grades={"people/a": 1}, expected_top1="people/a"),
    )


def test_a_federated_entry_names_source_and_slug_and_wins_over_legacy_keys() -> None:
    entry = {
        **FEDERATED,
        "relevant": [{"source_id": "wiki", "slug": "a"}, {"source_id": "default", "slug": "b"}],
        "expected_top1": {"source_id": "wiki", "slug": "a"},
        "relevant_slugs": ["ignored"],
        "first_relevant_slug": "ignored",
    }
    (query,) = read_qrels(gate_shape(entry))
    assert (query.grades, query.expected_top1) == ({"wiki::a": 1, "b": 1}, "wiki::a")


def test_an_entry_without_an_id_is_named_by_its_place() -> None:
    assert [query.id for query in read_qrels(gate_shape(LEGACY, LEGACY))] == ["entry-0", "entry-1"]


def test_the_plain_shape_has_grades() -> None:
    entry = {"id": "q", "query": "who?", "relevant": ["a", "b"], "grades": {"a": 3, "b": 2.0, "c": 0}}
    assert read_qrels(plain_shape(entry)) == (
        JudgedQuery(id="q", text="who?", grades={"a": 3, "b": 2, "c": 0}),
    )


def test_relevant_documents_without_a_grade_have_grade_one() -> None:
    (query,) = read_qrels(plain_shape(PLAIN | {"grades": None}))
    assert query.grades == {"people/a": 1}


def test_an_entry_may_name_its_class() -> None:
    assert [query.type for query in read_qrels(plain_shape(PLAIN | {"question_type": "person"}))] == [
        "person"
    ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[]", "the file must be an object"),
        (b"{", "no valid JSON"),
        (b'{"version": 1, "version": 1}', "no valid JSON"),
        (b"{}", "neither `schema_version` nor `version`"),
        (gate_shape(LEGACY, version=1), "both `schema_version` and `version`"),
        (gate_shape(LEGACY, schema_version=2), "`schema_version` must be 1"),
        (gate_shape(LEGACY, schema_version=True), "`schema_version` must be 1"),
        (plain_shape(PLAIN, version="1"), "`version` must be 1"),
        (gate_shape(), "`queries` must be a list with at least one entry"),
        (gate_shape(queries={}), "`queries` must be a list"),
        (gate_shape("who?"), r"queries\[0\] must be an object"),
        (
            gate_shape(LEGACY, LEGACY | {"query": "  "}),
            r"queries\[1\].query must be a text that is not empty",
        ),
        (gate_shape(LEGACY | {"query": 7}), r"queries\[0\].query"),
        (gate_shape({"query": "who?"}), r"queries\[0\].relevant_slugs must be a list with at least one"),
        (gate_shape(LEGACY | {"relevant_slugs": []}), r"relevant_slugs must be a list with at least one"),
        (gate_shape(LEGACY | {"relevant_slugs": [1]}), r"relevant_slugs\[0\] must be a text"),
        (gate_shape(LEGACY | {"relevant_slugs": [""]}), r"relevant_slugs\[0\] must be a text"),
        (gate_shape(LEGACY | {"first_relevant_slug": 1}), r"first_relevant_slug must be a text"),
        (gate_shape(LEGACY | {"query_id": 1}), r"query_id must be a text"),
        (gate_shape(FEDERATED | {"relevant": []}), r"relevant must be a list with at least one"),
        (gate_shape(FEDERATED | {"relevant": [1]}), r"relevant\[0\] must be an object"),
        (gate_shape(FEDERATED | {"relevant": [{"slug": "a"}]}), r"relevant\[0\] must have a `source_id`"),
        (gate_shape(FEDERATED | {"expected_top1": "a"}), r"expected_top1 is a text"),
        (gate_shape(PLAIN), r"relevant\[0\] is a text: .*`version`"),
        (plain_shape(FEDERATED), r"relevant\[0\] is an object: .*`schema_version`"),
        (plain_shape({"query": "who?", "relevant": []}), r"queries\[0\].relevant must be a list"),
        (plain_shape(PLAIN | {"grades": []}), None),
        (plain_shape(PLAIN | {"grades": [1]}), r"grades must be an object"),
        (plain_shape(PLAIN | {"grades": {"people/a": 0.5}}), r"grades.people/a must be a whole number"),
        (plain_shape(PLAIN | {"grades": {"people/a": True}}), r"must be a whole number"),
        (plain_shape(PLAIN | {"grades": {"people/a": "1"}}), r"must be a whole number"),
        (plain_shape(PLAIN | {"grades": {"stray": 2}}), r"names 'stray', which `relevant` does not"),
        (gate_shape(LEGACY | {"query_id": "q"}, LEGACY | {"query_id": "q"}), "'q' is there twice"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_the_other_shape_is_named(
    data: bytes, said: str | None
) -> None:
    if said is None:
        assert read_qrels(data)
        return
    with pytest.raises(QrelsError, match=said):
        read_qrels(data)


def test_trec_qrels_have_four_columns_and_any_whole_grade() -> None:
    assert read_qrels(b"q1 0 d1 1\nq1\t0\td2\t-1\n\nq2 0 d1 3\r\n") == (
        JudgedQuery(id="q1", grades={"d1": 1, "d2": -1}),
        JudgedQuery(id="q2", grades={"d1": 3}),
    )


def test_beir_qrels_have_a_heading_and_three_columns_and_ids_with_spaces() -> None:
    data = b"query-id\tcorpus-id\tscore\nq 1\tdoc 1\t1\n"
    assert read_qrels(data) == (JudgedQuery(id="q 1", grades={"doc 1": 1}),)


def test_a_heading_is_one_only_in_the_first_line() -> None:
    with pytest.raises(QrelsError, match="line 2: the grade must be a whole number"):
        read_qrels(b"q d 1\nquery-id corpus-id score\n")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no judgement in it"),
        (b"query-id\tcorpus-id\tscore\n", "no judgement in it"),
        (b"q d\n", "line 1: expected query, document and grade"),
        (b"q 0 d 1 run\n", "line 1: expected query, document and grade"),
        (b"q\t\t1\n", "line 1: expected query, document and grade"),
        (b"q d 1\nq d high\n", "line 2: the grade must be a whole number"),
        (b"q d 1.5\n", "line 1: the grade must be a whole number"),
        (b"q d 1\nq d 2\n", "line 2: 'd' has two grades for the query 'q'"),
        (b"q \xff 1\n", r"not UTF-8 \(at byte 3\)"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(data: bytes, said: str) -> None:
    with pytest.raises(QrelsError, match=said):
        read_qrels(data)


def test_a_judgement_that_is_there_twice_alike_counts_once() -> None:
    assert read_qrels(b"q d 1\nq d 1\n") == (JudgedQuery(id="q", grades={"d": 1}),)


def test_the_default_source_goes_without_saying() -> None:
    assert without_default("default::people/a") == "people/a"
    assert without_default("wiki::people/a") == "wiki::people/a"
    assert read_qrels(b"q default::d 1\n")[0].grades == {"d": 1}


def test_queries_come_from_json_lines_or_from_a_table() -> None:
    lines = b'{"_id": "q1", "text": "who?", "question_type": "person"}\n\n{"id": "q2", "query": "what?"}\n'
    assert read_queries(lines) == {"q1": ("who?", "person"), "q2": ("what?", None)}
    assert read_queries("\ufeffq1\twho?\nq2\twhat\tnow?\n".encode()) == {
        "q1": ("who?", None),
        "q2": ("what\tnow?", None),
    }


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"q1 who?\n", "line 1: expected an id, a tab"),
        (b"\twho?\n", "line 1: expected an id, a tab"),
        (b'{"_id": 1, "text": "a"}\n', "line 1: expected an object with `_id` and `text`"),
        (b'{"_id": "", "text": "a"}\n', "line 1: expected an object with"),
        (b'{"_id": "a"}\n', "line 1: expected an object with"),
        (b'{"_id": "a", "text": "b", "question_type": 1}\n', "line 1.question_type must be a text"),
        (b'{"_id": "a", \n', "line 1: no valid JSON"),
        (b"q1\twho?\nq1\twho?\n", "line 2: the query id 'q1' is there twice"),
    ],
)
def test_a_wrong_line_of_queries_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(QrelsError, match=said):
        read_queries(data)


def test_texts_from_elsewhere_complete_the_judgements() -> None:
    judged = read_qrels(b"q1 d 1\nq2 d 1\n")
    complete = with_texts(judged, {"q1": ("who?", "person"), "q2": ("what?", None), "more": ("?", None)})
    assert [(query.text, query.type) for query in complete] == [("who?", "person"), ("what?", None)]


def test_judgements_that_bring_their_text_need_no_other() -> None:
    judged = read_qrels(plain_shape(PLAIN))
    assert with_texts(judged, {}) == judged


def test_a_query_that_is_asked_nowhere_is_named() -> None:
    with pytest.raises(QrelsError, match="nothing says what the query 'q1' asks"):
        with_texts(read_qrels(b"q1 d 1\n"), {})


def test_the_content_hash_follows_text_and_judgements_and_nothing_else() -> None:
    query = JudgedQuery(id="q", text="who?", grades={"a": 1, "b": 2})
    same = JudgedQuery(id="other", text="who?", grades={"b": 2, "a": 1}, type="person")
    assert query.content_hash() == same.content_hash()
    changed = [
        JudgedQuery(id="q", text="who", grades={"a": 1, "b": 2}),
        JudgedQuery(id="q", text="who?", grades={"a": 1}),
        JudgedQuery(id="q", text="who?", grades={"a": 1, "b": 2}, expected_top1="a"),
    ]
    assert len({query.content_hash(), *(other.content_hash() for other in changed)}) == 4


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    for read in (read_qrels, read_queries):
        with suppress(QrelsError):
            read(data)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data set is not beside the repository")
@pytest.mark.parametrize(("name", "count"), [("qrels-search.json", 14), ("v0.41-launch.qrels.json", 12)])
def test_real_files_are_read(name: str, count: int) -> None:
    queries = read_qrels((SHARED / name).read_bytes())
    assert len(queries) == count
    assert all(query.text and query.expected_top1 in query.grades for query in queries)
    assert queries[0].grades == {"people/alice-example": 1, "companies/widget-co-example": 1}
