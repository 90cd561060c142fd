import msgspec
import pytest
from msgspec import Raw

from gate.core.records.row_shape import RowShape, UnlearnableError


def learnt(*rows: bytes, declared: tuple[str, ...] = ()) -> RowShape:
    shape = RowShape(declared)
    for row in rows:
        shape.learn(msgspec.json.decode(row, type=dict[str, Raw]))
    return shape


def test_a_new_shape_knows_the_question_id_alone() -> None:
    shape = RowShape()
    shape.decode(b'{"question_id":"a"}')
    with pytest.raises(msgspec.ValidationError):
        shape.decode(b'{"question_id":"a","m":1}')
    assert shape.reader("m") is None


def test_a_learnt_field_is_read_by_its_name_whatever_the_name_is() -> None:
    names = ["recall@5", "if", "__class__", "f0", "a b", "é"]
    row = msgspec.json.encode({"question_id": "q", **{name: number for number, name in enumerate(names)}})
    shape = learnt(row)
    decoded = shape.decode(row)
    for number, name in enumerate(names):
        read = shape.reader(name)
        assert read is not None
        assert read([decoded, decoded]) == [number, number]


def test_a_value_never_seen_before_does_not_slip_by() -> None:
    shape = learnt(b'{"question_id":"a","mode":"x","question_type":"t","k":5}')
    shape.decode(b'{"question_id":"b","mode":"x","question_type":"t","k":5}')
    for other in (b'"mode":"y"', b'"question_type":"u"', b'"k":6'):
        with pytest.raises(msgspec.ValidationError):
            shape.decode(b'{"question_id":"b",' + other + b"}")


def test_the_longest_field_name_that_fits_a_path_is_meant() -> None:
    shape = learnt(b'{"question_id":"a","m":1,"m[0]":1}')
    assert shape.expectation("m[0]") == ("m[0]", "a finite number, true or false")
    assert shape.expectation("question_id") == ("question_id", "a text that is not empty")
    assert shape.expectation("unheard-of") is None


def test_a_name_that_no_decoder_can_know_is_refused() -> None:
    with pytest.raises(UnlearnableError, match="quotation mark"):
        learnt(b'{"question_id":"a","tab\\t":1}')


def test_declared_fields_are_those_that_were_seen() -> None:
    shape = learnt(b'{"question_id":"a","m":1}', declared=("n", "m", "question_id"))
    assert shape.declared_fields() == ("m",)
