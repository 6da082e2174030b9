"""Choose the cells of a partition in which to guess a side: for every null those with most growth of wealth.

The choice uses only the counts of both sides per cell, from earlier calls. A run of cells from one end of an
order is chosen. One wrong guess is added to the estimate of its growth, so that small counts are not trusted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]

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
