"""Ranges of the score of a classifier, for sides that differ only in how several numbers go together.

The score is that of boosted trees of scikit-learn, learned and cross-fitted as in `partitions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from privboost.auditor.values.events import Score

from .partitions import Cells, Columns, Fitted, Floats, ScoreSettings

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

FOLDS = 3
FEWEST_CALLS, CALLS_PER_COLUMN = 1_000, 8
"""With fewer calls trees learn little, and they take much longer to learn than any other kind."""

GROWTH = 1.5

MOST_NUMBERS = 1 << 21

TREES, LEAVES, BINS, LEARNING_RATE = 80, 6, 64, 0.05
LEAST_IN_LEAF, RIDGE = 40, 20.0


class _Classifier(Protocol):
    def decision_function(self, columns: Floats) -> Floats:
        """Return the log odds of the second class."""


@cache
def _controller() -> ThreadpoolController:
    """Return the control over the threads of the libraries that are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@dataclass(frozen=True, slots=True)
class BoostedTrees:
    """Boosted trees that tell the sides apart; missing numbers may be on either side of a cut.

    One thread is used: the tables are small, and threads that wait for each other are slow on a busy machine.
    """

    trees: _Classifier

    @classmethod
    def fit(cls, columns: Floats, sides: Cells) -> BoostedTrees:
        """Return the trees learned from the columns and sides of calls."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        trees = HistGradientBoostingClassifier(
            learning_rate=LEARNING_RATE,
            max_iter=TREES,
            max_leaf_nodes=LEAVES,
            max_bins=BINS,
            min_samples_leaf=LEAST_IN_LEAF,
            l2_regularization=RIDGE,
            early_stopping=False,
            random_state=0,
        )
        missing = np.isnan(columns).all(axis=0)
        if missing.any():
            # scikit-learn needs a number in every column; a single one is too few for a cut.
            columns = columns.copy()
            columns[0, missing] = 0.0
        with _controller().limit(limits=1):
            return cls(trees.fit(columns, sides))

    def scores(self, columns: Floats) -> Floats:
        """Return the log odds of right against left for every output."""
        with _controller().limit(limits=1):
            return self.trees.decision_function(columns)

    def describe(self, columns: Columns) -> Score:
        """Return the score as a value."""
        del columns
        return Score()


def _boosted_trees(columns: Floats, sides: Cells) -> Fitted:
    """Return boosted trees, and cross-fitted scores."""
    fold_of, scores = np.arange(len(columns)) % FOLDS, np.empty(len(columns))
    for fold in range(FOLDS):
        inside = fold_of == fold
        scores[inside] = BoostedTrees.fit(columns[~inside], sides[~inside]).scores(columns[inside])
    return Fitted(BoostedTrees.fit(columns, sides), scores)


BOOSTED_TREES = ScoreSettings(
    _boosted_trees,
    FEWEST_CALLS,
    MOST_NUMBERS,
    calls_per_column=CALLS_PER_COLUMN,
    growth=GROWTH,
    scores_old=False,
    log_odds=True,
)
