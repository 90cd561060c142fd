"""Totals over resampled, and over sign-flipped, clusters: many columns at a time, one stream.

Whatever the column, a total adds its terms one after the other in the order of the clusters, as the contract
does: a block has its clusters down and its draws across, and reducing it over the first axis adds whole rows.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gate.core.stats.generator import BLOCK_SIZE, WORDS, blocks
from gate.core.stats.packing import Column, pack, unpack

Totals = NDArray[np.float64]
Kind = TypeVar("Kind", bound=np.generic)


def bootstrap_totals(columns: Sequence[Column], *, draws: int, seed: int) -> Totals:
    """Return each column's totals over as many clusters as there are, drawn with replacement.

    Shapes: columns (clusters,), result (columns, draws). These are the first calls of the stream.
    """
    clusters = len(columns[0])
    carriers = pack(columns, [clusters * float(np.abs(values).max()) for values in columns])
    totals = np.zeros((len(carriers), draws))
    doubles, indices = np.empty(BLOCK_SIZE), np.empty(BLOCK_SIZE, dtype=np.int64)
    for block in blocks(seed, start=0, draws=draws, clusters=clusters):
        terms, picks = _shaped(doubles, block.words), _shaped(indices, block.words)
        np.multiply(
            block.words, clusters / WORDS, out=terms
        )  # u C: dividing by 2^32 first or last is the same
        np.copyto(picks, terms, casting="unsafe")  # and its floor, for nothing is negative
        for carrier, running in zip(carriers, totals[:, block.draws], strict=True):
            np.take(carrier.values, picks, out=terms, mode="clip")
            _add_rows(terms, running)
    return unpack(carriers, totals)


def flipped_totals(columns: Sequence[Column], *, draws: int, seed: int) -> Totals:
    """Return each column's totals over all clusters, each negated where its random number is below a half.

    Shapes: columns (clusters,), result (columns, draws). The stream goes on where the bootstrap left it.
    """
    clusters = len(columns[0])
    carriers = pack(columns, [float(np.abs(values).sum()) for values in columns])
    totals = np.zeros((len(carriers), draws))
    doubles, halves = np.empty((2, BLOCK_SIZE)), np.empty(BLOCK_SIZE, dtype=np.int32)
    for block in blocks(seed, start=draws * clusters, draws=draws, clusters=clusters):
        signs, terms = (_shaped(buffer, block.words) for buffer in doubles)
        np.copyto(signs, _signs(block.words, _shaped(halves, block.words)))
        for carrier, running in zip(carriers, totals[:, block.draws], strict=True):
            np.multiply(signs, carrier.values[block.clusters, None], out=terms)
            _add_rows(terms, running)
    return unpack(carriers, totals)


def every_flip(values: Column) -> Totals:
    """Return the totals of all 2^C sign patterns; in pattern i, cluster j is negated if bit j of i is set."""
    totals = np.zeros(1)
    for value in values:
        totals = np.concatenate((totals + value, totals - value))
    return totals


def _shaped(buffer: NDArray[Kind], like: NDArray[np.uint32]) -> NDArray[Kind]:
    return buffer[: like.size].reshape(like.shape)


def _signs(words: NDArray[np.uint32], out: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return -1 for words below a half and +1 for the others: their highest bit, spread, turned round."""
    np.right_shift(words.view(np.int32), 31, out=out)
    np.invert(out, out=out)
    return np.bitwise_or(out, 1, out=out)


def _add_rows(terms: NDArray[np.float64], running: NDArray[np.float64]) -> None:
    """Add the rows to the running totals, strictly one after the other; ``terms`` is used up."""
    terms[0] += running
    if terms.shape[1] > 1:
        np.add.reduce(terms, axis=0, out=running)
    else:
        running[:] = np.add.accumulate(terms, axis=0)[-1]  # a single column would be summed pairwise
