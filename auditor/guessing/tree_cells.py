"""Leaves of a small decision tree as cells, for outputs whose numbers separate the sides only together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .column_choice import ColumnChoice
from .outputs import Outputs
from .partitions import (
    CALLS_FOR_A_TREE,
    COARSE_CELLS,
    LEARNED_FROM,
    TREE_CELLS,
    Cells,
    Floats,
    Learned,
    Names,
    Schedule,
    cells_by,
    count_sides,
    cuts_of,
)

LEAST_GAIN = 2.0
"""Minimum gain in log likelihood for a cut."""


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

    def describe(self, first: int, last: int, names: Names) -> str:
        """Return the tests on the path to a leaf."""
        del last
        cell = first
        tests: list[str] = []
        for leaf in range(len(self.cuts), 0, -1):
            cut = self.cuts[leaf - 1]
            if cell == leaf:
                tests.append(f"{names[cut.column]} >= {cut.at:.6g} or missing")
                cell = cut.leaf
            elif cell == cut.leaf:
                tests.append(f"{names[cut.column]} < {cut.at:.6g}")
        return ", ".join(reversed(tests)) or "any output"


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
        if self._schedule.due(calls, outputs.columns.shape[1]):
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
