"""Cells from the columns in which the sides differ most: ranges of one of them, or leaves of a small tree.

The tree is for outputs whose numbers separate the sides only together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.values.events import Event, ValueRange

from .graded import growth_of
from .moments import FEATURES, learn_scaling, moments_of
from .outputs import Outputs
from .partitions import (
    CALLS_FOR_A_TREE,
    COARSE_CELLS,
    LEARNED_FROM,
    TREE_CELLS,
    Cells,
    ColumnCells,
    Columns,
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

LEAST_GAIN = 2.0
"""Minimum gain in log likelihood for a cut."""


class ColumnChoice:
    """The columns in which the sides differ most; chosen again when calls have grown by a quarter."""

    def __init__(self) -> None:
        self._schedule = Schedule()
        self._columns: Cells = np.empty(0, dtype=np.int64)

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> Cells:
        """Return at most MOST_COMPARED columns, the most different first."""
        if self._schedule.is_due(calls, outputs.columns.shape[1]):
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


@dataclass(frozen=True, slots=True)
class _Cut:
    """One cut of a leaf: outputs at or above it, or NaN, go to a new leaf."""

    leaf: int
    column: int
    at: float


@dataclass(frozen=True, slots=True)
class TreeCells:
    """Leaves of a tree: cuts in the order in which they were made; each adds a leaf."""

    cuts: tuple[_Cut, ...]
    ordered: bool = False
    joins: bool = False

    @property
    def size(self) -> int:
        """Return the number of leaves."""
        return len(self.cuts) + 1

    def cells(self, outputs: Outputs) -> Cells:
        """Return the leaf of every output."""
        leaves = np.zeros(outputs.size, dtype=np.int64)
        for leaf, cut in enumerate(self.cuts, 1):
            leaves[(leaves == cut.leaf) & ~(outputs.columns[:, cut.column] < cut.at)] = leaf
        return leaves

    def event(self, first: int, last: int, columns: Columns) -> Event:
        """Return the ranges on the path to a leaf."""
        del last
        cell = first
        ranges: list[ValueRange] = []
        for leaf in range(len(self.cuts), 0, -1):
            cut = self.cuts[leaf - 1]
            if cell == leaf:
                ranges.append(ValueRange(columns[cut.column], low=cut.at, missing=True))
                cell = cut.leaf
            elif cell == cut.leaf:
                ranges.append(ValueRange(columns[cut.column], high=cut.at))
        return Event(tuple(reversed(ranges)))


class SmallTree:
    """A kind of guesser: the leaves of a tree, grown again when calls have grown by a quarter."""

    def __init__(self, choice: ColumnChoice) -> None:
        self._choice = choice
        self._schedule = Schedule()
        self._tree: TreeCells | None = None
        self._grown_from = range(0)

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> Learned | None:
        """Return the leaves of a tree, grown from every other call; the other calls are counted in them."""
        if outputs.size < CALLS_FOR_A_TREE or outputs.columns.shape[1] < 2:
            return None
        if self._schedule.is_due(calls, outputs.columns.shape[1]):
            columns = self._choice.learn(outputs, sides, calls)
            late = outputs.columns[-LEARNED_FROM:][::2]
            self._tree = grow_tree(late, sides[-LEARNED_FROM:][::2], np.sort(columns))
            self._grown_from = range(calls - min(outputs.size, LEARNED_FROM), calls, 2)
        if self._tree is None:
            return None
        unseen = np.ones(outputs.size, dtype=np.bool_)
        seen = np.array(self._grown_from) - (calls - outputs.size)
        unseen[seen[seen >= 0]] = False
        return Learned(self._tree, self._tree.cells(outputs[unseen]), sides[unseen])


def grow_tree(table: Floats, sides: Cells, columns: Cells) -> TreeCells | None:
    """Return a tree of cuts in some columns, grown greedily; None if no cut gains enough."""
    grid = {int(column): cuts_of(table[:, column], COARSE_CELLS) for column in columns}
    binned = {column: cells_by(cuts, table[:, column]) for column, cuts in grid.items()}
    leaves = np.zeros(len(table), dtype=np.int64)
    best = {0: _best_cut(0, leaves == 0, binned, sides, grid)}
    made: list[_Cut] = []
    while len(made) + 1 < TREE_CELLS:
        leaf = max(best, key=lambda leaf: best[leaf][0])
        gain, cut = best[leaf]
        if gain < LEAST_GAIN or cut is None:
            break
        made.append(cut)
        leaves[(leaves == leaf) & ~(table[:, cut.column] < cut.at)] = len(made)
        for changed in (leaf, len(made)):
            best[changed] = _best_cut(changed, leaves == changed, binned, sides, grid)
    return TreeCells(tuple(made)) if made else None


def _best_cut(
    leaf: int, inside: NDArray[np.bool_], binned: dict[int, Cells], sides: Cells, grid: dict[int, Floats]
) -> tuple[float, _Cut | None]:
    """Return the greatest gain in log likelihood of a cut of a leaf, and the cut."""
    best: tuple[float, _Cut | None] = (0.0, None)
    named = sides[inside]
    for column, cuts in grid.items():
        if not cuts.size or not named.size:
            continue
        below = np.cumsum(count_sides(binned[column][inside], named, cuts.size + 2), axis=1)
        whole, below = below[:, -1:], below[:, : cuts.size]
        gains = _likelihood(below) + _likelihood(whole - below) - _likelihood(whole)
        index = int(gains.argmax())
        if gains[index] > best[0]:
            best = (float(gains[index]), _Cut(leaf, column, float(cuts[index])))
    return best


def _likelihood(sides: NDArray[np.float64]) -> Floats:
    """Return the maximum log likelihood of the sides in each column of counts."""
    total = sides.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(sides > 0, sides * np.log(sides / total), 0.0)
    return np.asarray(terms.sum(axis=0), dtype=np.float64)
