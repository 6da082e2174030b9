"""Partitions of all outputs into cells, learned from earlier calls.

A partition is learned from a table of outputs and their sides, and assigns a cell to any later output. A bad
partition makes the bound weaker, never wrong.

A score of outputs is learned from the latest calls by cross-fitting: these calls are divided into folds, and
each is scored by what was learned from the other folds. Such scores are unbiased, so cuts and guesses are
chosen from them. Later calls are scored by what was learned from all folds, until the score is learned again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.values.columns import Column
from privboost.auditor.values.events import Event, Score, ValueRange

from .outputs import Outputs

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
Columns = Sequence[Column]

LEARNED_FROM = 20_000
"""Number of latest calls from which cuts are learned; counts are over all calls."""

CALLS_IN_A_CELL = 8
MOST_CELLS = 64
COARSE_CELLS = 16
TAIL_CUTS = 3
MOST_OUTPUTS = 256
FEWEST_REPEATS = 4
"""Calls after which an output has a cell of its own beside others that are never repeated."""

TREE_CELLS = 16
CALLS_FOR_A_TREE = 128
DIGITS = (6, 9, 13, 17)
"""Numbers of significant digits to try, until distinct numbers print distinctly; 17 keep every bit."""

GROWTH = 1.25
"""Models are learned again when the number of calls has grown by this factor, if they name no other."""


class Schedule:
    """The times at which a model is learned again: when the number of calls has grown by some factor."""

    def __init__(self, growth: float = GROWTH) -> None:
        self._growth, self._next, self._width = growth, 0.0, -1

    def is_due(self, calls: int, width: int) -> bool:
        """Return whether to learn now; new columns are also a reason to do so."""
        if calls < self._next and width == self._width:
            return False
        self._next, self._width = calls * self._growth, width
        return True


class Partition(Protocol):
    """Cells 0 .. size - 1."""

    @property
    def ordered(self) -> bool:
        """Return whether cells are in order, so that guesses are made in the two tails."""

    @property
    def joins(self) -> bool:
        """Return whether adjacent cells are one range."""

    @property
    def size(self) -> int:
        """Return the number of cells."""

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""

    def event(self, first: int, last: int, columns: Columns) -> Event:
        """Return the event of the cells from `first` to `last`, which differ only if cells join."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A partition, and earlier calls by which to choose guesses in its cells."""

    partition: Partition
    cells: Cells
    """The cells of calls on which the partition does not depend, or hardly."""
    sides: Cells
    log_odds: Floats | None = None
    """An estimate of the log odds of right against left in each cell, up to scale, if there is one."""


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


def range_of(cuts: Floats, first: int, last: int, column: Column | Score) -> ValueRange:
    """Return adjacent cells between cuts as a range."""
    if first > cuts.size:
        return ValueRange(column, known=False, missing=True)
    low = float(cuts[first - 1]) if first else None
    high = float(cuts[last]) if last < cuts.size else None
    return ValueRange(column, low, high, missing=last > cuts.size, digits=_digits_of(cuts))


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

    def event(self, first: int, last: int, columns: Columns) -> Event:
        """Return a range of the column."""
        return Event((range_of(self.cuts, first, last, columns[self.column]),))


