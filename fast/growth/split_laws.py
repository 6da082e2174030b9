"""The laws of a split: the probability of every candidate, and exact draws from it.

The chances exp(rate * (score - best score)) are floats. A float is a fraction, and draws from these
fractions are exact.

Chances are at least exp(-DEEPEST), as if scores far below the best one were raised. Raised scores change no
more between neighbours than the scores do, and in the same direction, so the guarantee stays. Without this
bound a chance could underflow to 0 for one sample and not for its neighbour.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from itertools import accumulate
from operator import lshift
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privboost.fast.bits import Bits, bernoulli, uniform_below
from privboost.fast.protocol import SplitLaw

Array = NDArray[Any]

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
    relative = chances(scores, per_score)
    if split_law is SplitLaw.EXPONENTIAL:
        return draw_proportional(relative, bits)
    return [draw_permute_and_flip(row, bits) for row in relative]


def draw_proportional(relative: Array, bits: Bits) -> list[int]:
    """Return an index for every row, with probability exactly proportional to the entry at that index.

    Entries are floats of 53 bits, so they are integers times a common power of two.
    Requires: entries > 0.
    """
    mantissas, exponents = np.frexp(relative)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    shifts = exponents.astype(np.int64) - exponents.min(axis=1, keepdims=True)
    if int(shifts.max()) + relative.shape[1].bit_length() <= 63 - 53:
        ends = np.cumsum(whole << shifts, axis=1).tolist()
    else:
        # The sums need more than 63 bits, so Python's integers are used.
        ends = [
            list(accumulate(map(lshift, *row))) for row in zip(whole.tolist(), shifts.tolist(), strict=True)
        ]
    return [bisect_right(row, uniform_below(row[-1], bits)) for row in ends]


def draw_permute_and_flip(relative: Array, bits: Bits) -> int:
    """Visit the indices in random order, and return the first that a coin with its chance accepts.

    Requires: chances in (0, 1], one of them 1.
    """
    left = list(range(relative.size))
    while True:
        index = left.pop(uniform_below(len(left), bits))
        if bernoulli(*float(relative[index]).as_integer_ratio(), bits):
            return index
