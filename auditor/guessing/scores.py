"""Ranges of a score of outputs that is learned from the latest calls.

The calls that a score is learned from are scored by cross-fitting: they are divided into folds, and each is
scored by what was learned from the other folds. Such scores are unbiased, so cuts and guesses are chosen from
them. Later calls are scored by what was learned from all folds, until the score is learned again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from privboost.auditor.values.events import Event, Score

from .outputs import Outputs
from .partitions import (
    GROWTH,
    LEARNED_FROM,
    MOST_CELLS,
    Cells,
    Columns,
    Floats,
    Learned,
    Schedule,
    cells_by,
    cells_for,
    cuts_of,
    range_of,
)


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
    growth: float = GROWTH
    """The score is learned again when the number of calls has grown by this factor."""
    scores_old: bool = True
    """Whether older calls than those learned from are scored, too."""
    log_odds: bool = False
    """Whether the score estimates the log odds of the sides."""


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
        if width < 2 or outputs.size < max(settings.fewest_calls, settings.calls_per_column * width):
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
        partition, cells = ScoreCells(scorer, cuts), cells_by(cuts, scores)
        means = _means(cells, scores, partition.size) if settings.log_odds else None
        return Learned(partition, cells, sides[-scores.size :], means)

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


def _means(cells: Cells, scores: Floats, size: int) -> Floats:
    """Return the mean score of every cell."""
    means: Floats = np.bincount(cells, scores, minlength=size) / np.maximum(
        np.bincount(cells, minlength=size), 1
    )
    return means
