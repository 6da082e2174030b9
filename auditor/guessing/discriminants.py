"""Ranges of a weighted sum of all numbers of an output, for sides that differ a little in many of them.

Weights of the features (`moments`) are learned from the latest calls in several ways, from plain sums, which
need no learning, to Fisher's discriminant, which takes correlations into account. The way is chosen by its
cross-fitted scores. The best of many ways looks better than it is, so plain sums are kept until
another way leads clearly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from privboost.auditor.values.events import Feature, Score, ScoreTerm

from .moments import FEATURES, Moments, Scaling, learn_scaling, moments_of, total
from .partitions import Cells, Columns, Fitted, Floats, ScoreSettings

FOLDS = 4
FEWEST_CALLS = 32
MOST_NUMBERS = 1 << 24
"""Maximum size of the table of features that weights are learned from."""

MOST_CORRELATED = 1_024
"""Maximum number of columns for weights that take correlations into account."""

CLEAR_LEAD = 2.0
"""Standard errors by which a way must separate the sides better than plain sums of numbers or of signs."""

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
    feature: Feature
    weights: Floats
    mean: float
    deviation: float

    def scores(self, columns: Floats) -> Floats:
        """Return the sum for every output."""
        features = FEATURES[self.feature](self.scaling.apply(columns))
        sums = (features @ self.weights.astype(features.dtype)).astype(np.float64)
        scores: Floats = (sums - self.mean) / self.deviation
        return scores

    def describe(self, columns: Columns) -> Score:
        """Return the largest terms of the sum."""
        weights = self.weights / self.deviation
        if self.feature is not Feature.SIGN:
            weights = weights / self.scaling.scale
        heaviest = np.argsort(-np.abs(weights), kind="stable")[:SHOWN_TERMS].tolist()
        centre = self.scaling.centre
        terms = (ScoreTerm(float(weights[k]), self.feature, columns[k], float(centre[k])) for k in heaviest)
        return Score(tuple(terms), weights.size)


def _candidates(columns: Floats, sides: Cells) -> Iterator[tuple[float, Fitted]]:
    """Yield all ways of learning for all features, each cross-fitted, after their qualities."""
    scaling = learn_scaling(columns)
    table = scaling.apply(columns)
    calls, width = table.shape
    fold_of = np.arange(calls) % FOLDS
    for feature, function in FEATURES.items():
        features = function(table)
        products = (
            feature is not Feature.DISTANCE and width <= MOST_CORRELATED and calls >= CALLS_PER_WEIGHT * width
        )
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
        # The scores have variance 1, and about half of the calls are on each side.
        lead = CLEAR_LEAD * 2 / np.sqrt(calls)
        for way, shift in enumerate(shifts):
            quality = shift if way == 0 and feature is not Feature.DISTANCE else shift - lead
            deviation = float(deviations[:, way].mean())
            weighted = WeightedSum(scaling, feature, weights[:, way], float(means[way]), deviation)
            yield float(quality), Fitted(weighted, scores[:, way])


def _best_sum(columns: Floats, sides: Cells) -> Fitted | None:
    """Return the weighted sum that separates the sides best."""
    counts = [np.bincount(sides[k::FOLDS], minlength=2) for k in range(FOLDS)]
    if np.sum(counts, axis=0).min() <= np.max(counts):
        # Without one of the folds there might be no call of one side.
        return None
    return max(_candidates(columns, sides), key=lambda candidate: candidate[0])[1]


WEIGHTED_SUMS = ScoreSettings(_best_sum, FEWEST_CALLS, MOST_NUMBERS)