def cells_for(calls: int, most: int) -> int:
    """Return the number of cells for a number of calls, at most `most`."""
    return min(most, max(4, calls // CALLS_IN_A_CELL))


def count_sides(cells: Cells, sides: Cells, size: int) -> Floats:
    """Return the number of outputs of each side in each cell: shape (2, size)."""
    return np.bincount(sides * size + cells, minlength=2 * size).reshape(2, size).astype(np.float64)


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

    def event(self, first: int, last: int, columns: Columns) -> Event:
        """Return the numbers of the output."""
        del last
        if first == self.keys.size:
            return Event((), other=True)
        example = self.examples[first]
        close = np.isclose(self.examples, example, rtol=1e-4, atol=0, equal_nan=True).all(axis=1)
        for digits in DIGITS:
            printed = _print_numbers(example, digits)
            alike = [
                k
                for k in np.flatnonzero(close).tolist()
                if _print_numbers(self.examples[k], digits) == printed
            ]
            if len(alike) == 1:
                break
        known = [(column, float(x)) for column, x in zip(columns, example, strict=False) if not np.isnan(x)]
        # Outputs may differ in strings or in digits beyond those of a float, which columns do not show.
        return Event(
            tuple(ValueRange(column, number, number, digits=digits) for column, number in known),
            alike=(alike.index(first) + 1, len(alike)) if len(alike) > 1 else None,
        )


def _print_numbers(example: Floats, digits: int) -> list[str]:
    return [f"{number:.{digits}g}" for number in example]


def learn_exact_outputs(outputs: Outputs, sides: Cells, calls: int) -> Learned | None:
    """Return the outputs that were seen at least twice, or more often if most outputs are never repeated."""
    del calls
    keys, first, counts = np.unique(outputs.keys, return_index=True, return_counts=True)
    often = np.flatnonzero(counts > 1)
    if 2 * counts[often].sum() < outputs.size:
        often = np.flatnonzero(counts >= FEWEST_REPEATS)
    if not often.size:
        return None
    # By first appearance, not by key: arrays and lists of the same numbers have different keys.
    kept = np.sort(often[np.lexsort((first[often], -counts[often]))][:MOST_OUTPUTS])
    order = np.argsort(first[kept])
    cell_of_key = np.empty(kept.size, dtype=np.int64)
    cell_of_key[order] = np.arange(kept.size)
    partition = ExactOutputs(keys[kept], cell_of_key, outputs.columns[first[kept][order]])
    return Learned(partition, partition.cells(outputs), sides)


class Scorer(Protocol):
    """A score of outputs: large where the right side is likely."""

    def scores(self, columns: Floats) -> Floats:
        """Return the score of every output."""

    def describe(self, columns: Columns) -> Score:
        """Return the score as a value, from the columns."""


class Fitted(NamedTuple):
    """A score, and the unbiased scores of the calls that it was learned from."""

    scorer: Scorer
    scores: Floats


@dataclass(frozen=True, slots=True)
class ScoreCells:
    """Ranges of a score."""

    scorer: Scorer
    cuts: Floats
    ordered: bool = True
    joins: bool = True

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return self.cuts.size + 2

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""
        return cells_by(self.cuts, self.scorer.scores(outputs.columns))

    def event(self, first: int, last: int, columns: Columns) -> Event:
        """Return a range of the score."""
        return Event((range_of(self.cuts, first, last, self.scorer.describe(columns)),))


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """How a score is learned."""

    fit: Callable[[Floats, Cells], Fitted | None]
    """Learn a score from columns and sides; None if this is not possible."""
    fewest_calls: int
    most_numbers: int
    """Maximum size of the table that a score is learned from."""
    calls_per_column: int = 0
    """The fewest calls for each column."""
    fewest_columns: int = 2
    growth: float = GROWTH
    """The score is learned again when the number of calls has grown by this factor."""
    scores_old: bool = True
    """Whether older calls than those learned from are scored, too."""
    log_odds: bool = False
    """Whether the score estimates the log odds of the sides."""
    outer: float = 0.5
    """The share of the calls at either end of the scores that is divided into cells."""


class ScoreRanges:
    """A kind of guesser: ranges of a score."""

    def __init__(self, settings: ScoreSettings) -> None:
        self._settings = settings
        self._schedule = Schedule(settings.growth)
        self._fitted: Fitted | None = None
        self._calls = 0

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> Learned | None:
        """Return ranges of the score, with the cells of unbiased scores."""
        settings, width = self._settings, outputs.columns.shape[1]
        if width < settings.fewest_columns or outputs.size < max(
            settings.fewest_calls, settings.calls_per_column * width
        ):
            return None
        if self._schedule.is_due(calls, width):
            self._fitted = self._fit(outputs, sides)
        elif self._fitted is not None:
            scorer, old = self._fitted
            new = scorer.scores(outputs.columns[outputs.size - (calls - self._calls) :])
            self._fitted = Fitted(scorer, np.concatenate([old, new])[-outputs.size :])
        self._calls = calls
        if self._fitted is None:
            return None
        scorer, scores = self._fitted
        cuts = cuts_of(scores[-LEARNED_FROM:], cells_for(scores.size, MOST_CELLS), tails=True)
        if settings.outer < 0.5:
            ends = np.quantile(scores[-LEARNED_FROM:], [settings.outer, 1 - settings.outer])
            cuts = cuts[(cuts <= ends[0]) | (cuts >= ends[1])]
        partition, cells = ScoreCells(scorer, cuts), cells_by(cuts, scores)
        counts = np.bincount(cells, minlength=partition.size)
        means = np.bincount(cells, scores, minlength=partition.size) / np.maximum(counts, 1)
        return Learned(partition, cells, sides[-scores.size :], means if settings.log_odds else None)

    def _fit(self, outputs: Outputs, sides: Cells) -> Fitted | None:
        """Learn the score from the latest calls."""
        settings = self._settings
        most = max(settings.most_numbers // outputs.columns.shape[1], settings.fewest_calls)
        late = min(outputs.size, LEARNED_FROM, most)
        fitted = settings.fit(outputs.columns[-late:], sides[-late:])
        if fitted is None or not settings.scores_old:
            return fitted
        old = fitted.scorer.scores(outputs.columns[:-late])
        return Fitted(fitted.scorer, np.concatenate([old, fitted.scores]))
