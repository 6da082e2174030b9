"""The laws of a split: the probability of every candidate, and exact draws from it.

The chances exp(rate * (score - best score)) are floats. A float is a fraction, and draws from these
fractions are exact. The number of random bits and of operations of a draw follows from the number of nodes
and candidates, except with probability below n^2 / 2^60 for a node with n candidates: scaled chances are
rounded down to integers of 64 bits, and what the rounding removes is drawn in this rare case only.

Chances are at least exp(-DEEPEST), as if scores far below the best one were raised. Raised scores change no
more between neighbours than the scores do, and in the same direction, so the guarantee stays. Without this
bound a chance could underflow to 0 for one sample and not for its neighbour.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from privboost.fast.arrays import Array
from privboost.fast.bits import Bits, bernoulli, uniform_below
from privboost.fast.protocol import SplitLaw

DEEPEST = 690.0
"""Largest exponent: the best candidate is at most exp(690) times as likely as any other."""


def chances(scores: Array, per_score: float) -> Array:
    """Return exp(rate * (score - best score of the node)) of every candidate, at least exp(-DEEPEST)."""
    exponents: Array = np.maximum(per_score * (scores - scores.max(axis=-1, keepdims=True)), -DEEPEST)
    return np.exp(exponents)


def law(split_law: SplitLaw, scores: Array, per_score: float) -> Array:
    """Return the probability of every candidate of one node."""
    if split_law is SplitLaw.UNIFORM or per_score == 0:
        return np.full(scores.size, 1.0 / scores.size)
    relative = chances(scores, per_score)
    if split_law is SplitLaw.EXPONENTIAL:
        normalised: Array = relative / relative.sum()
        return normalised
    return _permute_and_flip(relative)


def _permute_and_flip(relative: Array) -> Array:
    """Return the law of permute-and-flip: q_i times the integral over [0, 1] of prod_{j != i} (1 - q_j x)."""
    at, weights = _quadrature()
    logs = np.log1p(-relative[:, None] * at[None, :])
    others = np.exp(logs.sum(axis=0)[None, :] - logs)
    probabilities: Array = relative * (others * weights).sum(axis=1)
    return probabilities


@cache
def _quadrature() -> tuple[Array, Array]:
    """Return the points and weights of a quadrature on [0, 1], 24 on each of [1/2, 1], [1/4, 1/2] and so on.

    Points are dense near 0, because a product of many factors falls like exp(-k x).
    """
    points, weights = np.polynomial.legendre.leggauss(24)
    ends = np.concatenate(([0.0], 2.0 ** np.arange(-12, 1)))
    lows, widths = ends[:-1, None], np.diff(ends)[:, None]
    return (lows + widths * (points + 1) / 2).ravel(), (widths * weights / 2).ravel()


def draw(split_law: SplitLaw, scores: Array, per_score: float, bits: Bits) -> list[int]:
    """Return the index of a candidate for every node; scores have shape (nodes, candidates)."""
    nodes, count = scores.shape
    if split_law is SplitLaw.UNIFORM or per_score == 0:
        return [uniform_below(count, bits) for _ in range(nodes)]
    sample = draw_proportional if split_law is SplitLaw.EXPONENTIAL else draw_permute_and_flip
    return sample(chances(scores, per_score), bits)


def draw_proportional(relative: Array, bits: Bits) -> list[int]:
    """Return an index for every row, with probability exactly proportional to the entry at that index.

    Entries times a power of two are rounded down to integers, which add up to a total per row. An integer is
    drawn below the total plus the number of entries. Below the total it selects an index by cumulated
    integers. Otherwise it proposes an index directly, which the part of the entry that the rounding removed
    accepts; if not, the row is drawn again.

    Requires: 0 < entries <= 1, one entry of each row 1.
    """
    count = relative.shape[1]
    whole, part = _rounded_down(relative, 62 - count.bit_length())
    ends = np.cumsum(whole, axis=1)
    drawn = [uniform_below(total + count, bits) for total in ends[:, -1].tolist()]
    chosen = _index_of(ends, drawn)
    for row in np.flatnonzero(chosen == count):
        index = drawn[row] - int(ends[row, -1])
        accepted = bernoulli(*float(part[row, index]).as_integer_ratio(), bits)
        chosen[row] = index if accepted else draw_proportional(relative[row : row + 1], bits)[0]
    return [int(index) for index in chosen]


def draw_permute_and_flip(relative: Array, bits: Bits) -> list[int]:
    """Return an index for every row, by permute-and-flip: the first in random order that its coin accepts.

    The coins of all indices are tossed, and one of the accepted indices is drawn uniformly. A coin compares
    62 random bits with its chance.

    Requires: 0 < entries <= 1, one entry of each row 1.
    """
    whole, part = _rounded_down(relative, 62)
    words = bits.getrandbits(64 * relative.size).to_bytes(8 * relative.size, "little")
    coins = (np.frombuffer(words, dtype="<u8").reshape(relative.shape) >> np.uint64(2)).astype(np.int64)
    accepted = coins < whole
    for at in zip(*np.nonzero(coins == whole), strict=True):
        accepted[at] = bernoulli(*float(part[at]).as_integer_ratio(), bits)
    ranks = np.cumsum(accepted, axis=1)
    drawn = [uniform_below(total, bits) for total in ranks[:, -1].tolist()]
    return [int(index) for index in _index_of(ranks, drawn)]


def _rounded_down(relative: Array, shift: int) -> tuple[Array, Array]:
    """Return entries times 2^shift as integers, rounded down, and what the rounding removed."""
    scaled = np.ldexp(relative, shift)
    whole = np.floor(scaled)
    return whole.astype(np.int64), scaled - whole


def _index_of(ends: Array, drawn: list[int]) -> Array:
    """Return the first index of every row whose cumulated number exceeds the drawn one."""
    indices: Array = (ends <= np.array(drawn)[:, None]).sum(axis=1)
    return indices
