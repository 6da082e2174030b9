"""Draws over many requests of one draw each: they depend on no earlier one, and every one has noise.

The requests of an operation come in random order, so that the request before is any other one. The law of a
draw is known, whatever came before; bets that learn from earlier draws find what it depends on instead.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from privboost.gate.check import Outcome, Target
from privboost.gate.checks.asking import ask_all, judge_case
from privboost.gate.checks.bets import LearningBet, RivalBets
from privboost.gate.checks.evidence import Evidence, join_cells, law_of_cells, mean_evidence, seed_string
from privboost.gate.mechanisms.expected.laws import LAWS, Chosen, as_float
from privboost.gate.mechanisms.levels import Level
from privboost.gate.mechanisms.operations.table import OPERATIONS
from privboost.gate.profile import Profile
from privboost.gate.protocol.wire import read_finite, read_list
from privboost.gate.vectors.files import Vector, all_vectors

from .laws import Law, as_law, cells_of

ERROR = 1e-9
"""The probability at which a correct sampler fails."""
N_REQUESTS = 1200
PARTS_OF_RUN = 4
"""Number of parts of the run whose draws are compared: noise must not fade."""
FINE = 1e-3
"""Bound on the probability that continuous noise is 0: a grid is finer than this, in scales."""
SHARES = (0.01, 0.1, 0.5, 0.99)
"""Shares of draws without noise on which a bet is made."""
LEFT_OUT = "noise-left-out"


def request_checks(profile: Profile) -> Iterator[RequestsCheck]:
    """Yield a check for every operation with a law that is known from both sides."""
    vectors: dict[str, list[Vector]] = {}
    for vector in all_vectors(profile):
        if (
            vector.case.level == Level.LAWS
            and isinstance(vector.expected, dict)
            and vector.expected.get("test") == "both sides"
        ):
            vectors.setdefault(vector.case.op, []).append(vector)
    for op, cases in vectors.items():
        yield RequestsCheck(profile, op, tuple(cases))


@dataclass(frozen=True, slots=True)
class DrawnColumn:
    """A column of the draws of one request: its law in a few groups of cells, and the law of no noise."""

    groups: dict[Hashable, int]
    """The group of every cell."""
    law: Law
    """The probability of every group."""
    exact: Any
    """The number without noise; None if the outcome is no number."""
    chance_of_exact: float
    """The probability of this number, or a bound on it."""


@dataclass(frozen=True)
class RequestsCheck:
    """Requests of one operation for one draw each."""

    profile: Profile
    op: str
    vectors: tuple[Vector, ...]
    level: str = Level.LAWS
    false_alarm: float = ERROR

    @property
    def id(self) -> str:
        """Return the id of the check."""
        return f"{self.level}/{self.op}/one draw per request"

    @property
    def label(self) -> str:
        """Return the label of the operation."""
        return self.vectors[0].case.label

    @cached_property
    def columns(self) -> list[list[DrawnColumn]]:
        """Return the columns of every case."""
        return [list(_columns(vector)) for vector in self.vectors]

    def run(self, target: Target, seed: int) -> Outcome:
        """Ask all requests, and judge their draws together."""
        order = random.Random(seed_string(seed, self.id)).choices(range(len(self.vectors)), k=N_REQUESTS)
        requests = [(self.op, self._arguments(case, seed, index)) for index, case in enumerate(order)]
        first = replace(
            self.vectors[order[0]].case,
            id=self.id,
            args=requests[0][1],
            flags=(LEFT_OUT, "earlier-requests", "shape"),
        )
        flags: list[str] = []

        def judge() -> str:
            results = ask_all(target, first, requests)
            bets = _RequestBets(self)
            for case, result in zip(order, results, strict=True):
                bets.add(case, read_list(result, length=1)[0])
            evidence, flag = bets.total()
            if evidence.log_wealth < -math.log(self.false_alarm):
                return ""
            flags.append(flag)
            chance = f"a correct sampler fails this with probability {self.false_alarm:g}"
            return f"{N_REQUESTS} requests for one draw each ({chance}); {evidence.description}"

        outcome = judge_case(first, judge)
        return replace(outcome, flags=tuple(flags), hints=tuple(flags)) if flags else outcome

    def _arguments(self, case: int, seed: int, index: int) -> dict[str, Any]:
        return dict(self.vectors[case].case.args) | {"seed": seed_string(seed, self.id, index), "count": "1"}


def _columns(vector: Vector) -> Iterator[DrawnColumn]:
    """Yield the columns of the draws of a case."""
    given = OPERATIONS[vector.case.op].read(vector.case.args)
    expected = vector.expected["columns"]
    for column, exact in zip(expected, LAWS[vector.case.op](given), strict=True):
        law = as_law(column, column["probabilities"])
        groups = join_cells(law)
        centre, chance = None, 0.0
        if not isinstance(exact, Chosen):
            centre, chance = exact.centre, FINE
            if exact.is_integer:
                chance = as_float(exact.law.below(centre) - exact.law.below(centre - 1))
        yield DrawnColumn(groups, law_of_cells(law, groups), centre, chance)


def _words_of_own(key: Any) -> str:
    """Name a group of cells, counted from the lowest, of a column of a request."""
    group, (name, place) = key
    return f"group {group + 1} of the cells of column {place + 1} of '{name}'"


WORDS: Mapping[str, Callable[[Any], str]] = {
    "the request before": lambda key: f"group {key[0] + 1} of the cells after a request '{key[1]}'",
    "the draw before": lambda key: f"group {key[0] + 1} of the cells after a draw in group {key[1] + 1}",
    "the first cell": lambda key: f"group {key[0] + 1} of the cells beside a first in group {key[1] + 1}",
    "the time of the request": lambda key: f"group {key[0] + 1} of the cells in part {key[1] + 1} of the run",
}
"""What draws must be independent of, with words for a group of cells and the value of it."""


class _RequestBets:
    """The bets of one run."""

    def __init__(self, check: RequestsCheck) -> None:
        self._check = check
        self._learning = {
            name: LearningBet(f"draws by {name}, of which they must be independent", words)
            for name, words in WORDS.items()
        }
        self._own = LearningBet("draws by their own request", _words_of_own)
        names = [vector.case.id.rpartition("/")[2] for vector in check.vectors]
        self._noise = RivalBets([f"{share:g}" for share in SHARES], ["all requests", *names])
        self._names = names
        self._index, self._before, self._earlier = 0, 0, ""

    def add(self, case: int, draw: Any) -> None:
        """Bet on the draw of the next request."""
        vector = self._check.vectors[case]
        columns = self._check.columns[case]
        cells = cells_of(vector.case, vector.expected["columns"], draw)
        numbers = draw if isinstance(draw, list) else [draw]
        first = columns[0].groups[cells[0]]
        for place, (column, cell, number) in enumerate(zip(columns, cells, numbers, strict=True)):
            group = column.groups[cell]
            keys = {
                "the request before": self._earlier,
                "the draw before": self._before,
                "the time of the request": PARTS_OF_RUN * self._index // N_REQUESTS,
            } | ({"the first cell": first} if place else {})
            for name, key in keys.items():
                _add(self._learning[name], column, group, key)
            _add(self._own, column, group, (self._names[case], place))
            self._before = group
            if column.exact is not None:
                self._add_noise(column, number, self._names[case])
        self._index += 1
        self._earlier = self._names[case]

    def _add_noise(self, column: DrawnColumn, number: Any, name: str) -> None:
        """Bet on whether a draw has noise."""
        chance = column.chance_of_exact
        shares = np.array(SHARES)
        rivals = chance + (1 - chance) * shares
        is_exact = read_finite(number) == column.exact
        chances = (chance, rivals) if is_exact else (1 - chance, 1 - rivals)
        self._noise.add(*chances, ("all requests", name), "")

    def total(self) -> tuple[Evidence, str]:
        """Return the mean of all bets, and the flag of the mistake that explains it best."""
        sentence = "of {count} draws of {part} about the share {rival} has no noise at all"
        left_out = mean_evidence(self._noise.wealths(sentence))
        parts = {LEFT_OUT: left_out, "shape": self._own.evidence}
        learning = [(bet.evidence, bet.is_dependence) for bet in self._learning.values()]
        total = mean_evidence([*parts.values(), *(evidence for evidence, _ in learning)])
        # A wrong law makes pairs wrong as well: only what the law does not explain is a dependence.
        dependent = [evidence for evidence, is_dependence in learning if is_dependence]
        if dependent:
            parts["earlier-requests"] = max(dependent, key=lambda each: each.log_wealth)
        flag = max(parts, key=lambda name: parts[name].log_wealth)
        return replace(total, description=parts[flag].description), flag


def _add(bet: LearningBet, column: DrawnColumn, group: int, key: Hashable) -> None:
    """Bet on the group of a draw, given what it must be independent of."""
    chances = np.array(list(column.law.values()))
    keys = [(each, key) for each in column.law]
    bet.add(chances, keys, list(column.law).index(group), "")
