"""Partitions of all outputs into cells, learned from earlier calls.

A partition is learned from a table of outputs and their sides, and assigns a cell to any later output. A bad
partition makes the bound weaker, never wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .cell_choice import growth_of
from .outputs import Outputs

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
Names = Sequence[str]

LEARNED_FROM = 20_000
"""Number of latest calls from which cuts are learned; counts are over all calls."""

CALLS_IN_A_CELL = 8
MOST_CELLS = 64
COARSE_CELLS = 16
TAIL_CUTS = 3
MOST_OUTPUTS = 256
TREE_CELLS = 16
CALLS_FOR_A_TREE = 128
CALLS_PER_WEIGHT = 8
DIGITS = (6, 9, 13, 17)
"""Numbers of significant digits to try, until distinct numbers print distinctly; 17 keep every bit."""


class Partition(Protocol):
    """Cells 0 .. size - 1."""

    @property
    def ordered(self) -> bool:
        """Return whether cells are in order, so that guesses are made in the two tails."""

    @property
    def joins(self) -> bool:
        """Return whether adjacent cells can be described as one range."""

    @property
    def size(self) -> int:
        """Return the number of cells."""

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""

    def describe(self, first: int, last: int, names: Names) -> str:
        """Return a description of the cells from `first` to `last`, which differ only if cells join."""


def cuts_of(numbers: Floats, cells: int, *, tails: bool = False) -> Floats:
    """Return cuts into cells of about equal mass; a number that fills a cell gets its own cell.

    With `tails` the outermost cells are halved three times, as far as the calls suffice.
    """
    known = numbers[~np.isnan(numbers)]
    if not known.size:
        return np.empty(0)
    levels = np.arange(1, cells) / cells
    if tails:
        outer = 0.5 ** np.arange(1, TAIL_CUTS + 1) / cells
        outer = outer[outer * known.size >= CALLS_IN_A_CELL]
        levels = np.concatenate([outer[::-1], levels, 1 - outer])
    with np.errstate(invalid="ignore"):
        # Infinities of both signs have no mean; only the order matters.
        quantiles = np.quantile(known, levels, method="lower")
    cuts, repeats = np.unique(quantiles, return_counts=True)
    with np.errstate(over="ignore"):
        ends = np.nextafter(cuts[repeats > 1], np.inf)
    return np.unique(np.concatenate([cuts, ends]))


def cells_by(cuts: Floats, numbers: Floats) -> Cells:
    """Return the number of cuts at or below each number; NaN is in a cell of its own, the last."""
    return np.where(np.isnan(numbers), cuts.size + 1, np.searchsorted(cuts, numbers, side="right"))


def _interval(cuts: Floats, first: int, last: int, name: str) -> str:
    """Return a description of adjacent cells between cuts."""
    missing = f"{name} is missing"
    if first > cuts.size:
        return missing
    digits = _digits_of(cuts)
    low = f"{cuts[first - 1]:.{digits}g} <= " if first else ""
    high = f" < {cuts[last]:.{digits}g}" if last < cuts.size else ""
    known = f"{low}{name}{high}" if low or high else f"any {name}"
    return f"{known} or {missing}" if last > cuts.size else known


def _digits_of(cuts: Floats) -> int:
    """Return the number of digits needed to print distinct cells distinctly."""
    for digits in DIGITS[:-1]:
        ends = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(pairwise(ends))) == len(ends) - 1:
            return digits
    return DIGITS[-1]


@dataclass(frozen=True, slots=True)
class ColumnCells:
    """Ranges of one column."""

    column: int
    cuts: Floats
    ordered: bool
    joins: bool = True

    @property
    def size(self) -> int:
        """Return the number of cells, including the one of NaN."""
        return self.cuts.size + 2

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""
        return cells_by(self.cuts, outputs.columns[:, self.column])

    def describe(self, first: int, last: int, names: Names) -> str:
        """Return a range of the column."""
        return _interval(self.cuts, first, last, names[self.column])


def _cells_for(calls: int, most: int) -> int:
    return min(most, max(4, calls // CALLS_IN_A_CELL))


def count_sides(cells: Cells, sides: Cells, size: int) -> Floats:
    """Return the number of outputs of each side in each cell: shape (2, size)."""
    return np.bincount(sides * size + cells, minlength=2 * size).reshape(2, size).astype(np.float64)


def _most_different_column(outputs: Outputs, sides: Cells) -> int:
    """Return the column in which the sides differ most, by the growth of its cells against epsilon = 0."""
    if outputs.columns.shape[1] == 1:
        return 0
    growths = []
    for values in outputs.columns.T:
        cuts = cuts_of(values, _cells_for(outputs.size, COARSE_CELLS))
        table = np.sort(count_sides(cells_by(cuts, values), sides, cuts.size + 2), axis=0)
        growths.append(growth_of(table[1], table[0] + 0.5, np.zeros(1)).sum())
    return int(np.argmax(growths))


def learn_thresholds(outputs: Outputs, sides: Cells) -> ColumnCells | None:
    """Return fine, ordered ranges of the column in which the sides differ most."""
    if not outputs.columns.shape[1]:
        return None
    late = outputs[-LEARNED_FROM:]
    column = _most_different_column(late, sides[-LEARNED_FROM:])
    cells = _cells_for(outputs.size, MOST_CELLS)
    return ColumnCells(column, cuts_of(late.columns[:, column], cells, tails=True), ordered=True)


def learn_column_cells(outputs: Outputs, sides: Cells) -> ColumnCells | None:
    """Return coarse, unordered ranges of the column in which the sides differ most."""
    if not outputs.columns.shape[1]:
        return None
    late = outputs[-LEARNED_FROM:]
    column = _most_different_column(late, sides[-LEARNED_FROM:])
    return ColumnCells(
        column, cuts_of(late.columns[:, column], _cells_for(outputs.size, COARSE_CELLS)), ordered=False
    )


@dataclass(frozen=True, slots=True)
class ExactOutputs:
    """One cell for each of the most frequent outputs, by first appearance, and one for all others."""

    keys: NDArray[np.int64]
    """Sorted."""
    cell_of_key: Cells
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
        indices = np.minimum(np.searchsorted(self.keys, outputs.keys), self.keys.size - 1)
        return np.where(self.keys[indices] == outputs.keys, self.cell_of_key[indices], self.keys.size)

    def describe(self, first: int, last: int, names: Names) -> str:
        """Return the numbers of the output."""
        del last
        if first == self.keys.size:
            return "any other output"
        example = self.examples[first]
        close = np.isclose(self.examples, example, rtol=1e-4, atol=0, equal_nan=True).all(axis=1)
        for digits in DIGITS:
            printed = _numbers_string(example, names, digits)
            alike = [
                k
                for k in np.flatnonzero(close).tolist()
                if _numbers_string(self.examples[k], names, digits) == printed
            ]
            if len(alike) == 1:
                return printed
        # Outputs may differ in strings or in digits beyond those of a float, which columns do not show.
        return f"{printed} ({alike.index(first) + 1} of {len(alike)} outputs that print like this)"


def _numbers_string(example: Floats, names: Names, digits: int) -> str:
    known = [(name, value) for name, value in zip(names, example, strict=False) if not np.isnan(value)]
    return ", ".join(f"{name} = {value:.{digits}g}" for name, value in known) or "no number"


def learn_exact_outputs(outputs: Outputs, sides: Cells) -> ExactOutputs | None:
    """Return the outputs that were seen at least twice, if they make up half of all calls."""
    del sides
    keys, first, counts = np.unique(outputs.keys, return_index=True, return_counts=True)
    often = np.flatnonzero(counts > 1)
    if 2 * counts[often].sum() < outputs.size:
        return None
    # By first appearance, not by key: arrays and lists of the same numbers have different keys.
    kept = np.sort(often[np.lexsort((first[often], -counts[often]))][:MOST_OUTPUTS])
    order = np.argsort(first[kept])
    cell_of_key = np.empty(kept.size, dtype=np.int64)
    cell_of_key[order] = np.arange(kept.size)
    return ExactOutputs(keys[kept], cell_of_key, outputs.columns[first[kept][order]])


@dataclass(frozen=True, slots=True)
class Projection:
    """Ranges of a weighted sum of all columns, each clipped to its usual range."""

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

    def describe(self, first: int, last: int, names: Names) -> str:
        """Return a range of the sum, written with its largest terms."""
        heaviest = np.argsort(-np.abs(self.weights), kind="stable")[:4]
        terms = " ".join(f"{self.weights[k] / self.scale[k]:+.3g}·{names[k]}" for k in heaviest)
        rest = " …" if self.weights.size > 4 else ""
        return _interval(self.cuts, first, last, f"({terms}{rest} + constant)")


def _clipped(columns: Floats, centre: Floats, scale: Floats) -> Floats:
    """Return columns centred, scaled and clipped to [-4, 4]; NaN becomes 0."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.clip(np.nan_to_num((columns - centre) / scale, nan=0.0, posinf=4.0, neginf=-4.0), -4, 4)


def learn_projection(outputs: Outputs, sides: Cells) -> Projection | None:
    """Return the direction of Fisher's linear discriminant, if there are enough calls to estimate it."""
    width = outputs.columns.shape[1]
    if width < 2 or outputs.size < CALLS_PER_WEIGHT * width or sides.min() == sides.max():
        return None
    columns, named = outputs.columns[-LEARNED_FROM:], sides[-LEARNED_FROM:]
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
    cuts = cuts_of(table @ weights, _cells_for(outputs.size, MOST_CELLS), tails=True)
    return Projection(centre, scale, weights, cuts)
