"""Guessers: kinds of partitions that compete, each with its own account of what it would have won.

Before every block all kinds are learned from earlier calls. Against each null the guesses of the kind that
would have won most so far are the ones that count, so that the choice, too, is made from earlier calls only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .betting import Wealth
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
from .regions import guess_cells, guess_tails
from .tree_cells import learn_tree

Kind = Callable[[Outputs, Cells], Partition | None]

KINDS: dict[Kind, float] = {
    learn_thresholds: 0.0,
    learn_exact_outputs: 0.5,
    learn_projection: 0.5,
    learn_tree: 0.5,
    learn_column_cells: 2.0,
}
"""Every kind with the log wealth that it must be ahead by to take the lead; the more it can fit, the more."""


@dataclass(frozen=True, slots=True)
class Guesser:
    """A partition and, for every null, the side that is named in each of its cells."""

    partition: Partition
    guesses: NDArray[np.int8]

    def count(self, outputs: Outputs, sides: Cells) -> Floats:
        """Return for every null how many calls are guessed right, wrong, and not at all: shape (3, nulls).

        A null against which no cell is guessed stakes nothing, and does not count its calls.
        """
        left, right = count_sides(self.partition.cells(outputs), sides, self.partition.size)
        to_left, to_right = (self.guesses == -1).astype(float), (self.guesses == 1).astype(float)
        hits = to_left @ left + to_right @ right
        misses = to_left @ right + to_right @ left
        stakes = self.guesses.any(axis=1)
        return np.stack([hits, misses, np.where(stakes, outputs.size - hits - misses, 0.0)])


def learn(kind: Kind, outputs: Outputs, sides: Cells, wealth: Wealth) -> Guesser | None:
    """Return the guesser of one kind that earlier calls suggest, or None if it does not apply to them."""
    partition = kind(outputs, sides)
    if partition is None:
        return None
    counted = slice(1, None, 2) if kind is learn_tree else slice(None)
    cells = partition.cells(outputs[counted])
    table = count_sides(cells, sides[counted], partition.size)
    guess = guess_tails if partition.ordered else guess_cells
    return Guesser(partition, guess(table, wealth.nulls, wealth.delta))


class Competition:
    """All kinds of guessers, and the accounts by which the leader against each null is known."""

    def __init__(self, wealth: Wealth) -> None:
        self._wealth = wealth
        self._accounts = np.zeros((3, len(KINDS), wealth.nulls.size))
        self._learned: list[Guesser | None] = [None] * len(KINDS)

    def learn(self, outputs: Outputs, sides: Cells) -> None:
        """Learn all kinds from all calls so far."""
        self._learned = [learn(kind, outputs, sides, self._wealth) for kind in KINDS]

    def leaders(self) -> NDArray[np.int64]:
        """Return the number of the kind that leads against each null, among those that apply."""
        logs = self._wealth.log_wealth_of(self._accounts) - np.array(list(KINDS.values()))[:, None]
        absent = np.array([guesser is None for guesser in self._learned])
        found: NDArray[np.int64] = np.where(absent[:, None], -np.inf, logs).argmax(axis=0)
        return found

    def count(self, outputs: Outputs, sides: Cells) -> Floats:
        """Return right, wrong and abstained calls of the leaders, then enter the block into all accounts."""
        leaders = self.leaders()
        blocks = np.zeros_like(self._accounts)
        for number, guesser in enumerate(self._learned):
            if guesser is not None:
                blocks[:, number] = guesser.count(outputs, sides)
        self._accounts += blocks
        found: Floats = blocks[:, leaders, np.arange(leaders.size)]
        return found

    def leader_at(self, place: int) -> Guesser | None:
        """Return the guesser that leads against one null."""
        return self._learned[int(self.leaders()[place])]
