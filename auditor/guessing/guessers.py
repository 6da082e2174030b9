"""Guessers: several kinds of partitions compete, each with an account of what it would have won so far.

Before every block all kinds are learned from earlier calls. Against each null the kind with the greatest
account makes the guesses, so that this choice, too, depends on earlier calls only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.betting.wealth import SHARES, STAKES, Counts, Wealth, log_mean

from .classifiers import BOOSTED_TREES
from .column_cells import ColumnChoice, ColumnRanges, SmallTree
from .discriminants import WEIGHTED_SUMS
from .graded import GradedPlay, graded_stakes, guess_cells, guess_tails
from .narrow_cells import NARROW_CELLS
from .outputs import Outputs
from .partitions import (
    COARSE_CELLS,
    MOST_CELLS,
    Cells,
    Floats,
    Learned,
    Partition,
    ScoreRanges,
    count_sides,
    learn_exact_outputs,
)
from .summed_cells import SUMMED_CELLS

Indices = NDArray[np.int64]
Kind = Callable[[Outputs, Cells, int], Learned | None]
"""Learns a partition from the latest calls; the last argument is the number of all earlier calls."""

HANDICAPS = {
    "thresholds": (0.0, 0.0),
    "exact outputs": (0.5, 0.5),
    "sums": (0.5, -1.0),
    "summed cells": (0.5, 0.5),
    "trees": (0.5, 0.5),
    "boosted trees": (0.5, 0.5),
    "ranges": (2.0, 2.0),
    "narrow cells": (2.0, 1.0),
}
"""The log wealth by which each kind must lead with events and with graded stakes.

