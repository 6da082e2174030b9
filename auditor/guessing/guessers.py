"""Guessers: several kinds of partitions compete, each with an account of what it would have won so far.

Before every block all kinds are learned from earlier calls. Against each null the kind with the greatest
account makes the guesses, so that this choice, too, depends on earlier calls only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.betting.wealth import Wealth

from .cell_choice import guess_cells, guess_tails
from .column_choice import ColumnChoice, ColumnRanges
from .discriminants import Discriminants
from .outputs import Outputs
from .partitions import (
    COARSE_CELLS,
    MOST_CELLS,
    Cells,
    Floats,
    Learned,
    Partition,
    count_sides,
    learn_exact_outputs,
)
from .smoothing import smoothed
from .tree_cells import SmallTree

Kind = Callable[[Outputs, Cells, int], Learned | None]
"""Learns a partition from the latest calls; the last argument is the number of all earlier calls."""


class Rule(NamedTuple):
    """How guesses are chosen in the cells of a partition."""

    kind: str
    handicap: float
    """The log wealth by which the rule must lead; the more flexible, the more."""
    degree: int | None = None
    """The degree of the polynomial by which counts are smoothed; None if they are not."""


RULES = (
    Rule("thresholds", 0.0),
    Rule("exact outputs", 0.5),
    Rule("sums", 0.5),
    Rule("trees", 0.5),
    Rule("ranges", 2.0),
    Rule("thresholds", 0.0, degree=1),
    Rule("sums", 0.0, degree=1),
)


def new_kinds() -> dict[str, Kind]:
    """Return all kinds of partitions, before anything is learned."""
    choice = ColumnChoice()
    return {
        "thresholds": ColumnRanges(choice, MOST_CELLS, ordered=True).learn,
        "exact outputs": learn_exact_outputs,
        "sums": Discriminants().learn,
        "trees": SmallTree(choice).learn,
        "ranges": ColumnRanges(choice, COARSE_CELLS, ordered=False).learn,
    }


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


def learn(
    kinds: dict[str, Kind], outputs: Outputs, sides: Cells, calls: int, wealth: Wealth
) -> list[Guesser | None]:
    """Return the guesser of every rule learned from earlier calls; None if its kind does not apply."""
    learned = {name: kind(outputs, sides, calls) for name, kind in kinds.items()}
    tables = {
        name: count_sides(entry.cells, entry.sides, entry.partition.size)
        for name, entry in learned.items()
        if entry is not None
    }
    return [
        _guesser(entry.partition, tables[rule.kind], rule.degree, wealth)
        if (entry := learned[rule.kind]) is not None
        else None
        for rule in RULES
    ]


def _guesser(partition: Partition, table: Floats, degree: int | None, wealth: Wealth) -> Guesser:
    guess = guess_tails if partition.ordered else guess_cells
    table = table if degree is None else smoothed(table, degree)
    return Guesser(partition, guess(table, wealth.nulls, wealth.delta))


class Competition:
    """All kinds of guessers, and the accounts that decide which of them leads against each null."""

    def __init__(self, wealth: Wealth) -> None:
        self._wealth = wealth
        self._kinds = new_kinds()
        self._accounts = np.zeros((3, len(RULES), wealth.nulls.size))
        self._learned: list[Guesser | None] = [None] * len(RULES)

    def learn(self, outputs: Outputs, sides: Cells, calls: int) -> None:
        """Learn all rules from the latest of all calls so far."""
        self._learned = learn(self._kinds, outputs, sides, calls, self._wealth)

    def leaders(self) -> NDArray[np.int64]:
        """Return the index of the rule that leads against each null, among those that apply."""
        handicaps = np.array([rule.handicap for rule in RULES])
        logs = self._wealth.log_wealth_of(self._accounts) - handicaps[:, None]
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
