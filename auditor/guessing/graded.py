"""Graded stakes: every cell of an ordered partition has its own stake, from a smooth estimate of its odds.

The log odds of the sides are fitted by logistic regression on the normal score of a cell, which is the normal
quantile of its middle rank among all calls. Two parameters are known after a few hundred calls, while the
best threshold of a rare tail is not known after thousands. The fit is good for Gaussian noise and poor for
some other noise, so it competes with thresholds chosen from plain counts. A poor fit makes the bound weaker,
never wrong: a stake is fixed before the call, and pays for its charge (`betting.wealth`).

Notation: E is e^epsilon; w the stake of a cell; `top` the greatest stake on one side, over all cells.

    right: 1 - charge + w      wrong: 1 - charge - E w      charge = delta / 2 (top of left + top of right)

The mean is at most 1 under (epsilon, delta)-privacy, by its statement for the functions w / top, which have
values in [0, 1], in place of events.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from privboost.auditor.betting.wealth import SHARES, Wealth

Floats = NDArray[np.float64]

CAPS: Floats = np.array([1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08, 0.04])
"""Greatest stakes to try if delta > 0, in units of 1 / E."""

RIDGE = 1.0
SHRINKAGE = 2.0
NEWTON_STEPS = 6
FEWEST_CELLS = 4
MOST_LOG_ODDS = 15.0
"""Greater odds are not believed, so that no stake is all of the capital."""


def smooth_log_odds(sides: Floats, estimate: Floats | None = None) -> Floats | None:
    """Return the fitted log odds of right against left of every cell; None for too few cells with calls.

    Requires: sides has shape (2, cells), the counts of the left and of the right side; the last cell is that
    of NaN, which has no rank. Its log odds, like those of cells without calls, are 0. An estimate of the log
    odds, if given, takes the place of normal scores.
    """
    total = sides.sum(axis=0)
    seen = total > 0
    seen[-1] = False
    if seen.sum() < FEWEST_CELLS:
        return None
    calls = total[seen]
    scores = ndtri((np.cumsum(calls) - calls / 2) / calls.sum()) if estimate is None else estimate[seen]
    features = np.stack([np.ones_like(scores), scores], axis=1)
    weights, penalty = np.zeros(2), RIDGE * np.eye(2)
    for _ in range(NEWTON_STEPS):
        fitted = expit(features @ weights)
        curvature = (features.T * (calls * fitted * (1 - fitted))) @ features + penalty
        slope = features.T @ (sides[1, seen] - calls * fitted) - penalty @ weights
        weights += np.linalg.solve(curvature, slope)
    # A slope that is not clear yet is made smaller, as by James and Stein, so that little is lost early.
    variance = np.linalg.inv(curvature)[1, 1]
    weights[1] *= max(0.0, 1 - SHRINKAGE * variance / max(weights[1] ** 2, 1e-12))
    odds = np.zeros(total.size)
    odds[seen] = np.clip(features @ weights, -MOST_LOG_ODDS, MOST_LOG_ODDS)
    return odds


def graded_stakes(
    sides: Floats, epsilon: Floats, delta: Floats, estimate: Floats | None = None
) -> Floats | None:
    """Return the stakes with most growth by the fit: shape (bets, cells), negative where left is guessed."""
    odds = smooth_log_odds(sides, estimate)
    if odds is None:
        return None
    stakes = np.zeros((epsilon.size, odds.size))
    # Against the other nulls no cell has odds that win.
    winning = np.flatnonzero(np.abs(odds).max() > epsilon)
    if winning.size:
        stakes[winning] = _best_stakes(odds, sides.sum(axis=0), epsilon[winning], delta[winning])
    return stakes


def _best_stakes(odds: Floats, calls: Floats, epsilon: Floats, delta: Floats) -> Floats:
    """Return the stakes with most growth if cells have these log odds and numbers of calls."""
    share, signs = expit(np.abs(odds)), np.sign(odds)
    ratio = np.exp(epsilon)[:, None]
    edge = np.maximum(share - (1 - share) * ratio, 0.0) / ratio
    best, most = np.zeros_like(edge), np.zeros(epsilon.size)
    for cap in CAPS if delta.any() else CAPS[:1]:
        stakes = np.minimum(edge, cap / ratio)
        kept = 1 - (delta * _tops(stakes * signs).sum(axis=0) / 2)[:, None]
        stakes *= kept
        growth = (share * np.log(kept + stakes) + (1 - share) * np.log(kept - ratio * stakes)) @ calls
        best = np.where((growth > most)[:, None], stakes, best)
        most = np.maximum(most, growth)
    signed: Floats = best * signs
    return signed


def _tops(stakes: Floats) -> Floats:
    """Return the greatest stake on the left and on the right side: shape (2, bets)."""
    tops: Floats = np.maximum(np.stack([-stakes.min(axis=1), stakes.max(axis=1)]), 0.0)
    return tops


@dataclass(frozen=True, slots=True)
class GradedPlay:
    """One block of calls, counted by cell, and the stakes of every rule."""

    stakes: Floats
    left: Floats
    right: Floats

    def log_gains(self, wealth: Wealth, rules: NDArray[np.int64], bets: NDArray[np.int64]) -> Floats:
        """Return what each share of the stakes of some rules adds to log wealth, at the odds of some bets."""
        gains = np.zeros((rules.size, SHARES.size))
        staked = np.flatnonzero(self.stakes[rules].any(axis=1))
        if staked.size:
            gains[staked] = self._gains_of(wealth, rules[staked], bets[staked])
        return gains

    def _gains_of(self, wealth: Wealth, rules: NDArray[np.int64], bets: NDArray[np.int64]) -> Floats:
        stakes, ratio = self.stakes[rules], np.exp(wealth.epsilon[bets])[:, None]
        charge = (wealth.delta[bets] * _tops(stakes).sum(axis=0) / 2)[:, None]
        sizes = np.abs(stakes)
        # A stake made for other odds is reduced, so that wealth stays positive.
        scale = 1 / np.maximum(1, charge + ratio * sizes.max(axis=1, keepdims=True))
        won, lost = scale * (sizes - charge), scale * (ratio * sizes + charge)
        hits, misses = (
            np.where(stakes > 0, *sides) for sides in ((self.right, self.left), (self.left, self.right))
        )
        gains = np.empty((rules.size, SHARES.size))
        with np.errstate(divide="ignore", invalid="ignore"):
            for index, share in enumerate(SHARES):
                gains[:, index] = (hits * np.log1p(share * won)).sum(axis=1)
                # Without misses nothing is lost; avoid 0 * -inf.
                gains[:, index] += np.where(misses > 0, misses * np.log1p(-share * lost), 0.0).sum(axis=1)
        return gains
