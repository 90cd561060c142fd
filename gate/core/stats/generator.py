"""The contract's random stream: mulberry32 whose state is never masked.

The state is a float64 that only grows: every call adds 0x6D2B79F5 and rounds. Up to 2^53 nothing is lost;
beyond, each binade rounds the increment to its own spacing. Within one binade the rounded increment is
constant (the sum is a tie only between 2^53 and 2^54, where one rounded step reaches a multiple of four and
all later ties fall the same way), so the stream is a short list of arithmetic progressions and any part of it
can be computed at once, in any order, bit for bit as if every call before had been made.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

INCREMENT = 0x6D2B79F5
WORDS = 2**32  # a word is uniform on 0 .. WORDS - 1; the contract divides it by WORDS

_EXACT = 2.0**53  # below, every sum of whole numbers is exact
_BLOCK_ROWS = 512
BLOCK_SIZE = 2**15  # words at most: with the doubles made from them a block stays within the L2 cache


@dataclass(frozen=True, slots=True)
class Segment:
    """Calls whose states are equally spaced: call ``first + i`` leaves ``state + i * stride``."""

    first: int
    state: int
    stride: int


def segments(start: float, calls: int) -> tuple[Segment, ...]:
    """Return what covers calls 0 to ``calls - 1`` of a generator whose state is ``start``, below 2^84."""
    found: list[Segment] = []
    call, state = 0, start + INCREMENT
    while call < calls:
        second = state + INCREMENT
        stride = int(second + INCREMENT) - int(second)
        end = int(max(_EXACT, math.ldexp(1.0, math.frexp(state)[1])))
        found.append(Segment(call, int(state), 0))  # a state that has just crossed may round in its own way
        call, state = call + 1, second
        if second + INCREMENT < end:
            steps = -(-(end - int(second)) // stride)  # states from ``second`` on that lie below ``end``
            found.append(Segment(call, int(second), stride))
            call, state = call + steps, float(int(second) + (steps - 1) * stride) + INCREMENT
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Block:
    """Words of some draws (columns) for some clusters (rows); they are overwritten by the next block."""

    clusters: slice
    draws: slice
    words: NDArray[np.uint32]


def uniforms(seed: int, start: int, count: int) -> NDArray[np.float64]:
    """Return ``count`` numbers in [0, 1) of the stream, from call ``start`` (0-based) on; shape (count,)."""
    words = _states(_stream(seed, start + count), np.arange(start, start + count, dtype=np.int64))
    _mix(words, np.empty_like(words), np.empty_like(words))
    return words / np.float64(WORDS)


def blocks(seed: int, *, start: int, draws: int, clusters: int) -> Iterator[Block]:
    """Yield the words of a stretch of the stream in which every draw makes one call for each cluster in turn.

    Draw i uses call ``start + i * clusters + j`` for cluster j. For given draws the blocks come in the order of
    the clusters, and a block fits the cache whatever the size of the whole.
    """
    stream = _stream(seed, start + draws * clusters)
    rows = min(clusters, _BLOCK_ROWS)
    columns = min(draws, BLOCK_SIZE // rows)
    scratch = _Scratch(stream, clusters, rows * columns)
    for draw in range(0, draws, columns):
        for cluster in range(0, clusters, rows):
            shape = min(rows, clusters - cluster), min(columns, draws - draw)
            words = scratch.words(start + draw * clusters + cluster, shape)
            yield Block(slice(cluster, cluster + shape[0]), slice(draw, draw + shape[1]), words)


class _Scratch:
    """Buffers for the blocks of one pass, so that no block maps new memory."""

    def __init__(self, stream: tuple[Segment, ...], clusters: int, size: int) -> None:
        self._stream = stream
        self._clusters = clusters
        self._buffers = np.empty((3, size), dtype=np.uint32)
        self._ramps: dict[tuple[int, tuple[int, int]], NDArray[np.uint32]] = {}

    def words(self, first: int, shape: tuple[int, int]) -> NDArray[np.uint32]:
        """Return the mixed words of the block whose first call is ``first``."""
        words, scratch, spare = (buffer[: shape[0] * shape[1]].reshape(shape) for buffer in self._buffers)
        last = first + (shape[1] - 1) * self._clusters + shape[0] - 1
        segment = next(s for s in reversed(self._stream) if s.first <= last)
        if segment.first <= first:
            state = segment.state + (first - segment.first) * segment.stride
            np.add(self._ramp(segment.stride, shape), np.uint32(state % WORDS), out=words)
        else:
            words[:] = _states(self._stream, first + self._calls(shape))
        _mix(words, scratch, spare)
        return words

    def _calls(self, shape: tuple[int, int]) -> NDArray[np.int64]:
        """Return the call numbers of a block, relative to its first; shape (rows, columns)."""
        return np.arange(shape[0])[:, None] + np.arange(shape[1])[None, :] * self._clusters

    def _ramp(self, stride: int, shape: tuple[int, int]) -> NDArray[np.uint32]:
        if (stride, shape) not in self._ramps:
            self._ramps[stride, shape] = _low_words(self._calls(shape), stride)
        return self._ramps[stride, shape]


def _stream(seed: int, calls: int) -> tuple[Segment, ...]:
    return segments(float(seed % WORDS), calls)


def _states(stream: tuple[Segment, ...], calls: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the low 32 bits of the states that any calls leave; same shape as ``calls``."""
    states = np.empty(calls.shape, dtype=np.uint32)
    for segment in stream:
        progression = _low_words(calls - segment.first, segment.stride) + np.uint32(segment.state % WORDS)
        np.copyto(states, progression, where=calls >= segment.first)
    return states


def _low_words(calls: NDArray[np.int64], stride: int) -> NDArray[np.uint32]:
    return calls.astype(np.uint32) * np.uint32(stride % WORDS)  # modulo 2^32 throughout


def _mix(t: NDArray[np.uint32], s: NDArray[np.uint32], spare: NDArray[np.uint32]) -> None:
    """Turn low words of states into output words, in place; ``s`` and ``spare`` are overwritten."""
    np.right_shift(t, 15, out=s)
    np.bitwise_xor(s, t, out=s)
    np.bitwise_or(t, 1, out=t)
    np.multiply(t, s, out=t)
    np.right_shift(t, 7, out=s)
    np.bitwise_xor(s, t, out=s)
    np.bitwise_or(t, 61, out=spare)
    np.multiply(s, spare, out=s)
    np.add(s, t, out=s)
    np.bitwise_xor(t, s, out=t)
    np.right_shift(t, 14, out=s)
    np.bitwise_xor(t, s, out=t)
