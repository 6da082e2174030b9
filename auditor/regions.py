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
    """For every null the best run from one end of an order: its growth, its cells, the side it names."""

    growth: Floats
    inside: NDArray[np.bool_]
    sign: NDArray[np.int64]


def growth_of(right: Floats, wrong: Floats, nulls: Floats) -> Floats:
    """Return how much log wealth the best stake would win from some guesses: shape (nulls, guesses)."""
    total = right + wrong
    share = np.divide(right, total, out=np.zeros_like(total), where=total > 0)
    allowed = 1 / (1 + np.exp(-nulls))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(share > 0, share * np.log(share / allowed), 0.0)
        loss = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - allowed)), 0.0)
    return np.where(share > allowed, total * (gain + loss), 0.0)


def _best_run(order: NDArray[np.int64], sides: Floats, sign: int, nulls: Floats, delta: float) -> Runs:
    """Return the best run of cells in an order in which one side is named."""
    named = sides[:, order] if sign < 0 else sides[::-1, order]
    # Under delta > 0 that part of all calls may be right for free.
    free = delta * sides.sum()
    right = np.maximum(np.cumsum(named[0]) - free, 0.0)
    growth = growth_of(right, np.cumsum(named[1]) + ADDED_WRONG, nulls)
    last = growth.argmax(axis=1)
    best = growth[np.arange(nulls.size), last]
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    inside = (rank <= last[:, None]) & (best > 0)[:, None]
    return Runs(best, inside, np.full(nulls.size, sign))


def _better(first: Runs, second: Runs) -> Runs:
    """Return for every null the run that grows faster."""
    wins = first.growth >= second.growth
    return Runs(
        np.where(wins, first.growth, second.growth),
        np.where(wins[:, None], first.inside, second.inside),
        np.where(wins, first.sign, second.sign),
    )


def _joined(first: Runs, second: Runs) -> Signs:
    """Return the side that is named in every cell; where both runs reach, the faster growing one decides."""
    wins = (first.growth >= second.growth)[:, None]
    one = np.where(first.inside, first.sign[:, None], 0)
    other = np.where(second.inside, second.sign[:, None], 0)
    strong, weak = np.where(wins, one, other), np.where(wins, other, one)
    return np.where(strong != 0, strong, weak).astype(np.int8)


def guess_tails(sides: Floats, nulls: Floats, delta: float) -> Signs:
    """Return the guess in every cell, for cells in their natural order: one threshold for each of two tails.

    Requires: sides has shape (2, cells), the counts of the left and of the right side.
    Ensures: shape (nulls, cells); -1 names the left side, 1 the right one, 0 abstains.
    """
    upward = np.arange(sides.shape[1])
    tails = [
        _better(*(_best_run(order, sides, sign, nulls, delta) for sign in (-1, 1)))
        for order in (upward, upward[::-1])
    ]
    return _joined(*tails)


def guess_cells(sides: Floats, nulls: Floats, delta: float) -> Signs:
    """Return the guess in every cell, for cells without an order: the most telling ones first."""
    odds = np.log((sides[1] + SMOOTHED) / (sides[0] + SMOOTHED))
    toward_right = np.argsort(-odds, kind="stable")
    return _joined(
        _best_run(toward_right[::-1], sides, -1, nulls, delta),
        _best_run(toward_right, sides, 1, nulls, delta),
    )
