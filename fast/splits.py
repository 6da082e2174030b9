"""How a split is chosen: scores of all candidates, their sensitivity, and the laws that draw one.

Scores and the chances exp(rate * (score - best score)) are floats; what is drawn from them is drawn exactly,
as from the fractions that they are. `float_slack` is taken off every node's budget to pay for their rounding.

Chances are at least exp(-DEEPEST), which is as if scores far below the best one were raised. The best score
and the raised ones move no more than the scores do, and the same way, so no guarantee changes; no candidate
is impossible, as one of chance 0 would be for one sample and not for its neighbour.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cache
from itertools import accumulate
from operator import lshift
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .links import leaf_risk
from .protocol import GRID, Protocol, SensitivityRule, SplitLaw
from .randomness import Bits, bernoulli, uniform_below
from .trees import Candidates

Array = NDArray[Any]

FLOAT_SLACK = Fraction(1, 1 << 40)
"""Bounds rounding, by a wide margin: see `float_slack`."""

DEEPEST = 690.0
"""Candidates are at most exp(690) times less likely than the best, so that no chance underflows."""


def child_masses(histogram: Array, candidates: Candidates) -> tuple[Array, Array]:
    """Return the class masses that every candidate sends left and right, shapes (nodes, candidates, 2).

    `histogram` has shape (nodes, features, bins, 2).
    """
    total = histogram.sum(axis=2)
    below = np.cumsum(histogram, axis=2)
    feature, value = candidates.feature, candidates.value.astype(np.int64)
    whole = total[:, feature]
    at_least = whole - below[:, feature, np.maximum(value - 1, 0)]
    right = np.where(candidates.equal[None, :, None], histogram[:, feature, value], at_least)
    return whole - right, right


def scores_of(left: Array, right: Array, alphas: Array) -> Array:
    """Return minus the risk of the two children of every candidate, shape (nodes, candidates)."""
    unit = 1.0 if left.dtype.kind == "f" else 1.0 / GRID
    alpha = np.asarray(alphas, dtype=np.float64)[:, None]
    risks = leaf_risk(left[..., 1], left[..., 0], alpha) + leaf_risk(right[..., 1], right[..., 0], alpha)
    return -unit * risks


def sensitivity(protocol: Protocol, size: int, weight_bound: float, alpha: float) -> float:
    """Return the sensitivity in the law of a split: as printed, or w_bar m L(1/m)."""
    if protocol.sensitivity is SensitivityRule.PRINTED:
        return float(3 + 2 * alpha * (np.sqrt(size) - 1))
    if size < 2:
        return 0.0
    return float(weight_bound * 2 * (alpha * np.sqrt(size - 1) + (1 - alpha)))


def rate(protocol: Protocol, budget: Fraction, delta: float, reach: float) -> float:
    """Return what scores are multiplied by: budget / (2 delta), or budget / delta where all move one way.

    `reach` is the greatest absolute score that the public size allows, w_bar m.
    """
    if delta == 0:
        return 0.0
    divisor = delta if protocol.one_sided else 2 * delta
    paid = max(budget - float_slack(float(budget) / divisor * reach), Fraction(0))
    return float(paid) / divisor


def float_slack(exponent: float) -> Fraction:
    """Return a bound on the privacy loss that rounding adds to a level; `exponent` bounds rate * |score|.

    With u = 2^-53, scores are right to 16 u reach, the logarithm of a chance to 40 u exponent + 4 u. A loss
    compares four chances, of two nodes under exchange: 2^9 u exponent + 2^5 u in all, below 2^-44 (1 +
    exponent).
    """
    return FLOAT_SLACK * (1 + Fraction(exponent))


def chances(scores: Array, per_score: float) -> Array:
    """Return exp(rate * (score - best score of the node)) of every candidate, and at least exp(-DEEPEST)."""
    exponents: Array = np.maximum(per_score * (scores - scores.max(axis=-1, keepdims=True)), -DEEPEST)
    return np.exp(exponents)


def law(protocol: Protocol, scores: Array, per_score: float) -> Array:
    """Return the probability of every candidate of one node."""
    if protocol.split_law is SplitLaw.UNIFORM or per_score == 0:
        return np.full(scores.size, 1.0 / scores.size)
    relative = chances(scores, per_score)
    if protocol.split_law is SplitLaw.EXPONENTIAL:
        normalised: Array = relative / relative.sum()
        return normalised
    return _permute_and_flip(relative)


def _permute_and_flip(relative: Array) -> Array:
    """Return the law of permute-and-flip: q_i times the integral over [0, 1] of the others' (1 - q_j x)."""
    at, weights = _quadrature()
    logs = np.log1p(-relative[:, None] * at[None, :])
    others = np.exp(logs.sum(axis=0)[None, :] - logs)
    found: Array = relative * (others * weights).sum(axis=1)
    return found


@cache
def _quadrature() -> tuple[Array, Array]:
    """Return points and weights of an integral over [0, 1]: 24 on each of [1/2, 1], [1/4, 1/2] and so on.

    The product of many factors falls like exp(-k x), so it is near 0 that points must be close.
    """
    points, weights = np.polynomial.legendre.leggauss(24)
    ends = np.concatenate(([0.0], 2.0 ** np.arange(-12, 1)))
    lows, widths = ends[:-1, None], np.diff(ends)[:, None]
    return (lows + widths * (points + 1) / 2).ravel(), (widths * weights / 2).ravel()


def draw(protocol: Protocol, scores: Array, per_score: float, bits: Bits) -> list[int]:
    """Return a candidate for every node, drawn from its law; scores have the shape (nodes, candidates)."""
    nodes, count = scores.shape
    if protocol.split_law is SplitLaw.UNIFORM or per_score == 0:
        return [uniform_below(count, bits) for _ in range(nodes)]
    relative = chances(scores, per_score)
    if protocol.split_law is SplitLaw.EXPONENTIAL:
        return draw_proportional(relative, bits)
    return [draw_permute_and_flip(row, bits) for row in relative]


def draw_proportional(relative: Array, bits: Bits) -> list[int]:
    """Return for every row a place with probability proportional to its number there, exactly.

    Requires: numbers > 0, each a float of 53 bits: over a common power of two they are whole.
    """
    mantissas, exponents = np.frexp(relative)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    shifts = exponents.astype(np.int64) - exponents.min(axis=1, keepdims=True)
    if int(shifts.max()) + relative.shape[1].bit_length() <= 63 - 53:
        ends = np.cumsum(whole << shifts, axis=1).tolist()
    else:
        # The sums need more than 63 bits.
        ends = [
            list(accumulate(map(lshift, *row))) for row in zip(whole.tolist(), shifts.tolist(), strict=True)
        ]
    return [bisect_right(row, uniform_below(row[-1], bits)) for row in ends]


def draw_permute_and_flip(relative: Array, bits: Bits) -> int:
    """Return the first place, in random order, that a coin with the chance of that place accepts, exactly.

    Requires: chances in (0, 1], one of them 1.
    """
    left = list(range(relative.size))
    while True:
        place = left.pop(uniform_below(len(left), bits))
        if bernoulli(*float(relative[place]).as_integer_ratio(), bits):
            return place
