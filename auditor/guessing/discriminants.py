"""Ranges of a weighted sum of all numbers of an output, for sides that differ a little in many of them.

Weights of the features (`moments`) are learned from the latest calls in several ways, from plain sums, which
need no learning, to Fisher's discriminant, which takes correlations into account. The way is chosen by
cross-fitting: the calls are divided into folds, and each call is scored by weights learned from the other
folds. These scores are unbiased, so cuts and guesses are chosen from them. Later calls are scored by weights
learned from all folds, until the number of calls has grown by a quarter and all is learned again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .moments import FEATURES, Moments, Scaling, learn_scaling, moments_of, total
from .outputs import Outputs
from .partitions import (
    LEARNED_FROM,
    MOST_CELLS,
    Cells,
    Floats,
    Learned,
    Names,
    Schedule,
    cells_by,
    cells_for,
    cuts_of,
    interval,
)

FOLDS = 4
FEWEST_CALLS = 32
MOST_NUMBERS = 1 << 24
"""Maximum size of the table of features that weights are learned from."""

MOST_CORRELATED = 1_024
"""Maximum number of columns for weights that take correlations into account."""

CALLS_PER_WEIGHT = 2
RIDGE = 1e-5
SHOWN_TERMS = 4


def all_weights(moments: Moments) -> Floats:
    """Return the weights of every way of learning: shape (columns, ways).

    The ways are: equal weights; independent columns; independent columns, those with a clear shift only; and,
    if products are known, Fisher's discriminant.
    """
    alone = moments.shift / moments.variance
    clear = np.abs(moments.standard_shift)
    least = min(np.sqrt(2 * np.log(clear.size)), clear.max())
    ways = [np.ones(alone.size), alone, np.where(clear >= least, alone, 0.0)]
    if moments.products is not None:
        covariance = moments.covariance
        covariance[np.diag_indices_from(covariance)] += RIDGE * np.trace(covariance) / len(covariance) + 1e-9
        ways.append(np.linalg.solve(covariance, moments.shift))
    return np.stack(ways, axis=1)


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """A weighted sum of features, with mean 0 and standard deviation 1 over both sides."""

    scaling: Scaling
    feature: str
    weights: Floats
    mean: float
    deviation: float

    def scores(self, columns: Floats) -> Floats:
        """Return the sum for every output."""
        features = FEATURES[self.feature](self.scaling.apply(columns))
        sums = (features @ self.weights.astype(features.dtype)).astype(np.float64)
        scores: Floats = (sums - self.mean) / self.deviation
        return scores


@dataclass(frozen=True, slots=True)
class Projection:
    """Ranges of a weighted sum."""

    sum: WeightedSum
    cuts: Floats
    ordered: bool = True
    joins: bool = True

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return self.cuts.size + 2

    def cells(self, outputs: Outputs) -> Cells:
        """Return the cell of every output."""
        return cells_by(self.cuts, self.sum.scores(outputs.columns))

    def describe(self, first: int, last: int, names: Names) -> str:
        """Return a range of the sum, written with its largest terms."""
        weights, scaling = self.sum.weights / self.sum.deviation, self.sum.scaling
        if self.sum.feature != "sign({})":
            weights = weights / scaling.scale
        heaviest = np.argsort(-np.abs(weights), kind="stable")[:SHOWN_TERMS]
        terms = " ".join(f"{weights[k]:+.3g}·{self._term(int(k), names)}" for k in heaviest)
        rest = " …" if weights.size > SHOWN_TERMS else ""
        return interval(self.cuts, first, last, f"({terms}{rest} + constant)")

    def _term(self, column: int, names: Names) -> str:
        if self.sum.feature == "{}":
            return names[column]
        return self.sum.feature.format(f"{names[column]} - {self.sum.scaling.centre[column]:.3g}")


class _Candidate(NamedTuple):
    """One way of learning, with the unbiased scores of the calls it was learned from."""

    quality: float
    sum: WeightedSum
    scores: Floats


def _candidates(columns: Floats, sides: Cells) -> Iterator[_Candidate]:
    """Yield all ways of learning for all features, each cross-fitted."""
    scaling = learn_scaling(columns)
    table = scaling.apply(columns)
    calls, width = table.shape
    fold_of = np.arange(calls) % FOLDS
    for feature, function in FEATURES.items():
        features = function(table)
        products = feature != "|{}|" and width <= MOST_CORRELATED and calls >= CALLS_PER_WEIGHT * width
        folds = [moments_of(features[k::FOLDS], sides[k::FOLDS], products) for k in range(FOLDS)]
        whole = total(folds)
        scores = np.empty((calls, 3 + products))
        deviations = np.empty((FOLDS, 3 + products))
        for k, fold in enumerate(folds):
            weights = all_weights(whole.without(fold)).astype(features.dtype)
            sums = (features[fold_of == k] @ weights).astype(np.float64)
            deviations[k] = np.maximum(sums.std(axis=0), 1e-12)
            scores[fold_of == k] = (sums - sums.mean(axis=0)) / deviations[k]
        # Equal weights are the same in all folds, and so are the atoms of their sums.
        sums = features.sum(axis=1, dtype=np.float64)
        deviations[:, 0] = max(sums.std(), 1e-12)
        scores[:, 0] = (sums - sums.mean()) / deviations[0, 0]
        left, right = (scores[sides == side].mean(axis=0) for side in (0, 1))
        # Equal weights have no direction; all others should have a greater mean on the right.
        shifts = np.where(np.arange(scores.shape[1]) == 0, np.abs(right - left), right - left)
        weights = all_weights(whole)
        means = whole.sums.sum(axis=0) / whole.counts.sum() @ weights
        for way, quality in enumerate(shifts):
            deviation = float(deviations[:, way].mean())
            weighted = WeightedSum(scaling, feature, weights[:, way], float(means[way]), deviation)
            yield _Candidate(float(quality), weighted, scores[:, way])


class Discriminants:
    """A kind of guesser: ranges of the weighted sum that separates the sides best."""

    def __init__(self) -> None:
        self._schedule = Schedule()
        self._sum: WeightedSum | None = None
        self._scores = np.empty(0)
        self._calls = 0

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> Learned | None:
        """Return ranges of the weighted sum, with the cells of unbiased scores."""
        width = outputs.columns.shape[1]
        if width < 2 or outputs.size < FEWEST_CALLS:
            return None
        if self._schedule.due(calls, width):
            self._fit(outputs, sides)
        elif self._sum is not None:
            new = self._sum.scores(outputs.columns[outputs.size - (calls - self._calls) :])
            self._scores = np.concatenate([self._scores, new])[-outputs.size :]
        self._calls = calls
        if self._sum is None:
            return None
        cuts = cuts_of(self._scores[-LEARNED_FROM:], cells_for(outputs.size, MOST_CELLS), tails=True)
        return Learned(Projection(self._sum, cuts), cells_by(cuts, self._scores), sides)

    def _fit(self, outputs: Outputs, sides: Cells) -> None:
        """Learn the weights of all ways from the latest calls, choose one, and score all calls."""
        late = min(outputs.size, LEARNED_FROM, max(MOST_NUMBERS // outputs.columns.shape[1], FEWEST_CALLS))
        columns, named = outputs.columns[-late:], sides[-late:]
        counts = [np.bincount(named[k::FOLDS], minlength=2) for k in range(FOLDS)]
        if np.sum(counts, axis=0).min() <= np.max(counts):
            # Without one of the folds there might be no call of one side.
            self._sum = None
            return
        best = max(_candidates(columns, named), key=lambda candidate: candidate.quality)
        self._sum = best.sum
        self._scores = np.concatenate([best.sum.scores(outputs.columns[:-late]), best.scores])
