"""Choose pairs by calls that no test uses, so that they do not affect its error probability.

`refusals` tries each pair once, to leave out those with an input that the mechanism refuses; `search` looks
for the pairs that are easiest to tell apart.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privboost.auditor.betting.wealth import Wealth
from privboost.auditor.claims import PrivacyClaim
from privboost.auditor.guessing.guessers import cross_fitted_wealth
from privboost.auditor.guessing.outputs import CallHistory, OutputTable, memory_limit
from privboost.auditor.mechanisms.mechanism import Mechanism
from privboost.auditor.pairs.pair import Pair
from privboost.auditor.values.failures import failure_string
from privboost.errors import PreconditionError
from privboost.workers.pool import result_of

from .calls import Portion, Registration, call_once, run_calls

Floats = NDArray[np.float64]

FEWEST_CALLS = 64
"""Minimum number of calls per candidate in a round of the search."""

NULLS = np.arange(41) / 20
"""Nulls against which a candidate is scored, in units of the claim: up to twice the claim."""

LIKELY = 1.5
"""The log wealth at which a null is unlikely enough for a score; some is due to picking the best guesser."""

NEVER = 1e-300
"""An error probability at which nothing is refuted, so that scores keep growing."""


def refusals(
    mechanism: Mechanism, pairs: Sequence[Pair], seed: int, executor: Executor | None = None
) -> dict[str, str]:
    """Return why an input is refused, by the name of its pair, for pairs that may be outside of the claim.

    A table with a missing value, for example, need not be an input of the claim: an estimator that refuses it
    has said so.
    """
    reasons = {}
    for pair in pairs:
        if not pair.outside:
            continue
        if executor is None:
            reason = refusal(mechanism, pair, seed)
        else:
            future = executor.submit(refusal, mechanism, pair, seed)
            reason = result_of(future, executor, mechanism.name)
        if reason:
            reasons[pair.name] = reason
    return reasons


def refusal(mechanism: Mechanism, pair: Pair, seed: int) -> str:
    """Return why one of the inputs of a pair is refused; the empty string if both have an output."""
    for side, (name, data) in enumerate((("left", pair.left), ("right", pair.right))):
        output = call_once(mechanism, data, np.random.default_rng([seed, side]))
        if (reason := failure_string(output)) is not None:
            return f"the {name} input is refused ({reason.partition('. ')[0]})"
    return ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A pair with its score and the number of calls spent on it."""

    pair: Pair
    score: float
    calls: int


def search(
    mechanism: Mechanism,
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
    """Return the `keep` candidates that are easiest to tell apart, best first, using at most `budget` calls.

    Successive halving: in each round all candidates get the same number of calls, and the better half
    remains, until `keep` are left. The score is a weak lower bound on epsilon, so that a pair with a rare
    event that may refute the claim is preferred to a pair with a frequent event that cannot.

    These calls have their own seeds, and the audit of the chosen pairs makes new calls. Its outputs are
    independent of the choice, so its error probability holds as if the pairs had been given: it is divided by
    the number of tested pairs, not by the number of candidates.

    Requires: epsilon > 0, and a budget of at least FEWEST_CALLS per candidate and round.
    """
    if not candidates or keep < 1:
        raise PreconditionError("candidates", "at least one pair, of which at least one is kept", keep)
    if epsilon <= 0:
        raise PreconditionError("epsilon", "a claim above 0", epsilon)
    keep = min(keep, len(candidates))
    fewest = fewest_calls(len(candidates), keep)
    if budget < fewest:
        raise PreconditionError("budget", f"at least {fewest} calls for {len(candidates)} candidates", budget)
    registration = Registration(search_seed(seed))
    nulls = epsilon * NULLS
    wealth = Wealth(nulls, PrivacyClaim("eps", float(nulls[-1]), delta).points_of(nulls), NEVER)
    contests = [_Contest(mechanism, pair, index, wealth, low_bits) for index, pair in enumerate(candidates)]
    for count, share in schedule(len(candidates), keep, budget):
        contests = contests[:count]
        for contest in contests:
            contest.call(registration, share, executor)
        contests.sort(key=lambda contest: -contest.score)
    return tuple(Ranked(contest.pair, contest.score, contest.calls) for contest in contests[:keep])


def fewest_calls(candidates: int, keep: int) -> int:
    """Return the least budget of a search."""
    return _rounds(candidates, keep) * FEWEST_CALLS * candidates


def schedule(candidates: int, keep: int, budget: int) -> list[tuple[int, int]]:
    """Return the number of candidates of every round of a search, and of the calls on each of them."""
    rounds = _rounds(candidates, keep)
    counts = [max(keep, math.ceil(candidates / 2**round_)) for round_ in range(rounds)]
    return [(count, budget // rounds // count) for count in counts]


def _rounds(candidates: int, keep: int) -> int:
    return max(1, math.ceil(math.log2(candidates / keep)))


def search_seed(seed: int) -> int:
    """Return the seed of the search for the seed of an audit."""
    return derive_seed("search", seed, 16)


def derive_seed(purpose: str, seed: int, size: int = 8) -> int:
    """Return a seed of `size` bytes for other calls than those of an audit with this seed."""
    return int.from_bytes(hashlib.blake2b(f"{purpose} {seed}".encode(), digest_size=size).digest(), "big")


def bound_score(nulls: Floats, log_wealth: Floats) -> float:
    """Return the null, between those of the grid, up to which wealth has doubled at least.

    If it has not doubled against the smallest null, the score is negative and the greater, the greater the
    wealth; if it has against all, the wealth against the greatest null decides.
    """
    ahead = log_wealth - LIKELY
    count = nulls.size if np.all(ahead > 0) else int(np.argmin(ahead > 0))
    if count == 0:
        return float(ahead[0])
    if count == nulls.size:
        return float(nulls[-1] + ahead[-1])
    part = ahead[count - 1] / (ahead[count - 1] - ahead[count])
    return float(nulls[count - 1] + part * (nulls[count] - nulls[count - 1]))


class _Contest:
    """A candidate of a search: its calls so far, and their score."""

    def __init__(self, mechanism: Mechanism, pair: Pair, index: int, wealth: Wealth, low_bits: bool) -> None:
        self.pair, self.calls, self.score = pair, 0, -math.inf
        self._mechanism, self._index, self._wealth = mechanism, index, wealth
        self._table, self._history = OutputTable(low_bits), CallHistory()

    def call(self, registration: Registration, count: int, executor: Executor | None) -> None:
        """Make further calls and score all calls so far."""
        start, self.calls = self.calls, self.calls + count
        work = (self._mechanism, self.pair, registration, Portion(self._index, start, self.calls))
        if executor is None:
            outputs = run_calls(*work)
        else:
            outputs = result_of(executor.submit(run_calls, *work), executor, self._mechanism.name)
        sides = registration.sides(self._index, start, self.calls)
        self._history.append(self._table.read(outputs), sides)
        width = self._table.known_before(self.calls)
        first = max(self.calls - memory_limit(width), 0)
        wealth = cross_fitted_wealth(self._wealth, *self._history.part(first, self.calls, width))
        self.score = bound_score(self._wealth.nulls, wealth)
