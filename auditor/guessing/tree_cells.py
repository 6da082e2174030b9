"""Leaves of a small decision tree as cells, for outputs whose numbers separate the sides only together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .outputs import Outputs
from .partitions import (
    CALLS_FOR_A_TREE,
    COARSE_CELLS,
    LEARNED_FROM,
    TREE_CELLS,
    Cells,
    Floats,
    Names,
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


def learn_tree(outputs: Outputs, sides: Cells) -> TreeCells | None:
    """Return a tree, grown greedily from every other call.

    The other half of the calls gives unbiased counts in its leaves.
    """
    if outputs.size < CALLS_FOR_A_TREE or outputs.columns.shape[1] < 2:
        return None
    late, named = outputs[-LEARNED_FROM:][::2], sides[-LEARNED_FROM:][::2]
    grid = [cuts_of(values, COARSE_CELLS) for values in late.columns.T]
    binned = np.stack(
        [cells_by(cuts, values) for cuts, values in zip(grid, late.columns.T, strict=True)], axis=1
    )
    leaves = np.zeros(late.size, dtype=np.int64)
    best = {0: _best_cut(0, binned, named, grid)}
    made: list[_Cut] = []
    while len(made) + 1 < TREE_CELLS:
        leaf = max(best, key=lambda leaf: best[leaf][0])
        gain, cut = best[leaf]
        if gain < LEAST_GAIN or cut is None:
            break
        made.append(cut)
        leaves[(leaves == leaf) & ~(late.columns[:, cut.column] < cut.at)] = len(made)
        for changed in (leaf, len(made)):
            inside = leaves == changed
            best[changed] = _best_cut(changed, binned[inside], named[inside], grid)
    return TreeCells(tuple(made)) if made else None


def _best_cut(leaf: int, binned: Cells, sides: Cells, grid: list[Floats]) -> tuple[float, _Cut | None]:
    """Return the greatest gain in log likelihood of a cut of a leaf, and the cut."""
    best: tuple[float, _Cut | None] = (0.0, None)
    for column, cuts in enumerate(grid):
        if not cuts.size or not sides.size:
            continue
        below = np.cumsum(count_sides(binned[:, column], sides, cuts.size + 2), axis=1)
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
