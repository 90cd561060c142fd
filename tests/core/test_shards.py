import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.shards import Shard, ShardError, shard_of_text


@given(ids=st.sets(st.text(min_size=1), max_size=50), of=st.integers(1, 9))
def test_shards_hold_every_question_exactly_once(ids: set[str], of: int) -> None:
    shards = [{each for each in ids if Shard(number, of).holds(each)} for number in range(1, of + 1)]
    assert sum(map(len, shards)) == len(ids)
    assert set[str]().union(*shards) == ids


def test_a_shard_is_the_same_on_every_machine() -> None:
    # printf q1 | sha256sum: c75de8c1b7c3ae52…; its last digits 52 mod 4 = 2, so the third of four
    assert [Shard(number, 4).holds("q1") for number in (1, 2, 3, 4)] == [
        int("c75de8c1b7c3ae52", 16) % 4 == number for number in range(4)
    ]


def test_a_shard_is_written_as_it_is_read() -> None:
    assert str(shard_of_text("2/16")) == "2/16"


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b", "1/2/3", "01/4", "1/1001", "", " 1/2"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ShardError, match="is no shard"):
        shard_of_text(text)
