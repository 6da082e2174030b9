"""Partitions of all outputs into cells, learned from earlier calls.

Each kind is made from a table of outputs and the sides they came from, and says of any later output in which
cell it is. What is learned here decides how much is found, never whether the bound holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .outputs import Outputs
from .regions import growth_of

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
Names = Sequence[str]

LOOKED_AT = 20_000
"""Calls, the latest ones, from which cuts are learned; counts are of all."""

CALLS_IN_A_CELL = 8
MOST_CELLS = 64
COARSE_CELLS = 16
MOST_OUTPUTS = 256
TREE_CELLS = 16
CALLS_FOR_A_TREE = 128
CALLS_PER_WEIGHT = 8
DIGITS = (6, 9, 13, 17)
"""Significant digits of a number in words, the first that will do; all bits are in the last."""


class Partition(Protocol):
    """Cells 0 .. size - 1."""

    @property
    def ordered(self) -> bool:
        """Return whether tails are to be cut off."""

    @property
    def joins(self) -> bool:
        """Return whether neighbouring cells have a common name."""

    @property
    def size(self) -> int:
        """Return the number of cells."""

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""

    def text(self, first: int, last: int, names: Names) -> str:
        """Return what is in a cell, in words, or in all cells from one to another where they join."""


def cuts_of(numbers: Floats, cells: int) -> Floats:
    """Return where cells of about equal mass begin; a number that fills a cell alone has one of its own."""
    known = numbers[~np.isnan(numbers)]
    if not known.size:
        return np.empty(0)
    levels = np.arange(1, cells) / cells
    with np.errstate(invalid="ignore"):
        # Infinities of both signs have no mean; the order is all that is wanted.
        quantiles = np.quantile(known, levels, method="lower")
    cuts, repeats = np.unique(quantiles, return_counts=True)
    with np.errstate(over="ignore"):
        ends = np.nextafter(cuts[repeats > 1], np.inf)
    return np.unique(np.concatenate([cuts, ends]))


def cells_by(cuts: Floats, numbers: Floats) -> Cells:
    """Return how many cuts are at most each number; NaN is a cell of its own, above all."""
    return np.where(np.isnan(numbers), cuts.size + 1, np.searchsorted(cuts, numbers, side="right"))


def _interval(cuts: Floats, first: int, last: int, name: str) -> str:
    """Return neighbouring cells of cuts in words."""
    missing = f"{name} is missing"
    if first > cuts.size:
        return missing
    digits = _digits_of(cuts)
    low = f"{cuts[first - 1]:.{digits}g} <= " if first else ""
    high = f" < {cuts[last]:.{digits}g}" if last < cuts.size else ""
    known = f"{low}{name}{high}" if low or high else f"any {name}"
    return f"{known} or {missing}" if last > cuts.size else known


def _digits_of(cuts: Floats) -> int:
    """Return so many digits that no two cells read alike; both ends of one cell may."""
    for digits in DIGITS[:-1]:
        ends = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(pairwise(ends))) == len(ends) - 1:
            return digits
    return DIGITS[-1]


@dataclass(frozen=True, slots=True)
class ColumnCells:
    """One column, cut."""

    column: int
    cuts: Floats
    ordered: bool
    joins: bool = True

    @property
    def size(self) -> int:
        """Return the number of cells, that of NaN included."""
        return self.cuts.size + 2

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""
        return cells_by(self.cuts, outputs.columns[:, self.column])

    def text(self, first: int, last: int, names: Names) -> str:
        """Return a range of the column."""
        return _interval(self.cuts, first, last, names[self.column])


def _cells_for(calls: int, most: int) -> int:
    return min(most, max(4, calls // CALLS_IN_A_CELL))


def count_sides(cells: Cells, sides: Cells, size: int) -> Floats:
    """Return how often each side fell into each cell: shape (2, size)."""
    return np.bincount(sides * size + cells, minlength=2 * size).reshape(2, size).astype(np.float64)


def _telling_column(outputs: Outputs, sides: Cells) -> int:
    """Return the column by which the sides differ most: by the growth of its cells against epsilon = 0."""
    if outputs.columns.shape[1] == 1:
        return 0
    growths = []
    for numbers in outputs.columns.T:
        cuts = cuts_of(numbers, _cells_for(outputs.size, COARSE_CELLS))
        table = np.sort(count_sides(cells_by(cuts, numbers), sides, cuts.size + 2), axis=0)
        growths.append(growth_of(table[1], table[0] + 0.5, np.zeros(1)).sum())
    return int(np.argmax(growths))


def learn_thresholds(outputs: Outputs, sides: Cells) -> ColumnCells | None:
    """Return the most telling column, cut finely, in order."""
    if not outputs.columns.shape[1]:
        return None
    late = outputs[-LOOKED_AT:]
    column = _telling_column(late, sides[-LOOKED_AT:])
    return ColumnCells(
        column, cuts_of(late.columns[:, column], _cells_for(outputs.size, MOST_CELLS)), ordered=True
    )


def learn_column_cells(outputs: Outputs, sides: Cells) -> ColumnCells | None:
    """Return the most telling column, cut coarsely, any cells of which may go together."""
    if not outputs.columns.shape[1]:
        return None
    late = outputs[-LOOKED_AT:]
    column = _telling_column(late, sides[-LOOKED_AT:])
    return ColumnCells(
        column, cuts_of(late.columns[:, column], _cells_for(outputs.size, COARSE_CELLS)), ordered=False
    )


@dataclass(frozen=True, slots=True)
class ExactOutputs:
    """The most frequent outputs, each a cell, in the order of their first appearance; then all others."""

    keys: NDArray[np.int64]
    """Sorted."""
    numbers: Cells
    """The cell of each key."""
    examples: Floats
    """The columns of the output of each cell."""
    ordered: bool = False
    joins: bool = False

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return self.keys.size + 1

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""
        places = np.minimum(np.searchsorted(self.keys, outputs.keys), self.keys.size - 1)
        return np.where(self.keys[places] == outputs.keys, self.numbers[places], self.keys.size)

    def text(self, first: int, last: int, names: Names) -> str:
        """Return the numbers of the output."""
        del last
        if first == self.keys.size:
            return "any other output"
        example = self.examples[first]
        close = np.isclose(self.examples, example, rtol=1e-4, atol=0, equal_nan=True).all(axis=1)
        for digits in DIGITS:
            text = _numbers_text(example, names, digits)
            alike = [
                k
                for k in np.flatnonzero(close).tolist()
                if _numbers_text(self.examples[k], names, digits) == text
            ]
            if len(alike) == 1:
                return text
        # Texts, None and numbers that no float holds have the same numbers in their columns.
        return f"{text} (number {alike.index(first) + 1} of {len(alike)} outputs that read so)"


def _numbers_text(example: Floats, names: Names, digits: int) -> str:
    known = [(name, x) for name, x in zip(names, example, strict=False) if not np.isnan(x)]
    return ", ".join(f"{name} = {number:.{digits}g}" for name, number in known) or "no number"


def learn_exact_outputs(outputs: Outputs, sides: Cells) -> ExactOutputs | None:
    """Return the outputs that were seen at least twice, if half of all calls gave one of them."""
    del sides
    keys, first, counts = np.unique(outputs.keys, return_index=True, return_counts=True)
    often = np.flatnonzero(counts > 1)
    if 2 * counts[often].sum() < outputs.size:
        return None
    # By first appearance, not by key: the same outputs have other keys as an array than as a list.
    kept = np.sort(often[np.lexsort((first[often], -counts[often]))][:MOST_OUTPUTS])
    order = np.argsort(first[kept])
    numbers = np.empty(kept.size, dtype=np.int64)
    numbers[order] = np.arange(kept.size)
    return ExactOutputs(keys[kept], numbers, outputs.columns[first[kept][order]])


@dataclass(frozen=True, slots=True)
class Projection:
    """A weighted sum of all columns, each clipped to its usual range, cut."""

    centre: Floats
    scale: Floats
    weights: Floats
    cuts: Floats
    ordered: bool = True
    joins: bool = True

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return self.cuts.size + 2

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""
        return cells_by(self.cuts, _clipped(outputs.columns, self.centre, self.scale) @ self.weights)

    def text(self, first: int, last: int, names: Names) -> str:
        """Return a range of the sum, with its greatest terms."""
        heaviest = np.argsort(-np.abs(self.weights), kind="stable")[:4]
        terms = " ".join(f"{self.weights[k] / self.scale[k]:+.3g}·{names[k]}" for k in heaviest)
        rest = " …" if self.weights.size > 4 else ""
        return _interval(self.cuts, first, last, f"({terms}{rest} + constant)")


def _clipped(columns: Floats, centre: Floats, scale: Floats) -> Floats:
    """Return columns about their centres in units of their scales, within 4 of them; NaN is in the middle."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.clip(np.nan_to_num((columns - centre) / scale, nan=0.0, posinf=4.0, neginf=-4.0), -4, 4)


