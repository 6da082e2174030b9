"""Bets on all splits, or on all leaf values, of seeded trainings.

`trained_splits` and `trained_leaves` say what is bet on a draw. `TrainingBets` places the bets, and remembers
earlier draws of the same run and of the run before, on which a draw must not depend.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from privboost.gate.checks.bets import LearningBet, RivalBets
from privboost.gate.checks.evidence import Evidence

from .histories import History, TreeDraws
from .laws import Floats

Place = tuple[int, int]
"""A tree, and the index of a node or leaf in it."""


@dataclass(frozen=True, slots=True)
class Bet:
    """What is bet on one draw."""

    law: Floats
    """The probabilities of all cells."""
    rivals: Floats
    cell: int
    parts: Sequence[str]
    """The parts of the draws to which the draw belongs."""
    keys: Mapping[str, Sequence[Hashable]]
    """The keys of the cells, by learning bet."""
    earlier: Mapping[str, Place]
    """The earlier draws of the run that are bet to matter, by learning bet."""
    keys_given: Callable[[Hashable], Sequence[Hashable]]
    """Return the keys of the cells, given what is remembered of an earlier draw."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw of a run."""

    place: Place
    remembered: Hashable
    """What bets on later draws know of it."""
    bet: Bet | None
    """None if the law of the draw is not known."""


class TrainingBets:
    """Bets on the draws of all runs of several requests."""

    def __init__(
        self,
        rivals: RivalBets,
        sentence: str,
        learned: Sequence[str],
        last_run: str,
        draws: Callable[[str, History, TreeDraws], Iterator[Draw]],
    ) -> None:
        self._rivals, self._sentence, self._draws, self._last_run = rivals, sentence, draws, last_run
        self._learned = {description: LearningBet(description) for description in (*learned, last_run)}
        self._before: dict[str, Mapping[Place, Hashable]] = {}

    def add(self, name: str, history: History, runs: Sequence[Sequence[TreeDraws]]) -> None:
        """Bet on a batch of runs of one request."""
        for trees in runs:
            drawn: dict[Place, Hashable] = {}
            for tree in trees:
                for draw in self._draws(name, history, tree):
                    if draw.bet is not None:
                        self._place(name, draw.place, draw.bet, drawn)
                    drawn[draw.place] = draw.remembered
            self._before[name] = drawn

    def _place(self, name: str, place: Place, bet: Bet, drawn: Mapping[Place, Hashable]) -> None:
        self._rivals.add(float(bet.law[bet.cell]), bet.rivals[:, bet.cell], bet.parts, name)
        keys = dict(bet.keys)
        for description, other in bet.earlier.items():
            if other in drawn:
                keys[description] = bet.keys_given(drawn[other])
        before = self._before.get(name, {})
        if place in before:
            keys[self._last_run] = bet.keys_given(before[place])
        for description, cells in keys.items():
            self._learned[description].add(bet.law, cells, bet.cell, name)

    def evidence(self) -> list[Evidence]:
        """Return the evidence of every bet."""
        return [*self._rivals.wealths(self._sentence), *(bet.evidence for bet in self._learned.values())]
