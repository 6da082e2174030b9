"""Search for a pair that tells the sides of a mechanism apart, on calls that no test ever sees."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from privboost.errors import PreconditionError

from .calls import Portion, run_calls
from .pair import Pair
from .registration import Registration
from .sequential import SequentialTest
from .subject import Mechanism
from .workers import result_of

FEWEST_CALLS = 64
"""Calls of a candidate in a round of the search; fewer say nothing."""

NULLS = (0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""The nulls against which a candidate is scored, in units of the claim; 0 orders those that tell little."""

NEVER = 1e-300
"""An error probability at which nothing is refuted, so that a score goes on growing."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A pair with the score that it has reached, and the calls that were spent on it."""

    pair: Pair
    score: float
    calls: int


def search(
    subject: Mechanism,
    candidates: Sequence[Pair],
    budget: int,
    seed: int,
    *,
    keep: int = 1,
    epsilon: float = 1.0,
    delta: float = 0.0,
    low_bits: bool = False,
    executor: Executor | None = None,
) -> tuple[Ranked, ...]:
    """Spend at most `budget` calls to find the candidates that tell the sides apart best; best first.

    Successive halving: all candidates are called equally often, the better half goes on, until `keep` are
    left. The score is the mean logarithm of the wealth of the test itself against nulls around the claim.

    The calls have seeds of their own, and a test of what is found makes new calls. What the test sees is
    independent of the choice, and its error probability holds for the chosen pairs as if they had been given:
    the number of pairs that are tested is paid for, the number of candidates is not.

    Requires: epsilon > 0, and calls enough for every candidate.
    """
    if not candidates or keep < 1:
        raise PreconditionError("candidates", "at least one pair, of which at least one is kept", keep)
    if epsilon <= 0:
        raise PreconditionError("epsilon", "a claim above 0", epsilon)
    keep = min(keep, len(candidates))
    rounds = max(1, math.ceil(math.log2(len(candidates) / keep)))
    fewest = rounds * FEWEST_CALLS * len(candidates)
    if budget < fewest:
        raise PreconditionError("budget", f"at least {fewest} calls for {len(candidates)} candidates", budget)
    registration = Registration(search_seed(seed))
    contests = [
        _Contest(subject, pair, number, _scoring_test(epsilon, delta, low_bits))
        for number, pair in enumerate(candidates)
    ]
    for number in range(1, rounds + 1):
        share = budget // rounds // len(contests)
        for contest in contests:
            contest.call(registration, share, executor)
        contests.sort(key=lambda contest: -contest.score)
        contests = contests[: keep if number == rounds else max(keep, math.ceil(len(contests) / 2))]
    return tuple(Ranked(contest.pair, contest.score, contest.calls) for contest in contests)


def search_seed(seed: int) -> int:
    """Return the seed of the search that belongs to the seed of an audit."""
    return int.from_bytes(hashlib.blake2b(f"search {seed}".encode(), digest_size=16).digest(), "big")


def _scoring_test(epsilon: float, delta: float, low_bits: bool) -> SequentialTest:
    nulls = [epsilon * share for share in NULLS]
    return SequentialTest(nulls[-1], delta=delta, error=NEVER, low_bits=low_bits, nulls=nulls)


class _Contest:
    """A candidate in a search: its calls so far, and the test that scores them."""

    def __init__(self, subject: Mechanism, pair: Pair, number: int, test: SequentialTest) -> None:
        self.pair, self.calls = pair, 0
        self._subject, self._number, self._test = subject, number, test

    def call(self, registration: Registration, count: int, executor: Executor | None) -> None:
        """Make further calls and take their outputs into account."""
        start, self.calls = self.calls, self.calls + count
        work = (self._subject, self.pair, registration, Portion(self._number, start, self.calls))
        if executor is None:
            outputs = run_calls(*work)
        else:
            outputs = result_of(executor.submit(run_calls, *work), executor, self._subject.name)
        self._test.update(outputs, registration.sides(self._number, start, self.calls))

    @property
    def score(self) -> float:
        """Return the mean logarithm of wealth over the nulls."""
        return float(self._test.wealth.log_wealth.mean())
