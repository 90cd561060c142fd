import json

import pytest
from msgspec.structs import replace

from gate.core.parts import part_file, part_of_line, stated
from gate.core.records.objections import Objection
from gate.core.shards import Shard
from tests.core.part_files import ENDED, NAMES, WHOLE, line, part, part_bytes, read


def test_a_first_line_states_its_part_and_gives_it_back() -> None:
    first = b'{"kind":"run_info","questions":2,"notes":[]}\n'
    asking = WHOLE.asking(("q1", "q2"))

    told = stated(first, asking)

    assert part_of_line(told) == asking
    assert told.startswith(first[:-2])
    assert stated(first, None) == first


IMPOSSIBLE = stated(b'{"kind":"run_info"}', replace(WHOLE, shard=Shard(1, 0)))


@pytest.mark.parametrize("text", [b"", b"{}", b"\xff", b"[", b'{"kind":"run_info","part":3}', IMPOSSIBLE])
def test_a_line_that_states_no_part_is_none(text: bytes) -> None:
    assert part_of_line(text) is None
    assert part_file("rows", text + b"\n") is None


def test_a_part_asks_what_its_shard_holds_in_the_order_of_the_suite() -> None:
    found = part(2)
    assert found.part.questions == NAMES
    assert found.part.own_questions() == tuple(name for name in NAMES if Shard(2, 3).holds(name))
    assert tuple(found.rows) == found.part.own_questions()
    assert (found.left, found.shard, found.fingerprints) == (0, Shard(2, 3), {"system": "scripted"})


def test_the_first_line_comes_back_without_its_part() -> None:
    data = part_bytes(1)
    members = json.loads(data.partition(b"\n")[0])
    del members["part"]
    assert read(data).first == members
    assert read(data).rest == data.partition(b"\n")[2]


def test_what_the_run_says_of_itself_is_added_up() -> None:
    against = Objection("it holds", "not_measured", "nothing was measured")
    tails = (
        {"kind": "run_info", "shortfalls": {"deadline": 2}, "notes": ["one"], "oddities": {"too_long": 1}},
        {"kind": "run_info", "shortfalls": {"deadline": 1}, "notes": ["one"], "objections": [against.line()]},
    )
    found = part(1, without=3, tail=tails)
    assert (found.shortfalls, found.oddities, found.notes) == ({"deadline": 3}, {"too_long": 1}, ("one",))
    assert (found.objections, found.left, found.ended) == ((against,), 3, True)


def test_a_file_that_breaks_off_says_no_end() -> None:
    assert not part(1, tail=()).ended
    assert not read(part_bytes(1) + line({"question_id": "late"})).ended
    assert part(1, tail=({"kind": "by_type_summary"},)).ended


def test_lines_that_cannot_be_read_are_counted() -> None:
    strange = [
        b"nonsense\n",
        b"[]\n",
        b'{"kind":"other"}\n',
        b'{"kind":"run_info","objections":[{}]}\n',
        b"\xff\n",
    ]
    assert read(part_bytes(1) + b"".join(strange)).unreadable == len(strange)
    assert read(part_bytes(1) + b'{"question_id":"to').unreadable == 1
    assert read(part_bytes(1).partition(b"\n")[0]).rows == {}


def test_of_a_question_that_is_there_twice_the_last_row_is_kept_and_it_is_said() -> None:
    own = part(1).part.own_questions()[0]
    found = read(part_bytes(1) + line({"question_id": own, "hit": 0}) + line(ENDED))
    assert found.doubled == (own,)
    assert json.loads(found.rows[own])["hit"] == 0


def test_how_much_is_left_is_told_where_it_says_how_much_was_meant() -> None:
    assert part(1, without=2).left == 2
    assert part(1, whole=True, names=(), tail=({"question_id": "turn-1"},)).left == 0
    assert read(stated(b'{"kind":"run_info"}\n', WHOLE)).left == 0


def test_fingerprints_that_are_none_are_none() -> None:
    first = stated(b'{"kind":"run_info","fingerprints":3}\n', WHOLE)
    assert read(first).fingerprints == {}
