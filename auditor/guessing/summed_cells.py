"""A score that adds up log odds of single numbers, for sides that differ a little in many of them.

A column is divided into a few ranges of about equal mass, or into its values if they are few. Its halves are
compared, the halves of these, and so on. What such comparisons show is mostly chance, so that every one is
made smaller by an estimate of how many of its level are not (empirical Bayes, with a prior that is 0 or
normal). The sum over columns is the log odds of an output if its numbers are independent. It is cross-fitted
as in `partitions`, and its scale is learned again from the scores, so dependence makes a bound weaker only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privboost.auditor.values.events import Score

from .column_cells import screened_columns
from .narrow_cells import name_cells
from .partitions import Cells, Columns, Fitted, Floats, ScoreSettings, cells_by, cuts_of

FOLDS = 4
FEWEST_CALLS, MOST_NUMBERS = 64, 1 << 21
RANGES, LEAVES = 16, 32
"""Ranges of a column, before repeated values get one of their own, and the most that there may be."""

FEWEST_IN_HALF = 8
PSEUDO_COUNT = 0.5
SHARES: Floats = np.array([0.02, 0.06, 0.2, 0.6, 1.0])
SPREADS: Floats = np.array([0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0])
"""Shares of comparisons that are not chance, and the variances of those in units of chance, to try."""


def shrink(standard: Floats) -> Floats:
    """Return the posterior means of shifts that were measured with standard error 1.

    The share of shifts that are not 0 and their variance are those of greatest likelihood in a small grid.
    """
    squares = standard**2 / 2
    spreads = SPREADS[:, None]
    # Log density of a shift that is not 0 beside that of one that is.
    ratios = np.exp(np.minimum(squares * spreads / (1 + spreads), 500.0)) / np.sqrt(1 + spreads)
    mixed = SHARES[:, None, None] * ratios + (1 - SHARES)[:, None, None]
    likelihood = np.log(mixed).sum(axis=2)
    share, spread = np.unravel_index(likelihood.argmax(), likelihood.shape)
    if likelihood[share, spread] <= 0:
        return np.zeros_like(standard)
    true = SHARES[share] * ratios[spread] / mixed[share, spread]
    means: Floats = true * standard * SPREADS[spread] / (1 + SPREADS[spread])
    return means


def shrunken_log_odds(counts: Floats) -> Floats:
    """Return the log odds of right against left in every leaf: shape (columns, leaves).

    Requires: counts has shape (2, columns, leaves), and the number of leaves is a power of two.
    """
    _, columns, leaves = counts.shape
    odds, sums = np.zeros((columns, leaves)), counts
    while sums.shape[2] > 1:
        halves = sums.reshape(2, columns, -1, 2)
        logs = np.log(halves + PSEUDO_COUNT)
        effects = np.diff(logs[1] - logs[0], axis=2)[:, :, 0]
        errors = np.sqrt((1 / (halves + PSEUDO_COUNT)).sum(axis=(0, 3)))
        calls = halves.sum(axis=0)
        known = calls.min(axis=2) >= FEWEST_IN_HALF
        effects[~known] = 0.0
        if known.any():
            effects[known] = errors[known] * shrink((effects / errors)[known])
        shares = calls / np.maximum(calls.sum(axis=2, keepdims=True), 1)
        parts = np.stack([-effects * shares[:, :, 1], effects * shares[:, :, 0]], axis=2)
        odds += np.repeat(parts.reshape(columns, -1), leaves // parts[0].size, axis=1)
        sums = halves.sum(axis=3)
    return odds


@dataclass(frozen=True, slots=True)
class SummedCells:
    """The log odds of ranges of some columns, which are added up."""

    columns: tuple[int, ...]
    cuts: tuple[Floats, ...]
    log_odds: tuple[Floats, ...]

    def scores(self, columns: Floats) -> Floats:
        """Return the sum of the log odds of the cells of every output."""
        sums = np.zeros(len(columns))
        for column, cuts, odds in zip(self.columns, self.cuts, self.log_odds, strict=True):
            sums += odds[cells_by(cuts, columns[:, column])]
        return sums

    def describe(self, columns: Columns) -> Score:
        """Return the score as a value, with its cells of the greatest log odds."""
        return Score(
            cells=name_cells(self.columns, self.cuts, self.log_odds, columns), n_terms=len(self.columns)
        )


def _leaves_of(cells: Cells, size: int) -> Cells:
    """Return a leaf for each cell, in order; cells with calls are spread evenly over all leaves."""
    seen = np.bincount(cells, minlength=size) > 0
    places = np.maximum(np.cumsum(seen) - 1, 0)
    leaves: Cells = np.minimum(places * LEAVES // max(int(seen.sum()), 1), LEAVES - 1)
    return leaves


def _summed_cells(columns: Floats, sides: Cells) -> Fitted:
    """Return the log odds of ranges, and cross-fitted sums."""
    chosen = screened_columns(columns, sides)
    fold_of = np.arange(len(columns)) % FOLDS
    cuts = [cuts_of(columns[:, column], RANGES) for column in chosen.tolist()]
    leaf_of, leaves = [], np.empty((chosen.size, len(columns)), dtype=np.int64)
    for k, (column, own) in enumerate(zip(chosen.tolist(), cuts, strict=True)):
        cells = cells_by(own, columns[:, column])
        leaf_of.append(_leaves_of(cells, own.size + 2))
        leaves[k] = leaf_of[k][cells]
    places = leaves + LEAVES * np.arange(chosen.size)[:, None]
    size = LEAVES * chosen.size
    folds = np.stack(
        [
            np.bincount((places + size * sides)[:, fold_of == fold].ravel(), minlength=2 * size)
            for fold in range(FOLDS)
        ]
    ).reshape(FOLDS, 2, chosen.size, LEAVES)
    whole = folds.sum(axis=0).astype(np.float64)
    scores = np.empty(len(columns))
    for fold, counts in enumerate(folds):
        odds = shrunken_log_odds(whole - counts).ravel()
        scores[fold_of == fold] = odds[places[:, fold_of == fold]].sum(axis=0)
    learned = shrunken_log_odds(whole)
    log_odds = tuple(odds[leaf] for odds, leaf in zip(learned, leaf_of, strict=True))
    return Fitted(SummedCells(tuple(chosen.tolist()), tuple(cuts), log_odds), scores)


SUMMED_CELLS = ScoreSettings(_summed_cells, FEWEST_CALLS, MOST_NUMBERS, log_odds=True)