def learn_projection(outputs: Outputs, sides: Cells) -> Projection | None:
    """Return the direction of Fisher's linear discriminant, if there are calls enough for its weights."""
    width = outputs.columns.shape[1]
    if width < 2 or outputs.size < CALLS_PER_WEIGHT * width or sides.min() == sides.max():
        return None
    columns, named = outputs.columns[-LOOKED_AT:], sides[-LOOKED_AT:]
    finite = np.where(np.isfinite(columns), columns, np.nan)
    seen = ~np.all(np.isnan(finite), axis=0)
    low, centre, high = np.zeros(width), np.zeros(width), np.ones(width)
    low[seen], centre[seen], high[seen] = np.nanquantile(finite[:, seen], [0.1, 0.5, 0.9], axis=0)
    scale = np.where(high > low, high - low, 1.0)
    table = _clipped(columns, centre, scale)
    left, right = table[named == 0], table[named == 1]
    if not len(left) or not len(right):
        return None
    spread = np.cov(left, rowvar=False) + np.cov(right, rowvar=False) + 0.01 * np.eye(width)
    weights = np.linalg.solve(np.nan_to_num(spread), right.mean(axis=0) - left.mean(axis=0))
    return Projection(centre, scale, weights, cuts_of(table @ weights, _cells_for(outputs.size, MOST_CELLS)))
