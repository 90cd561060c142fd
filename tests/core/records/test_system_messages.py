import json

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.generate_system_schema import OPENAPI, SCHEMA, texts
from gate.core.records.system import Answer, Capabilities, Document, Flags, Hit, Query, SearchReply, Usage
from gate.core.records.system_messages import (
    BATCH_BYTES,
    AnswerRequest,
    Call,
    Ingest,
    Nothing,
    Refusal,
    Return,
    Stored,
    batches,
    decode,
    encode,
)

VALIDATOR = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))

ids = st.text(min_size=1, max_size=12)
scores = st.floats(allow_nan=False, allow_infinity=False)
hits = st.builds(Hit, doc_id=ids, score=scores, rank=st.integers(1, 99), session_id=st.none() | ids)
queries = st.builds(Query, id=ids, text=st.text(), k=st.integers(1, 10_000), mode=ids)
usages = st.builds(Usage, input_tokens=st.none() | st.integers(0, 9), cost_usd=st.none() | st.floats(0, 9))
flags = st.builds(
    Flags, reranked=st.none() | st.booleans(), degraded=st.just(()) | st.just(("vector_degraded",))
)
replies = st.builds(SearchReply, hits=st.lists(hits, max_size=3).map(tuple), usage=usages, flags=flags)


def test_the_published_files_are_those_the_types_give() -> None:
    for path, text in texts().items():
        assert path.read_text() == text
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text()))


def test_the_openapi_description_is_a_valid_one() -> None:
    from openapi_spec_validator import validate

    validate(json.loads(OPENAPI.read_text()))


@given(replies)
def test_a_reply_survives_its_bytes_and_follows_the_schema(reply: SearchReply) -> None:
    assert decode(encode(reply), SearchReply) == reply
    line = encode(Return(id=1, result=msgspec.Raw(encode(reply))))
    VALIDATOR.validate(json.loads(line))


@given(queries, st.lists(hits, max_size=3).map(tuple))
def test_calls_follow_the_schema(query: Query, found: tuple[Hit, ...]) -> None:
    asked = {
        "search": encode(query),
        "answer": encode(AnswerRequest(query=query, hits=found)),
        "ingest": encode(Ingest(documents=(Document(id="a", text="b", metadata={"c": "d"}),))),
        "reset": encode(Nothing()),
        "capabilities": encode(Nothing()),
    }
    for method, params in asked.items():
        VALIDATOR.validate(json.loads(encode(Call(id=0, method=method, params=msgspec.Raw(params)))))  # type: ignore[arg-type]  # the keys are the methods


@pytest.mark.parametrize(
    "result",
    [Stored(documents=3), Answer(text="yes"), Capabilities(name="mine", fingerprints={"embedder": "e"})],
)
def test_every_other_result_follows_the_schema(result: Stored | Answer | Capabilities) -> None:
    VALIDATOR.validate(json.loads(encode(Return(id=1, result=msgspec.Raw(encode(result))))))


def test_an_error_line_follows_the_schema() -> None:
    line = encode(Return(id=4, error=Refusal(message="the index is being built")))
    VALIDATOR.validate(json.loads(line))
    assert json.loads(line) == {"id": 4, "error": {"message": "the index is being built"}}


HIT = {"doc_id": "a", "score": 1.5, "rank": 1}


@pytest.mark.parametrize(
    "hit",
    [
        HIT | {"score": "high"},
        HIT | {"score": None},
        HIT | {"rank": 0},
        HIT | {"rank": 1.5},
        HIT | {"doc_id": ""},
        HIT | {"doc_id": 7},
        {"doc_id": "a"},
    ],
)
def test_a_hit_that_says_too_little_or_nonsense_is_refused_by_types_and_schema_alike(hit: object) -> None:
    document = {"hits": [hit]}

    with pytest.raises(ValueError, match=r"SearchReply: .*hits\[0\]|SearchReply: .*hits\[\.\.\.\]"):
        decode(json.dumps(document).encode(), SearchReply)
    assert not VALIDATOR.is_valid({"id": 1, "result": document})


@pytest.mark.parametrize(
    "text", ["", "{", '{"hits":', "nope", '{"hits":[{"doc_id":"a","score":1e999,"rank":1}]}']
)
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="SearchReply"):
        decode(text.encode(), SearchReply)


def test_bytes_that_are_no_text_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="SearchReply"):
        decode(b'{"hits":[{"doc_id":"\xff","score":1,"rank":1}]}', SearchReply)


def test_a_message_nested_without_end_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="SearchReply"):
        decode(b'{"x":' + b"[" * 100_000, SearchReply)


def test_an_error_quotes_nothing_of_the_message() -> None:
    with pytest.raises(ValueError, match="SearchReply") as caught:
        decode(b'{"hits":[{"doc_id":"private question","score":"secret","rank":1}]}', SearchReply)
    assert "private" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_one_point_zero_is_the_whole_number_one() -> None:
    data = b'{"id":"q","text":"1.0","k":3.0,"mode":"m","more":[1.0,2.5,1e300]}'
    assert decode(data, Query) == Query(id="q", text="1.0", k=3, mode="m")
    reply = b'{"id":4.0,"result":{"hits":[{"doc_id":"a","score":2,"rank":1.0}]}}'
    found = decode(reply, Return)
    assert found.id == 4
    assert isinstance(found.result, msgspec.Raw)
    assert decode(found.result, SearchReply).hits == (Hit(doc_id="a", score=2.0, rank=1),)


@pytest.mark.parametrize("k", ["3.5", "1e300", "0.0"])
def test_a_number_that_is_not_whole_or_too_large_stays_wrong(k: str) -> None:
    with pytest.raises(ValueError, match="Query: "):
        decode(f'{{"id":"q","text":"t","k":{k},"mode":"m"}}'.encode(), Query)


def test_members_nobody_knows_are_left_alone() -> None:
    reply = decode(b'{"hits":[{"doc_id":"a","score":1,"rank":1,"later":[]}],"more":{}}', SearchReply)
    assert reply == SearchReply(hits=(Hit(doc_id="a", score=1.0, rank=1),))


def test_batches_keep_every_document_in_order_and_let_a_long_one_go_alone() -> None:
    sizes = [10, BATCH_BYTES * 3, 20, 30, BATCH_BYTES - 100, 40]
    documents = [Document(id=str(place), text="x" * size) for place, size in enumerate(sizes)]

    made = batches(documents)

    assert [[document.id for document in batch] for batch in made] == [["0"], ["1"], ["2", "3"], ["4"], ["5"]]


def test_no_documents_make_no_message() -> None:
    assert batches([]) == ()
