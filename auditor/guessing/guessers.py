"""Guessers: several kinds of partitions compete, each with an account of what it would have won so far.

Before every block all kinds are learned from earlier calls. Against each null the kind with the greatest
account makes the guesses, so that this choice, too, depends on earlier calls only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.betting.wealth import Wealth

from .cell_choice import guess_cells, guess_tails
from .outputs import Outputs
from .partitions import (
    Cells,
    Floats,
    Partition,
    count_sides,
    learn_column_cells,
    learn_exact_outputs,
    learn_projection,
    learn_thresholds,
)
from .tree_cells import learn_tree

Kind = Callable[[Outputs, Cells], Partition | None]

KINDS: dict[Kind, float] = {
    learn_thresholds: 0.0,
    learn_exact_outputs: 0.5,
    learn_projection: 0.5,
    learn_tree: 0.5,
    learn_column_cells: 2.0,
}
"""The kinds, each with the log wealth by which it must lead; the more flexible the kind, the more."""


@dataclass(frozen=True, slots=True)
class Guesser:
    """A partition and, for every null, the side that is guessed in each cell."""

    partition: Partition
    guesses: NDArray[np.int8]

    def count(self, outputs: Outputs, sides: Cells) -> Floats:
        """Return the number of right, wrong and abstained calls for every null: shape (3, nulls).

        Against a null without a guess in any cell nothing is staked, and its calls are not counted.
        """
        left, right = count_sides(self.partition.cells(outputs), sides, self.partition.size)
        to_left, to_right = (self.guesses == -1).astype(float), (self.guesses == 1).astype(float)
        hits = to_left @ left + to_right @ right
        misses = to_left @ right + to_right @ left
        stakes = self.guesses.any(axis=1)
        return np.stack([hits, misses, np.where(stakes, outputs.size - hits - misses, 0.0)])


def learn(kind: Kind, outputs: Outputs, sides: Cells, wealth: Wealth) -> Guesser | None:
    """Return the guesser of one kind learned from earlier calls, or None if the kind does not apply."""
    partition = kind(outputs, sides)
    if partition is None:
        return None
    # A tree is grown from every other call; the remaining calls give unbiased counts in its leaves.
    counted = slice(1, None, 2) if kind is learn_tree else slice(None)
    cells = partition.cells(outputs[counted])
    table = count_sides(cells, sides[counted], partition.size)
    guess = guess_tails if partition.ordered else guess_cells
    return Guesser(partition, guess(table, wealth.nulls, wealth.delta))


class Competition:
    """All kinds of guessers, and the accounts that decide which of them leads against each null."""

    def __init__(self, wealth: Wealth) -> None:
        self._wealth = wealth
        self._accounts = np.zeros((3, len(KINDS), wealth.nulls.size))
        self._learned: list[Guesser | None] = [None] * len(KINDS)

    def learn(self, outputs: Outputs, sides: Cells) -> None:
        """Learn all kinds from all calls so far."""
        self._learned = [learn(kind, outputs, sides, self._wealth) for kind in KINDS]

    def leaders(self) -> NDArray[np.int64]:
        """Return the index of the kind that leads against each null, among those that apply."""
        logs = self._wealth.log_wealth_of(self._accounts) - np.array(list(KINDS.values()))[:, None]
        absent = np.array([guesser is None for guesser in self._learned])
        indices: NDArray[np.int64] = np.where(absent[:, None], -np.inf, logs).argmax(axis=0)
        return indices

    def count(self, outputs: Outputs, sides: Cells) -> Floats:
        """Return right, wrong and abstained calls of the leaders, and add the block to all accounts."""
        leaders = self.leaders()
        blocks = np.zeros_like(self._accounts)
        for index, guesser in enumerate(self._learned):
            if guesser is not None:
                blocks[:, index] = guesser.count(outputs, sides)
        self._accounts += blocks
        counts: Floats = blocks[:, leaders, np.arange(leaders.size)]
        return counts

    def leader_at(self, null: int) -> Guesser | None:
        """Return the guesser that leads against the null of an index."""
        return self._learned[int(self.leaders()[null])]
