"""Draws that come again: a seed that is cut, a generator that starts again, answers that are kept."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privboost.gate.check import Outcome, Target
from privboost.gate.checks.asking import ask_all, failure, judge_case
from privboost.gate.checks.evidence import seed_string
from privboost.gate.mechanisms.levels import Level
from privboost.gate.profile import Profile
from privboost.gate.protocol.wire import read_finite, read_list
from privboost.gate.vectors.files import Vector, all_vectors

from .laws import RELEASES, as_law, cells_of

ERROR = 1e-9
N_REQUESTS = 300
"""Number of requests; seeds that are cut to 8 bits are then equal for some of them."""
FINE = 1e-3
"""Bound on the probability that two draws of continuous noise are equal: a grid is finer, in scales."""
CONTINUOUS = frozenset({"laplace", "gaussian", "bounded_sum", "bounded_mean"})
"""Operations whose draws are compared as numbers, and not by their cells."""


def repeat_checks(profile: Profile) -> Iterator[RepeatsCheck]:
    """Yield a check for every operation that draws, with the request whose draws are equal most rarely."""
    best: dict[str, tuple[float, Vector]] = {}
    for vector in all_vectors(profile):
        case, expected = vector.case, vector.expected
        if case.level != Level.LAWS or not isinstance(expected, dict) or case.op == RELEASES:
            continue
        chance = FINE if case.op in CONTINUOUS else _chance_of_equal_cells(expected["columns"])
        best[case.op] = min(best.get(case.op, (1.0, vector)), (chance, vector), key=lambda entry: entry[0])
    for chance, vector in best.values():
        yield RepeatsCheck(vector, chance)


def _chance_of_equal_cells(columns: Sequence[Any]) -> float:
    """Return the probability that two independent draws have the same cells."""
    laws = (as_law(column, column["probabilities"]) for column in columns)
    return math.prod(math.fsum(chance**2 for chance in law.values()) for law in laws)


@dataclass(frozen=True, slots=True)
class RepeatsCheck:
    """Many requests with the same arguments and other seeds: no run of draws is in two of them."""

    vector: Vector
    chance: float
    """The probability that two draws are equal, or a bound on it."""
    level: str = Level.LAWS
    false_alarm: float = ERROR

    @property
    def id(self) -> str:
        """Return the id of the check."""
        return f"{self.level}/{self.vector.case.op}/draws that come again"

    @property
    def label(self) -> str:
        """Return the label of the operation."""
        return self.vector.case.label

    @property
    def length(self) -> int:
        """Return the length of a run that is in two correct requests with a probability below the error.

        Requests have twice as many draws; the pairs of runs of all pairs of requests are added up.
        """
        length, pairs = 1, math.comb(N_REQUESTS, 2)
        while pairs * (length + 1) ** 2 * self.chance**length > self.false_alarm:
            length += 1
        return length

    def run(self, target: Target, seed: int) -> Outcome:
        """Ask all requests, and look for a run of draws that two of them have."""
        args, length = self.vector.case.args, self.length
        requests = [
            dict(args) | {"seed": seed_string(seed, self.id, index), "count": str(2 * length)}
            for index in range(N_REQUESTS)
        ]
        case = replace(self.vector.case, id=self.id, args=requests[0], flags=("draws-repeated",))
        repeated: list[tuple[int, int]] = []

        def judge() -> str:
            results = ask_all(target, case, [(case.op, args) for args in requests])
            draws = [self._comparable(read_list(result, length=2 * length)) for result in results]
            repeated.extend(_first_repeat(draws, length))
            return "a run of draws comes again" if repeated else ""

        outcome = judge_case(case, judge)
        if not repeated:
            return outcome
        first, second = repeated[0]
        complaint = (
            f"{length} draws in a row came in an earlier request with another seed; a correct sampler fails "
            f"this with probability {self.false_alarm:g}"
        )
        return failure(replace(case, args=requests[second]), complaint, requests[first])

    def _comparable(self, draws: Sequence[Any]) -> list[Hashable]:
        """Return what is compared of every draw."""
        if self.vector.case.op in CONTINUOUS:
            return [read_finite(draw) for draw in draws]
        columns = self.vector.expected["columns"]
        return [tuple(cells_of(self.vector.case, columns, draw)) for draw in draws]


def _first_repeat(draws: Sequence[Sequence[Hashable]], length: int) -> Iterator[tuple[int, int]]:
    """Yield pairs of requests that have the same run of draws."""
    seen: dict[tuple[Hashable, ...], int] = {}
    for index, own in enumerate(draws):
        runs = [tuple(own[start : start + length]) for start in range(len(own) - length + 1)]
        yield from ((seen[run], index) for run in runs if run in seen)
        seen.update(dict.fromkeys(runs, index))
