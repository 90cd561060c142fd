import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.core.records.row_lines import MAX_LINE_BYTES, EndlessLineError, whole_lines, without_half_characters


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_nothing_is_lost_and_lines_stay_whole(data: bytes, cuts: list[int]) -> None:
    data = data.removeprefix(b"\xef\xbb\xbf")
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    blocks = list(whole_lines(data[start:end] for start, end in pairwise(edges)))
    assert b"".join(blocks) == data
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    assert all(blocks)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_byte_order_mark_is_dropped_however_the_blocks_fall(size: int) -> None:
    data = b"\xef\xbb\xbfa\n"
    assert b"".join(whole_lines(data[at : at + size] for at in range(0, len(data), size))) == b"a\n"


def test_a_line_without_end_is_not_collected_for_ever() -> None:
    lines = whole_lines(b"x" * (1 << 20) for _ in range(1000))
    with pytest.raises(EndlessLineError):
        next(lines)


def test_the_longest_line_still_passes() -> None:
    assert sum(map(len, whole_lines([b"x" * MAX_LINE_BYTES]))) == MAX_LINE_BYTES


@given(st.text(alphabet=st.one_of(st.sampled_from('\ud83d\ude00\udc00\\"uda'), st.characters())))
def test_only_unpaired_surrogates_are_replaced(text: str) -> None:
    line = json.dumps(text).encode()
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert json.loads(without_half_characters(line)) == whole
