"""Leaves of a small decision tree as cells, for outputs of several numbers that tell more together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .outputs import Outputs
from .partitions import (
    CALLS_FOR_A_TREE,
    COARSE_CELLS,
    LOOKED_AT,
    TREE_CELLS,
    Cells,
    Floats,
    Names,
    cells_by,
    count_sides,
    cuts_of,
)

LEAST_GAIN = 2.0
"""Natural units of likelihood that a cut must win to be made."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """One test: the leaf it divides, the new leaf that takes what is at or above the cut, and NaN."""

    leaf: int
    column: int
    at: float


@dataclass(frozen=True, slots=True)
class TreeCells:
    """Leaves of a tree: cuts in the order they were made, each adding a leaf."""

    cuts: tuple[_Cut, ...]
    ordered: bool = False
    joins: bool = False

    @property
    def size(self) -> int:
        """Return the number of leaves."""
        return len(self.cuts) + 1

    def cells(self, outputs: Outputs) -> Cells:
        """Return the leaf of every output."""
        found = np.zeros(outputs.size, dtype=np.int64)
        for number, cut in enumerate(self.cuts, 1):
            found[(found == cut.leaf) & ~(outputs.columns[:, cut.column] < cut.at)] = number
        return found

    def text(self, first: int, last: int, names: Names) -> str:
        """Return the tests on the way to a leaf."""
        del last
        cell = first
        tests: list[str] = []
        for number in range(len(self.cuts), 0, -1):
            cut = self.cuts[number - 1]
            if cell == number:
                tests.append(f"{names[cut.column]} >= {cut.at:.6g} or missing")
                cell = cut.leaf
            elif cell == cut.leaf:
                tests.append(f"{names[cut.column]} < {cut.at:.6g}")
        return ", ".join(reversed(tests)) or "any output"


def learn_tree(outputs: Outputs, sides: Cells) -> TreeCells | None:
    """Return a tree that is grown cut by cut where it gains most, from every other call.

    The calls that it is not grown from keep the counts in its leaves honest.
    """
    if outputs.size < CALLS_FOR_A_TREE or outputs.columns.shape[1] < 2:
        return None
    late, named = outputs[-LOOKED_AT:][::2], sides[-LOOKED_AT:][::2]
    grid = [cuts_of(numbers, COARSE_CELLS) for numbers in late.columns.T]
    binned = np.stack(
        [cells_by(cuts, numbers) for cuts, numbers in zip(grid, late.columns.T, strict=True)], axis=1
    )
    leaves = np.zeros(late.size, dtype=np.int64)
    best = {0: _best_cut(0, binned, named, grid)}
    made: list[_Cut] = []
    while len(made) + 1 < TREE_CELLS:
        leaf = max(best, key=lambda number: best[number][0])
        gain, cut = best[leaf]
        if gain < LEAST_GAIN or cut is None:
            break
        made.append(cut)
        leaves[(leaves == leaf) & ~(late.columns[:, cut.column] < cut.at)] = len(made)
        for number in (leaf, len(made)):
            inside = leaves == number
            best[number] = _best_cut(number, binned[inside], named[inside], grid)
    return TreeCells(tuple(made)) if made else None


def _best_cut(leaf: int, binned: Cells, sides: Cells, grid: list[Floats]) -> tuple[float, _Cut | None]:
    """Return the cut of a leaf that wins most likelihood, and how much."""
    best: tuple[float, _Cut | None] = (0.0, None)
    for column, cuts in enumerate(grid):
        if not cuts.size or not sides.size:
            continue
        below = np.cumsum(count_sides(binned[:, column], sides, cuts.size + 2), axis=1)
        whole, below = below[:, -1:], below[:, : cuts.size]
        gains = _likelihood(below) + _likelihood(whole - below) - _likelihood(whole)
        place = int(gains.argmax())
        if gains[place] > best[0]:
            best = (float(gains[place]), _Cut(leaf, column, float(cuts[place])))
    return best


def _likelihood(sides: NDArray[np.float64]) -> Floats:
    """Return the log likelihood of the sides in each column of counts under its own odds."""
    total = sides.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(sides > 0, sides * np.log(sides / total), 0.0)
    return np.asarray(terms.sum(axis=0), dtype=np.float64)
