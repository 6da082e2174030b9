"""A score from narrow cells of single numbers: repeated numbers and short ranges, for events in few calls.

A column is divided into a cell for every number that is seen often enough and short ranges of about equal
mass. The score of an output is the greatest log odds, of either sign, of the cells that its numbers are in.
So many cells in several columns, each of them rare, add up to one event. The log odds are shrunk, so that a
cell with few calls does not lead, and cross-fitted as in `partitions`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privboost.auditor.values.events import Event, Score

from .column_cells import screened_columns
from .partitions import (
    FEWEST_REPEATS,
    Cells,
    Columns,
    Fitted,
    Floats,
    ScoreSettings,
    cells_by,
    count_sides,
    cuts_of,
    range_of,
)

FOLDS = 4
FEWEST_CALLS, MOST_NUMBERS = 1_000, 1 << 20
MOST_RANGES, CALLS_IN_A_RANGE = 48, 64
MOST_STEPS, CALLS_IN_A_STEP = 2_048, 8
LEAST_JUMP = 2.0
"""Difference of the logarithms of the widths of two steps beyond which there is a cut between them."""

MOST_REPEATED = 256
PSEUDO_COUNT = 1.5
"""Calls of each side that are added to a cell, so that its log odds are believed later."""

SHOWN_CELLS = 2
"""Number of cells of each side by which a score is described."""

GROWTH = 1.25
OUTER = 0.08
"""The most frequent event on a side; the other kinds find those that are more frequent."""


def narrow_cuts(numbers: Floats) -> Floats:
    """Return cuts into ranges, with a cell for every number that is repeated and one for every dense range.

    A dense range has more calls for its width than its neighbours, and is cut out at its ends.
    """
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    often = np.flatnonzero(counts >= FEWEST_REPEATS)
    repeated = values[often[np.argsort(-counts[often], kind="stable")[:MOST_REPEATED]]]
    alone = values[counts == 1]
    fine = alone[CALLS_IN_A_STEP // 2 :: max(CALLS_IN_A_STEP, alone.size // MOST_STEPS)]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        jumps = np.abs(np.diff(np.log(np.diff(fine)))) > LEAST_JUMP
        ends = np.nextafter(repeated, np.inf)
    kept = fine[1:-1][jumps] if fine.size > 2 else fine[:0]
    ranges = cuts_of(numbers, min(MOST_RANGES, max(4, numbers.size // CALLS_IN_A_RANGE)))
    return np.unique(np.concatenate([ranges, kept, repeated, ends]))


def _log_odds(sides: Floats) -> Floats:
    odds: Floats = np.log((sides[1] + PSEUDO_COUNT) / (sides[0] + PSEUDO_COUNT))
    return odds


@dataclass(frozen=True, slots=True)
class NarrowCells:
    """The log odds of narrow cells of some columns."""

    columns: tuple[int, ...]
    cuts: tuple[Floats, ...]
    log_odds: tuple[Floats, ...]

    def scores(self, columns: Floats) -> Floats:
        """Return the greatest log odds of the cells of every output."""
        cells = [cells_by(cuts, columns[:, k]) for k, cuts in zip(self.columns, self.cuts, strict=True)]
        return _greatest([odds[own] for odds, own in zip(self.log_odds, cells, strict=True)])

    def describe(self, columns: Columns) -> Score:
        """Return the score as a value, with its cells of the greatest log odds."""
        return Score(cells=name_cells(self.columns, self.cuts, self.log_odds, columns))


def name_cells(
    kept: tuple[int, ...], cuts: tuple[Floats, ...], log_odds: tuple[Floats, ...], columns: Columns
) -> tuple[Event, ...]:
    """Return the cells with the greatest log odds on either side as events."""
    cells = sorted(
        (float(odd), column, cell) for column, odds in enumerate(log_odds) for cell, odd in enumerate(odds)
    )
    strongest = [(-1, *cell) for cell in cells[:SHOWN_CELLS]]
    strongest += [(1, *cell) for cell in cells[: -SHOWN_CELLS - 1 : -1]]
    return tuple(
        Event((range_of(cuts[k], cell, cell, columns[kept[k]]),), side)
        for side, odd, k, cell in strongest
        if side * odd > 0
    )


def _greatest(scores: list[Floats]) -> Floats:
    best = scores[0]
    for other in scores[1:]:
        best = np.where(np.abs(other) > np.abs(best), other, best)
    return best


def _narrow_cells(columns: Floats, sides: Cells) -> Fitted:
    """Return the log odds of narrow cells, and cross-fitted scores."""
    fold_of = np.arange(len(columns)) % FOLDS
    kept, cuts, learned, crossed = [], [], [], []
    for column in screened_columns(columns, sides).tolist():
        own_cuts = narrow_cuts(columns[:, column])
        cells, size = cells_by(own_cuts, columns[:, column]), own_cuts.size + 2
        folds = [count_sides(cells[fold_of == k], sides[fold_of == k], size) for k in range(FOLDS)]
        whole = np.sum(folds, axis=0)
        kept.append(column)
        cuts.append(own_cuts)
        learned.append(_log_odds(whole))
        crossed.append(np.stack([_log_odds(whole - fold) for fold in folds])[fold_of, cells])
    return Fitted(NarrowCells(tuple(kept), tuple(cuts), tuple(learned)), _greatest(crossed))


NARROW_CELLS = ScoreSettings(
    _narrow_cells, FEWEST_CALLS, MOST_NUMBERS, fewest_columns=1, growth=GROWTH, outer=OUTER
)
