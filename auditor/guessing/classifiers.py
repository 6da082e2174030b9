"""Ranges of the score of a classifier, for sides that differ only in how several numbers go together.

Boosted trees of scikit-learn are learned from the latest calls. Each of these calls is scored by trees
learned from the other folds, as in `discriminants`, so that cuts and guesses are chosen from unbiased scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

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

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

FOLDS = 3
FEWEST_CALLS, CALLS_PER_COLUMN = 1_000, 8
"""With fewer calls trees learn little, and they take much longer to learn than any other kind."""

GROWTH = 1.5
"""Trees are learned again when the number of calls has grown by this factor."""

MOST_NUMBERS = 1 << 21
"""Maximum size of the table that trees are learned from."""

TREES, LEAVES, BINS, LEARNING_RATE = 40, 8, 64, 0.1


class _Classifier(Protocol):
    def decision_function(self, columns: Floats) -> Floats:
        """Return the log odds of the second class."""


@cache
def _controller() -> ThreadpoolController:
    """Return the control over the threads of the libraries that are loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@dataclass(frozen=True, slots=True)
class Scorer:
    """Boosted trees that tell the sides apart; missing numbers may be on either side of a cut.

    One thread is used: the tables are small, and threads that wait for each other are slow on a busy machine.
    """

    trees: _Classifier

    @classmethod
    def fitted(cls, columns: Floats, sides: Cells) -> Scorer:
        """Return the trees learned from the columns and sides of calls."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        trees = HistGradientBoostingClassifier(
            learning_rate=LEARNING_RATE,
            max_iter=TREES,
            max_leaf_nodes=LEAVES,
            max_bins=BINS,
            early_stopping=False,
            random_state=0,
        )
        with _controller().limit(limits=1):
            return cls(trees.fit(columns, sides))

    def scores(self, columns: Floats) -> Floats:
        """Return the log odds of right against left for every output."""
        with _controller().limit(limits=1):
            return self.trees.decision_function(columns)


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

    def describe(self, first: int, last: int, names: Names) -> str:
        """Return a range of the score."""
        del names
        return interval(self.cuts, first, last, "(log odds of right by boosted trees)")


class BoostedTrees:
    """A kind of guesser: ranges of the score of boosted trees."""

    def __init__(self) -> None:
        self._schedule = Schedule(GROWTH)
        self._scorer: Scorer | None = None
        self._scores = np.empty(0)
        self._calls = 0

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> Learned | None:
        """Return ranges of the score, with the cells of unbiased scores."""
        width = outputs.columns.shape[1]
        if width < 2 or outputs.size < max(FEWEST_CALLS, CALLS_PER_COLUMN * width):
            return None
        if self._schedule.due(calls, width):
            self._fit(outputs, sides)
        elif self._scorer is not None:
            new = self._scorer.scores(outputs.columns[outputs.size - (calls - self._calls) :])
            self._scores = np.concatenate([self._scores, new])[-outputs.size :]
        self._calls = calls
        if self._scorer is None:
            return None
        late = self._scores[-LEARNED_FROM:]
        cuts = cuts_of(late, cells_for(late.size, MOST_CELLS), tails=True)
        cells, partition = cells_by(cuts, self._scores), ScoreCells(self._scorer, cuts)
        sums = np.bincount(cells, self._scores, minlength=partition.size)
        means = sums / np.maximum(np.bincount(cells, minlength=partition.size), 1)
        return Learned(partition, cells, sides[-self._scores.size :], means)

    def _fit(self, outputs: Outputs, sides: Cells) -> None:
        late = min(outputs.size, LEARNED_FROM, max(MOST_NUMBERS // outputs.columns.shape[1], FEWEST_CALLS))
        columns, named = outputs.columns[-late:], sides[-late:]
        fold_of = np.arange(late) % FOLDS
        scores = np.empty(late)
        for fold in range(FOLDS):
            inside = fold_of == fold
            scores[inside] = Scorer.fitted(columns[~inside], named[~inside]).scores(columns[inside])
        self._scorer, self._scores = Scorer.fitted(columns, named), scores
