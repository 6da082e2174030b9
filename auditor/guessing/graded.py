"""Choose what to bet in the cells of a partition: guesses on events, or graded stakes.

Guesses are chosen for every null by the growth of wealth, from the counts of both sides per cell on earlier
calls. A run of cells from one end of an order is chosen. One wrong guess is added to the estimate of its
growth, so that small counts are not trusted.

With graded stakes every cell of an ordered partition has its own stake, from a smooth estimate of its odds.

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from privboost.auditor.betting.wealth import SHARES, Wealth

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]

CAPS: Floats = np.array([1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08, 0.04])
"""Greatest stakes to try if delta > 0, in units of 1 / E."""

RIDGE = 1.0
SHRINKAGE = 2.0
NEWTON_STEPS = 6
FEWEST_CELLS = 4
MOST_LOG_ODDS = 15.0
"""Greater odds are not believed, so that no stake is all of the capital."""

EXTRA_WRONG = 1.0
PSEUDO_COUNT = 0.5


class Runs(NamedTuple):
    """The best run of cells in each order, for every null."""

    growth: Floats
    """Shape (nulls, orders)."""
    inside: NDArray[np.bool_]
    """Shape (nulls, orders, cells)."""
    sign: NDArray[np.int64]
    """The side that is guessed in a run, shape (nulls, orders)."""


def growth_of(right: Floats, wrong: Floats, nulls: Floats) -> Floats:
    """Return the log wealth that the best stake would win from right and wrong guesses: (nulls, guesses)."""
    total = np.atleast_2d(right + wrong)
    share = np.divide(right, total, out=np.zeros_like(total), where=total > 0)
    allowed = 1 / (1 + np.exp(-nulls))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(share > 0, share * np.log(share / allowed), 0.0)
        loss = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - allowed)), 0.0)
    return np.where(share > allowed, total * (gain + loss), 0.0)


def _best_runs(
    orders: NDArray[np.int64], signs: list[int], sides: Floats, nulls: Floats, delta: Floats
) -> Runs:
    """Return the best run in each order of the cells; signs[k] is the side guessed in order k."""
    named = np.stack([sides[::sign, order] for sign, order in zip((-s for s in signs), orders, strict=True)])
    runs = np.cumsum(named, axis=2)
    # Guesses of one side may be right on delta / 2 of all calls without a violation: see `Wealth`.
    charge = delta[:, None] / 2 * sides.sum() if delta.any() else 0.0
    right = np.maximum(runs[:, 0].ravel() - charge, 0.0)
    growth = growth_of(right, runs[:, 1].ravel() + EXTRA_WRONG, nulls)
    growth = growth.reshape(nulls.size, *orders.shape)
    last, best = growth.argmax(axis=2), growth.max(axis=2)
    inside = (np.argsort(orders, axis=1) <= last[:, :, None]) & (best > 0)[:, :, None]
    return Runs(best, inside, np.broadcast_to(signs, best.shape))


def _best_of(runs: Runs, orders: slice) -> Runs:
    """Return the run with most growth among some orders, for every null."""
    rows = np.arange(len(runs.growth))
    best = runs.growth[:, orders].argmax(axis=1)
    return Runs(
        runs.growth[:, orders][rows, best, None],
        runs.inside[:, orders][rows, best, None],
        runs.sign[:, orders][rows, best, None],
    )


def _guesses_of_both(first: Runs, second: Runs) -> Signs:
    """Return the guess in every cell; where two runs overlap, the one with more growth decides."""
    one, other = (np.where(runs.inside[:, 0], runs.sign, 0) for runs in (first, second))
    wins = first.growth >= second.growth
    strong, weak = np.where(wins, one, other), np.where(wins, other, one)
    return np.where(strong != 0, strong, weak).astype(np.int8)


def guess_tails(sides: Floats, nulls: Floats, delta: Floats) -> Signs:
    """Return the guess in every cell of an ordered partition: one threshold for each of the two tails.

    Requires: sides has shape (2, cells), the counts of the left and of the right side.
    Ensures: shape (nulls, cells); -1 guesses left, 1 guesses right, 0 abstains.
    """
    upward = np.arange(sides.shape[1])
    orders = np.stack([upward, upward, upward[::-1], upward[::-1]])
    runs = _best_runs(orders, [-1, 1, -1, 1], sides, nulls, delta)
    return _guesses_of_both(_best_of(runs, slice(0, 2)), _best_of(runs, slice(2, 4)))


def guess_cells(sides: Floats, nulls: Floats, delta: Floats) -> Signs:
    """Return the guess in every cell of an unordered partition: cells are ordered by their log odds."""
    odds = np.log((sides[1] + PSEUDO_COUNT) / (sides[0] + PSEUDO_COUNT))
    toward_right = np.argsort(-odds, kind="stable")
    runs = _best_runs(np.stack([toward_right[::-1], toward_right]), [-1, 1], sides, nulls, delta)
    return _guesses_of_both(_best_of(runs, slice(0, 1)), _best_of(runs, slice(1, 2)))


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
        """Return the gain in log wealth of each share of the stakes of some rules, for some bets."""
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
