"""The betting test: wealth against every null epsilon, from right and wrong guesses.

A fair coin picks the side of every call. A guesser that has seen only earlier calls guesses the side or
abstains. If the mechanism is (epsilon, delta)-private on the pair, then for any rule of guessing

    P(right) <= e^epsilon P(wrong) + delta,

so that a stake of lambda = f / (e^epsilon + delta), f in (0, 1], multiplies wealth by a number of mean at
most 1:

    right: 1 + lambda (1 - delta)      wrong: 1 - f      abstained: 1 - lambda delta.

Wealth, the mean over several f, is a supermartingale that starts at 1. By Ville's inequality it ever reaches
1 / error with probability at most `error`, for any rule of guessing and of stopping.

Against a null below the claim, part of the capital is staked on the guesses made against the claim. They win
at least as much against any smaller null. So a smaller null with worse guesses does not delay the
refutation of a claim that is clearly false.

The bound is the greatest null up to which *all* nulls of the grid are refuted. If it exceeded the true
epsilon, then the smallest null of the grid that is not below the true epsilon would be refuted. That is one
event of probability at most `error`, so no correction for the number of nulls is needed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privboost.errors import PreconditionError

Floats = NDArray[np.float64]

STAKES: Floats = np.concatenate(
    [[0.005, 0.008, 0.0125, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15], np.arange(2, 10) / 10, [0.95, 1.0]]
)
"""The fractions f, each with the same part of the capital; f = 1 loses all of it at the first wrong guess."""

BY_CLAIM = 0.2
"""The part of the capital against a null below the claim that follows the guesses made against the claim."""

ROUNDING = 1e-6
"""Margin added to the limit of log wealth; rounding errors of 10^8 calls stay far below it."""

GREATEST_NULL = 16.0


def grid_of_nulls(epsilon: float) -> Floats:
    """Return the nulls to test: steps of 1/200 up to 0.2, 1/50 up to 4, 1/20 up to 16, and the claim."""
    small, fine, coarse = np.arange(40) / 200, np.arange(10, 201) / 50, 4 + np.arange(1, 241) / 20
    return np.unique(np.concatenate([small, fine, coarse, [epsilon]]))


class Wealth:
    """The log wealth against every null, and which nulls have been refuted."""

    def __init__(
        self,
        nulls: Floats | Sequence[float],
        delta: float,
        error: float,
        claim: float | None = None,
    ) -> None:
        self.nulls = np.asarray(nulls, dtype=np.float64)
        if not (self.nulls.size and np.all(np.diff(self.nulls) > 0) and self.nulls[0] >= 0):
            raise PreconditionError("nulls", "numbers >= 0 in increasing order", nulls)
        if not 0 <= delta < 1:
            raise PreconditionError("delta", "a number in [0, 1)", delta)
        if not 0 < error < 1:
            raise PreconditionError("error", "a probability between 0 and 1", error)
        self.delta, self.error = float(delta), float(error)
        self.limit = float(-np.log(error) + ROUNDING)
        stake = STAKES / (np.exp(self.nulls)[:, None] + delta)
        self._right = np.log1p(stake * (1 - delta))
        with np.errstate(divide="ignore"):
            self._wrong = np.log1p(-STAKES)
        self._abstained = np.log1p(-stake * delta)
        self.refuted = np.zeros(self.nulls.size, dtype=np.bool_)
        self._counts = np.zeros((3, self.nulls.size))
        self._claim = self.nulls.size if claim is None else self.index_of(claim)
        self.log_wealth = np.zeros(self.nulls.size)

    def log_wealth_of(self, counts: Floats) -> Floats:
        """Return log wealth after right, wrong and abstained calls of every null: shape (3, ..., nulls)."""
        right, wrong, abstained = counts[..., None]
        with np.errstate(invalid="ignore"):
            # Without wrong guesses nothing is lost; avoid 0 * -inf.
            lost = np.where(wrong > 0, wrong * self._wrong, 0.0)
        logs = right * self._right + lost + abstained * self._abstained
        top = logs.max(axis=-1, keepdims=True)
        log_means: Floats = top[..., 0] + np.log(np.mean(np.exp(logs - top), axis=-1))
        return log_means

    def add(self, counts: Floats) -> None:
        """Add the counts of one block, in which each null had its own rule of guessing, fixed beforehand."""
        self._counts += counts
        self.log_wealth = self.log_wealth_of(self._counts)
        if 0 < self._claim < self.nulls.size:
            below = slice(0, self._claim)
            claimed = np.repeat(self._counts[:, self._claim, None], self.nulls.size, axis=1)
            self.log_wealth[below] = np.logaddexp(
                np.log1p(-BY_CLAIM) + self.log_wealth[below],
                np.log(BY_CLAIM) + self.log_wealth_of(claimed)[below],
            )
        self.refuted |= self.log_wealth >= self.limit

    @property
    def bound(self) -> float:
        """Return the lower confidence bound on epsilon; 0 if nothing is refuted."""
        refuted = self.nulls.size if self.refuted.all() else int(np.argmin(self.refuted))
        return float(self.nulls[refuted - 1]) if refuted else 0.0

    def at(self, epsilon: float) -> tuple[float, bool]:
        """Return the log wealth against one null, and whether it and all smaller nulls are refuted."""
        index = self.index_of(epsilon)
        return float(self.log_wealth[index]), bool(self.refuted[: index + 1].all())

    def index_of(self, epsilon: float) -> int:
        """Return the index of a null of the grid."""
        index = int(np.searchsorted(self.nulls, epsilon))
        if index >= self.nulls.size or self.nulls[index] != epsilon:
            raise PreconditionError("epsilon", "a null of the grid", epsilon)
        return index
