"""Scores of all candidate splits, their sensitivity, and the rate of the law of a split.

Scores are floats. `float_slack` is subtracted from the budget of every node to account for rounding errors.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privboost.fast.arrays import Array
from privboost.fast.kernels import KERNELS
from privboost.fast.loss import leaf_risk
from privboost.fast.protocol import GRID, Protocol, SensitivityRule

from .trees import Candidates

FLOAT_SLACK = Fraction(1, 1 << 40)
"""Factor of `float_slack`, 16 times the bound derived there."""


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
    """Return the negated risk of the two children of every candidate, shape (nodes, candidates)."""
    unit = 1.0 if left.dtype.kind == "f" else 1.0 / GRID
    alpha = np.asarray(alphas, dtype=np.float64)[:, None]
    risks = leaf_risk(left[..., 1], left[..., 0], alpha) + leaf_risk(right[..., 1], right[..., 0], alpha)
    return -unit * risks


def scores_of_rows(  # noqa: PLR0917
    codes: Array, signs: Array, weights: Array, candidates: Candidates, bins: int, alpha: float
) -> Array:
    """Return the score of every candidate on rows that are all at the root; weights are in grid steps.

    `codes` has shape (features, rows) with values below `bins`; `signs` are -1 and 1.
    """
    root, counted = np.zeros(signs.size, dtype=np.uint16), np.ones(1, dtype=np.bool_)
    histogram = KERNELS["histograms"](codes, root, signs, weights, counted, bins)
    left, right = child_masses(histogram, candidates)
    scores: Array = scores_of(left, right, np.array([alpha]))[0]
    return scores


def sensitivity(protocol: Protocol, size: int, weight_bound: float, alpha: float) -> float:
    """Return the sensitivity of scores: as printed, or w_bar m L(1/m)."""
    if protocol.sensitivity is SensitivityRule.PRINTED:
        return float(3 + 2 * alpha * (np.sqrt(size) - 1))
    if size < 2:
        return 0.0
    return float(weight_bound * 2 * (alpha * np.sqrt(size - 1) + (1 - alpha)))


def rate(protocol: Protocol, budget: Fraction, delta: float, reach: float) -> float:
    """Return the factor of scores: budget / (2 delta), or budget / delta if all change in one direction.

    `reach` is w_bar m, the largest absolute score that the public size allows.
    """
    if delta == 0:
        return 0.0
    divisor = delta if protocol.one_sided else 2 * delta
    paid = max(budget - float_slack(float(budget) / divisor * reach), Fraction(0))
    return float(paid) / divisor


def float_slack(exponent: float) -> Fraction:
    """Return a bound on the privacy loss that rounding adds to a level; `exponent` bounds rate * |score|.

    With u = 2^-53, the error of a score is at most 16 u reach, and that of the logarithm of a chance at most
    40 u exponent + 4 u. A loss compares four chances, of two nodes under exchange, so the total is at most
    2^9 u exponent + 2^5 u, which is below 2^-44 (1 + exponent).
    """
    return FLOAT_SLACK * (1 + Fraction(exponent))
