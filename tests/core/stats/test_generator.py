"""The stream, call by call, wherever its state has got to."""

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gate.core.stats.generator import BLOCK_SIZE, blocks, segments, uniforms
from tests.core.stats.factories import shared
from tests.core.stats.reference import generator


def vectors():
    return json.loads(shared("derived-golden-paired.json").read_text())


def states(start: float, calls: int) -> list[int]:
    """The states that so many calls leave, added up one by one."""
    found = []
    for _ in range(calls):
        start += 1831565813.0
        found.append(int(start))
    return found


def spelled_out(start: float, calls: int) -> list[int]:
    """The same states, read from the segments."""
    found = segments(start, calls)
    ends = [segment.first for segment in found[1:]] + [calls]
    listed = [
        segment.state + i * segment.stride
        for segment, end in zip(found, ends, strict=True)
        for i in range(end - segment.first)
    ]
    return listed[:calls]


def test_the_first_numbers_are_the_contracts():
    first = [0.6011037519201636, 0.44829055899754167, 0.8524657934904099, 0.6697340414393693]

    assert uniforms(42, 0, 4).tolist() == first


def test_the_first_numbers_of_every_published_seed_are_the_contracts():
    for seed, expected in vectors()["prng"].items():
        assert uniforms(int(seed), 0, len(expected)).tolist() == expected


def test_the_stream_is_the_contracts_where_its_state_leaves_the_exact_integers():
    around = vectors()["prng_seed42_around_2pow53"]
    expected = {int(name.removeprefix("call_")): x for name, x in around.items() if isinstance(x, float)}

    assert {call: uniforms(42, call - 1, 1)[0] for call in expected} == expected


@given(st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_numbers_come_as_from_a_generator_called_one_by_one(seed, count):
    call = generator(seed)

    assert uniforms(seed, 0, count).tolist() == [call() for _ in range(count)]


@given(st.integers(0, 2**32 - 1), st.integers(0, 10**10), st.integers(1, 20), st.integers(1, 20))
def test_any_part_of_the_stream_can_be_read_alone(seed, start, before, count):
    together = uniforms(seed, start, before + count)

    assert uniforms(seed, start + before, count).tolist() == together[before:].tolist()


def test_eleven_million_states_are_those_of_one_addition_after_the_other():
    calls = 11_000_000
    steps = np.full(calls + 1, 1831565813.0)
    steps[0] = 7
    one_by_one = np.add.accumulate(steps, out=steps)[1:]
    found = segments(7.0, calls)
    ends = [segment.first for segment in found[1:]] + [calls]
    assert len(found) > 4

    for segment, end in zip(found, ends, strict=True):
        progression = segment.state + np.arange(end - segment.first) * segment.stride
        assert np.array_equal(progression, one_by_one[segment.first : end])


@example(power=54, before=2 * 1831565813 + 5, calls=9)
@given(
    st.integers(53, 80),
    st.integers(0, 40 * 1831565813),
    st.integers(1, 60),
)
def test_states_round_as_doubles_do_at_every_power_of_two(power, before, calls):
    start = float(2**power - before)

    assert spelled_out(start, calls) == states(start, calls)


@pytest.mark.parametrize("clusters", [1, 17, 470, 512, 513, 1_100])
@pytest.mark.parametrize("start", [0, 4_917_000])
def test_blocks_are_the_stream_laid_out_draw_by_draw(clusters, start):
    draws = 1_001
    laid_out = np.full((draws, clusters), -1.0)

    for block in blocks(42, start=start, draws=draws, clusters=clusters):
        assert block.words.size <= BLOCK_SIZE
        laid_out[block.draws, block.clusters] = block.words.T / 2**32

    assert np.array_equal(laid_out.ravel(), uniforms(42, start, draws * clusters))


def test_blocks_of_some_draws_come_in_the_order_of_the_clusters():
    order = [
        (block.draws.start, block.clusters.start) for block in blocks(1, start=0, draws=200, clusters=1_300)
    ]

    assert order == sorted(order)
    assert len(set(order)) == len(order)
