"""The columns in which the sides differ most, and ranges of the first of them as cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cell_choice import growth_of
from .moments import FEATURES, learn_scaling, moments_of
from .outputs import Outputs
from .partitions import (
    COARSE_CELLS,
    LEARNED_FROM,
    Cells,
    ColumnCells,
    Floats,
    Learned,
    Schedule,
    cells_by,
    cells_for,
    count_sides,
    cuts_of,
)

MOST_COMPARED = 64
"""Maximum number of columns that are compared in detail."""


class ColumnChoice:
    """The columns in which the sides differ most; chosen again when calls have grown by a quarter."""

    def __init__(self) -> None:
        self._schedule = Schedule()
        self._columns: Cells = np.empty(0, dtype=np.int64)

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> Cells:
        """Return at most MOST_COMPARED columns, the most different first."""
        if self._schedule.due(calls, outputs.columns.shape[1]):
            columns, named = outputs.columns[-LEARNED_FROM:], sides[-LEARNED_FROM:]
            self._columns = screened_columns(columns, named)
            if self._columns.size > 1:
                growths = [_growth_in(column, named) for column in columns[:, self._columns].T]
                self._columns = self._columns[np.argsort(-np.array(growths), kind="stable")]
        return self._columns


def _growth_in(numbers: Floats, sides: Cells) -> float:
    """Return how much the sides differ in one column, by the growth of its cells against epsilon = 0."""
    cuts = cuts_of(numbers, cells_for(numbers.size, COARSE_CELLS))
    table = np.sort(count_sides(cells_by(cuts, numbers), sides, cuts.size + 2), axis=0)
    return float(growth_of(table[1], table[0] + 0.5, np.zeros(1)).sum())


def screened_columns(columns: Floats, sides: Cells) -> Cells:
    """Return all columns or, if there are many, those whose features have the clearest shifts."""
    width = columns.shape[1]
    if width <= MOST_COMPARED or not len(columns) or sides.min() == sides.max():
        return np.arange(min(width, MOST_COMPARED))
    table = learn_scaling(columns).apply(columns)
    shifts = [
        np.abs(moments_of(function(table), sides, False).standard_shift) for function in FEATURES.values()
    ]
    return np.sort(np.argsort(-np.max(shifts, axis=0), kind="stable")[:MOST_COMPARED])


@dataclass(frozen=True, slots=True)
class ColumnRanges:
    """A kind of guesser: ranges of the column in which the sides differ most."""

    choice: ColumnChoice
    most: int
    """Maximum number of ranges."""
    ordered: bool

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> Learned | None:
        """Return ranges of about equal mass."""
        columns = self.choice.learn(outputs, sides, calls)
        if not columns.size:
            return None
        numbers = outputs.columns[:, columns[0]]
        cells = cells_for(outputs.size, self.most)
        cuts = cuts_of(numbers[-LEARNED_FROM:], cells, tails=self.ordered)
        return Learned(ColumnCells(int(columns[0]), cuts, self.ordered), cells_by(cuts, numbers), sides)