The more flexible the kind, the more. Sums of many numbers are nearly normal, so graded stakes suit them.
"""


def new_kinds() -> dict[str, Kind]:
    """Return all kinds of partitions, before anything is learned."""
    choice = ColumnChoice()
    return {
        "thresholds": ColumnRanges(choice, MOST_CELLS, ordered=True).learn,
        "exact outputs": learn_exact_outputs,
        "sums": ScoreRanges(WEIGHTED_SUMS).learn,
        "summed cells": ScoreRanges(SUMMED_CELLS).learn,
        "trees": SmallTree(choice).learn,
        "boosted trees": ScoreRanges(BOOSTED_TREES).learn,
        "ranges": ColumnRanges(choice, COARSE_CELLS, ordered=False).learn,
        "narrow cells": ScoreRanges(NARROW_CELLS).learn,
    }


FOLDS = 4
"""Number of folds of `cross_fitted_wealth`."""

GRADED_LEAD = 0.5
"""The log wealth by which graded stakes must lead to get the part of the capital that goes to the leader."""


@dataclass(frozen=True, slots=True)
class Guesser:
    """A partition and, for every bet, the side that is guessed in each cell."""

    partition: Partition
    guesses: NDArray[np.int8]

    def count(self, outputs: Outputs, sides: Cells) -> Counts:
        """Return the number of right, wrong and abstained calls for every bet.

        Where no side is guessed in any cell nothing is staked, and the calls are not counted.
        """
        left, right = count_sides(self.partition.cells(outputs), sides, self.partition.size)
        to_left, to_right = (self.guesses == -1).astype(float), (self.guesses == 1).astype(float)
        hits = to_left @ left + to_right @ right
        misses = to_left @ right + to_right @ left
        lefts, rights = to_left.any(axis=1), to_right.any(axis=1)
        abstained = np.where(lefts | rights, outputs.size - hits - misses, 0.0)
        return Counts(hits, misses, abstained, lefts & rights)


@dataclass(frozen=True, slots=True)
class GradedGuesser:
    """An ordered partition and, for every bet, the stake in each cell: negative where left is guessed."""

    partition: Partition
    stakes: NDArray[np.float64]

    def count(self, outputs: Outputs, sides: Cells) -> GradedPlay:
        """Return the calls of each side in every cell, with the stakes."""
        return GradedPlay(
            self.stakes, *count_sides(self.partition.cells(outputs), sides, self.partition.size)
        )


def learn(
    kind: Kind, outputs: Outputs, sides: Cells, calls: int, wealth: Wealth
) -> tuple[Guesser | None, GradedGuesser | None]:
    """Return the guessers of one kind learned from earlier calls: of events, and of graded stakes if ordered.

    Both are None if the kind does not apply.
    """
    learned = kind(outputs, sides, calls)
    if learned is None:
        return None, None
    partition = learned.partition
    table = count_sides(learned.cells, learned.sides, partition.size)
    guess = guess_tails if partition.ordered else guess_cells
    events = Guesser(partition, guess(table, wealth.epsilon, wealth.delta))
    stakes = (
        graded_stakes(table, wealth.epsilon, wealth.delta, learned.log_odds) if partition.ordered else None
    )
    return events, None if stakes is None else GradedGuesser(partition, stakes)


class Competition:
    """All kinds of guessers, and the accounts that decide which of them leads on each bet.

    Each kind has a guesser of events and, if its partition is ordered, one of graded stakes. The best of
    either sort plays with its own part of the capital, and the better of the two with the rest (`PARTS`).
    """

    def __init__(self, wealth: Wealth) -> None:
        self._wealth, self._kinds = wealth, new_kinds()
        bets, count = wealth.epsilon.size, len(self._kinds)
        self._logs = [np.zeros((count, bets, columns)) for columns in (STAKES.size, SHARES.size)]
        self._accounts = [np.zeros((count, bets)) for _ in self._logs]
        self._learned: list[list[Guesser | GradedGuesser | None]] = [[None] * count for _ in self._logs]

    def forget(self) -> None:
        """Forget what was learned, but not the accounts."""
        self._kinds = new_kinds()

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> None:
        """Learn all kinds from the latest of all calls so far."""
        learned = [learn(kind, outputs, sides, calls, self._wealth) for kind in self._kinds.values()]
        self._learned = [list(guessers) for guessers in zip(*learned, strict=True)]

    def leaders(self, sort: int) -> tuple[Indices, Indices, Floats]:
        """Return the guesser of a sort that leads against each null, its bet and its account.

        A null with several points has as many bets; that of the greatest account is chosen.
        """
        absent = np.array([guesser is None for guesser in self._learned[sort]])
        handicap = np.array([HANDICAPS[kind][sort] for kind in self._kinds])[:, None]
        accounts = np.where(absent[:, None], -np.inf, self._accounts[sort] - handicap)
        best = accounts.max(axis=0).reshape(self._wealth.nulls.size, -1)
        bets = np.arange(best.shape[0]) * best.shape[1] + best.argmax(axis=1)
        return accounts.argmax(axis=0)[bets], bets, best.max(axis=1)

    def greatest_accounts(self) -> Floats:
        """Return the greatest account of any guesser and bet against each null."""
        greatest = np.max([accounts.max(axis=0) for accounts in self._accounts], axis=0)
        best: Floats = greatest.reshape(self._wealth.nulls.size, -1).max(axis=1)
        return best

    def count(self, outputs: Outputs, sides: Cells) -> tuple[Floats, Floats]:
        """Add a block to all accounts, and return what the leaders add to log wealth, for `Wealth.add`."""
        leads = [self.leaders(sort) for sort in range(len(self._logs))]
        graded = leads[1][2] > leads[0][2] + GRADED_LEAD
        blocks = [self._count_sort(sort, *lead[:2], outputs, sides) for sort, lead in enumerate(leads)]
        (own, by_claim), (own_graded, by_claim_graded) = blocks
        repeats = STAKES.size // SHARES.size
        either = np.where(graded[:, None], np.repeat(own_graded, repeats, axis=1), own)
        claimed = self._wealth.claim
        followed = np.repeat(by_claim_graded, repeats, axis=1) if claimed and graded[claimed] else by_claim
        return np.hstack([own, own_graded, either]), np.hstack([by_claim, by_claim_graded, followed])

    def _count_sort(
        self, sort: int, kinds: Indices, bets: Indices, outputs: Outputs, sides: Cells
    ) -> tuple[Floats, Floats]:
        """Return the gains of the leaders of a sort, and of that against the claim on the nulls below it."""
        wealth, every = self._wealth, np.arange(self._wealth.epsilon.size)
        gains = np.zeros_like(self._logs[sort])
        by_claim = np.zeros((wealth.claim or 0, gains.shape[2]))
        for kind, guesser in enumerate(self._learned[sort]):
            if guesser is None:
                continue
            play = guesser.count(outputs, sides)
            gains[kind] = play.log_gains(wealth, every, every)
            self._logs[sort][kind] += gains[kind]
            self._accounts[sort][kind] = log_mean(self._logs[sort][kind])
            if wealth.claim and kinds[wealth.claim] == kind:
                bet = bets[wealth.claim]
                below = np.arange(wealth.claim) * wealth.points_of_null + bet % wealth.points_of_null
                by_claim = play.log_gains(wealth, np.full(below.size, bet), below)
        return gains[kinds, bets], by_claim

    def leader_at(self, null: int) -> tuple[Guesser, int] | None:
        """Return the guesser of events that leads against the null of an index, and its bet."""
        kinds, bets, _ = self.leaders(0)
        guesser = self._learned[0][int(kinds[null])]
        return (guesser, int(bets[null])) if isinstance(guesser, Guesser) else None


def cross_fitted_wealth(wealth: Wealth, outputs: Outputs, sides: Cells) -> Floats:
    """Return the log wealth of the best guesser against each null, learned from some calls, used on others.

    The calls are divided into folds, and the guesses on each fold are learned from the other folds. This is
    no test, since the best guesser is picked afterwards, but no calls are used up by learning.
    """
    competition, fold_of = Competition(wealth), np.arange(outputs.size) % FOLDS
    for fold in range(FOLDS):
        inside = fold_of == fold
        competition.forget()
        competition.learn(outputs[~inside], sides[~inside], int(np.sum(~inside)))
        competition.count(outputs[inside], sides[inside])
    # Stakes at the odds of a null win at least as much against a smaller one.
    wealths: Floats = np.maximum.accumulate(competition.greatest_accounts()[::-1])[::-1]
    return wealths
