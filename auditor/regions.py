"""Where to name which side: for every null, the cells of a partition that promise most growth of wealth.

Counts of both sides over cells, from earlier calls, are all that is looked at. A region is a run of cells
from one end of an order; the estimate of its growth has one wrong guess added, so that small regions are not
believed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]

ADDED_WRONG = 1.0
SMOOTHED = 0.5


class Runs(NamedTuple):
    """The best run of cells in each of some orders, for every null."""

    growth: Floats
    """Shape (nulls, orders)."""
    inside: NDArray[np.bool_]
    """Shape (nulls, orders, cells)."""
    sign: NDArray[np.int64]
    """The side that a run names, shape (nulls, orders)."""


def growth_of(right: Floats, wrong: Floats, nulls: Floats) -> Floats:
    """Return how much log wealth the best stake would win from some guesses: shape (nulls, guesses)."""
    total = right + wrong
    share = np.divide(right, total, out=np.zeros_like(total), where=total > 0)
    allowed = 1 / (1 + np.exp(-nulls))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(share > 0, share * np.log(share / allowed), 0.0)
        loss = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - allowed)), 0.0)
    return np.where(share > allowed, total * (gain + loss), 0.0)


def _best_runs(
    orders: NDArray[np.int64], signs: list[int], sides: Floats, nulls: Floats, delta: float
) -> Runs:
    """Return the best run in each of some orders of the cells, in each of which one side is named."""
    named = np.stack([sides[::sign, order] for sign, order in zip((-s for s in signs), orders, strict=True)])
    runs = np.cumsum(named, axis=2)
    # Under delta > 0 that part of all calls may be right for free.
    right = np.maximum(runs[:, 0] - delta * sides.sum(), 0.0)
    growth = growth_of(right.ravel(), runs[:, 1].ravel() + ADDED_WRONG, nulls)
    growth = growth.reshape(nulls.size, *orders.shape)
    last, best = growth.argmax(axis=2), growth.max(axis=2)
    inside = (np.argsort(orders, axis=1) <= last[:, :, None]) & (best > 0)[:, :, None]
    return Runs(best, inside, np.broadcast_to(signs, best.shape))


def _best_of(runs: Runs, places: slice) -> Runs:
    """Return for every null the one of some runs that grows fastest."""
    rows = np.arange(len(runs.growth))
    best = runs.growth[:, places].argmax(axis=1)
    return Runs(
        runs.growth[:, places][rows, best, None],
        runs.inside[:, places][rows, best, None],
        runs.sign[:, places][rows, best, None],
    )


def _joined(first: Runs, second: Runs) -> Signs:
    """Return the side that is named in every cell; where both runs reach, the faster growing one decides."""
    one, other = (np.where(runs.inside[:, 0], runs.sign, 0) for runs in (first, second))
    wins = first.growth >= second.growth
    strong, weak = np.where(wins, one, other), np.where(wins, other, one)
    return np.where(strong != 0, strong, weak).astype(np.int8)


def guess_tails(sides: Floats, nulls: Floats, delta: float) -> Signs:
    """Return the guess in every cell, for cells in their natural order: one threshold for each of two tails.

    Requires: sides has shape (2, cells), the counts of the left and of the right side.
    Ensures: shape (nulls, cells); -1 names the left side, 1 the right one, 0 abstains.
    """
    upward = np.arange(sides.shape[1])
    orders = np.stack([upward, upward, upward[::-1], upward[::-1]])
    runs = _best_runs(orders, [-1, 1, -1, 1], sides, nulls, delta)
    return _joined(_best_of(runs, slice(0, 2)), _best_of(runs, slice(2, 4)))


def guess_cells(sides: Floats, nulls: Floats, delta: float) -> Signs:
    """Return the guess in every cell, for cells without an order: the most telling ones first."""
    odds = np.log((sides[1] + SMOOTHED) / (sides[0] + SMOOTHED))
    toward_right = np.argsort(-odds, kind="stable")
    runs = _best_runs(np.stack([toward_right[::-1], toward_right]), [-1, 1], sides, nulls, delta)
    return _joined(_best_of(runs, slice(0, 1)), _best_of(runs, slice(1, 2)))
