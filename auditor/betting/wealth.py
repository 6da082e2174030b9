"""The betting test: wealth against every null, from right and wrong guesses, and the power of the test.

A fair coin picks the side of every call. A guesser that has seen only earlier calls guesses the side or
abstains. Let L be the outputs on which the left side is guessed and R those on which the right one is. If the
mechanism is (epsilon, delta)-private on the pair, then

    P(L | left) <= e^epsilon P(L | right) + delta   and   P(R | right) <= e^epsilon P(R | left) + delta.

Half of the calls are made on each side. The mean of the two lines is

    P(right) <= e^epsilon P(wrong) + charge,   charge = delta,

and if only one side is ever guessed, one line with half of its weight remains: charge = delta / 2. Neither
can be smaller: randomised response that publishes its input with probability delta attains both. So every
side that is guessed costs delta / 2. A stake of lambda = f / (e^epsilon + charge), f in (0, 1], multiplies
wealth by a number of mean at most 1:

    right: 1 + lambda (1 - charge)      wrong: 1 - f      abstained: 1 - lambda charge.

Instead of one stake on an event, cells of outputs may have stakes of their own (`guessing.graded`). Wealth,
the mean over several f and over both ways of staking, is a supermartingale that starts at 1. By Ville's
inequality it ever reaches 1 / error with probability at most `error`, for any rule of guessing and of
stopping.

A null is the parameter of a claim, such as epsilon at a fixed delta or the mu of Gaussian privacy. It
promises one or several points (epsilon, delta). If it is true then all its points are, so that a bettor may
choose the point of each block by earlier calls. Wealth is then still one supermartingale: there is no union
bound over points, and looking at several costs only the calls that it takes to find a good one.

Nulls are nested: a smaller one promises more. Against a null below the claim, part of the capital is staked
on the guesses made against the claim, at the odds of the smaller null, which are better. So a smaller null
with worse guesses does not delay the refutation of a claim that is clearly false.

The bound is the greatest null up to which *all* nulls of the grid are refuted. If it exceeded the true
parameter, then the smallest null of the grid that is not below it would be refuted. That is one event of
probability at most `error`, so no correction for the number of nulls is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik

from privboost.errors import PreconditionError
from privboost.limits import GREATEST_NULL

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

STAKES: Floats = np.concatenate([np.arange(1, 21) / 20, 1 / (20 * 2.0 ** np.arange(1, 4)), [1.0]])
"""The fractions f, each with the same part of the capital; f = 1 loses all of it at the first wrong guess.

It has two parts, since guesses that are never wrong are those that refute the most.
"""

SHARES: Floats = np.array([1.0, 0.9, 0.8, 0.7, 0.6, 0.4])
"""Shares of graded stakes (`guessing.graded`), each with the same part of the capital."""

COLUMNS = (STAKES.size, SHARES.size, STAKES.size)
"""Columns of the capital: stakes on events, shares of graded stakes, and either of them."""

PURE_PARTS, PARTS = (0.5, 0.1, 0.4), (0.2, 0.5, 0.3)
"""The parts of the capital that are staked on events, by grades, and in the way that has won more so far.

The first are for claims without delta. A claim with delta is often one about Gaussian noise, for which
graded stakes are better.
"""

MANY_NUMBERS, MANY_BITS = 8, 16
"""Outputs of this many noisy numbers have the second parts also without delta: sums are nearly normal.

So have outputs of which this many numbers vary, such as bits, if none of the first outputs occurs twice.
"""

BY_CLAIM = 0.2
"""The part of the capital against a null below the claim that follows the guesses made against the claim."""

ROUNDING, ROUNDING_OF_A_CALL = 1e-6, 1e-13
"""Margin added to the limit of log wealth: the second for every call, if that is more.

It exceeds the rounding errors of up to 10^15 calls (docs/formal.md#rounding).
"""

EVENT_SHARES = (0.5, 0.1, 0.025, 0.01)
"""Frequencies of the separating event, from common to rare."""

DECISIVE_SHARES = (0.025, 0.1, 0.5)
"""Frequencies at which the power of a run decides whether it was long enough: the first one, or a more common
one for claims that hide rare events."""

LOST_EARLY = 1.5
"""The log wealth that is assumed to be lost by guesses before the event is found."""

MOST_HIDDEN = 2.0
"""How many times as many occurrences as of an event in half of the calls an event takes if delta hides it."""

FEWEST_CALLS = 8
"""No run of so few calls catches anything."""

MOST_PROJECTED = 10**9
"""Greatest number of calls that a projection names."""

PROBABILITY = 0.95
SIMULATIONS = 400
SPENT_ON_LEARNING = 0.5
"""The part of the calls that is used up to find the event."""

BISECTIONS = 12


def grid_of_nulls(epsilon: float) -> Floats:
    """Return the nulls to test: steps of 1/200 up to 0.2, 1/50 up to 8, 1/20 up to 16, and the claim."""
    small, fine, coarse = np.arange(40) / 200, np.arange(10, 401) / 50, 8 + np.arange(1, 161) / 20
    return np.unique(np.concatenate([small, fine, coarse, [epsilon]]))


class Points(NamedTuple):
    """What every null promises: privacy at the points (epsilon, delta), shape (nulls, points)."""

    epsilon: Floats
    delta: Floats


def log_mean(logs: Floats, weights: Floats | None = None) -> Floats:
    """Return the logarithm of the mean over the last axis of numbers given by their logarithms."""
    top = logs.max(axis=-1, keepdims=True)
    shares = np.full(logs.shape[-1], 1 / logs.shape[-1]) if weights is None else weights
    means: Floats = top[..., 0] + np.log(np.exp(logs - top) @ shares)
    return means


class Counts(NamedTuple):
    """Right, wrong and abstained calls of each of several rules of guessing, and which sides they guess."""

    right: Floats
    wrong: Floats
    abstained: Floats
    both: NDArray[np.bool_]
    """Whether a rule guesses both sides; else it guesses one, or none and has no calls."""

    def log_gains(self, wealth: Wealth, rules: Indices, bets: Indices) -> Floats:
        """Return the gain in log wealth of each stake on some rules, at the odds of some bets."""
        right, wrong, abstained = (part[rules, None] for part in self[:3])
        both = self.both[rules, None]
        with np.errstate(invalid="ignore"):
            # Without wrong guesses nothing is lost; avoid 0 * -inf.
            lost = np.where(wrong > 0, wrong * wealth.wrong, 0.0)
        won, paid = (
            np.where(both, of_both[bets], of_one[bets])
            for of_one, of_both in zip(wealth.one_side, wealth.both_sides, strict=True)
        )
        return right * won + lost + abstained * paid


def _capital_of(parts: tuple[float, ...]) -> Floats:
    """Return the capital of every column."""
    return np.repeat([part / size for part, size in zip(parts, COLUMNS, strict=True)], COLUMNS)


class Wealth:
    """The log wealth against every null, and which nulls have been refuted.

    A bet is a point of a null. Bets are counted null by null: null 0 with all its points, then null 1.
    """

    def __init__(
        self,
        nulls: Floats | Sequence[float],
        points: Points,
        error: float,
        claim: float | None = None,
    ) -> None:
        self.nulls = np.asarray(nulls, dtype=np.float64)
        if not (self.nulls.size and np.all(np.diff(self.nulls) > 0) and self.nulls[0] >= 0):
            raise PreconditionError("nulls", "numbers >= 0 in increasing order", nulls)
        if not (np.all(points.epsilon >= 0) and np.all((points.delta >= 0) & (points.delta <= 1))):
            raise PreconditionError("points", "epsilon >= 0 and delta from 0 to 1", points)
        if not 0 < error < 1:
            raise PreconditionError("error", "a probability between 0 and 1", error)
        self.error = float(error)
        self.points_of_null = points.epsilon.shape[1]
        self.epsilon, self.delta = points.epsilon.ravel(), points.delta.ravel()
        """Epsilon and delta of every bet."""
        self.one_side, self.both_sides = (self._factors(self.delta * share) for share in (0.5, 1.0))
        with np.errstate(divide="ignore"):
            self.wrong = np.log1p(-STAKES)
        self.refuted = np.zeros(self.nulls.size, dtype=np.bool_)
        self.claim = None if claim is None else self.index_of(claim)
        """The index of the claim."""
        self._capital = _capital_of(PARTS if self.delta.any() else PURE_PARTS)
        self._staked = False
        """Whether a block was added."""
        self._logs = np.zeros((self.nulls.size, self._capital.size))
        self._logs_by_claim = np.zeros((self.claim or 0, self._capital.size))
        self.log_wealth = np.zeros(self.nulls.size)

    def expect_many_numbers(self) -> None:
        """Divide the capital for outputs of many noisy numbers.

        Requires: no block was added. The division may depend only on calls on which nothing was staked.
        """
        if self._staked:
            raise PreconditionError("capital", "divided before the first block is added", "a later division")
        self._capital = _capital_of(PARTS)

    def _factors(self, charge: Floats) -> tuple[Floats, Floats]:
        """Return the log factors of a right guess and of an abstention, for every bet and stake."""
        with np.errstate(over="ignore"):
            # At an infinite ratio nothing is staked.
            stake = STAKES / (np.exp(self.epsilon) + charge)[:, None]
        return np.log1p(stake * (1 - charge)[:, None]), np.log1p(-stake * charge[:, None])

    def limit_after(self, calls: int) -> float:
        """Return the log wealth that refutes a null after some calls."""
        return float(-np.log(self.error) + max(ROUNDING, ROUNDING_OF_A_CALL * calls))

    def add(self, own: Floats, by_claim: Floats, calls: int) -> None:
        """Add one block: what each column of the capital adds to log wealth, shape (nulls, sum of COLUMNS).

        `own` is of the guesses made against each null; `by_claim`, for nulls below the claim only, of the
        guesses made against the claim. All guesses were fixed before the block. `calls` is the number of all
        calls so far.
        """
        self._staked = True
        self._logs += own
        self.log_wealth = log_mean(self._logs, self._capital)
        if by_claim.size:
            self._logs_by_claim += by_claim
            self.log_wealth[: len(by_claim)] = np.logaddexp(
                np.log1p(-BY_CLAIM) + self.log_wealth[: len(by_claim)],
                np.log(BY_CLAIM) + log_mean(self._logs_by_claim, self._capital),
            )
        self.refuted |= self.log_wealth >= self.limit_after(calls)

    @property
    def bound(self) -> float:
        """Return the lower confidence bound on the parameter; 0 if nothing is refuted."""
        refuted = self.nulls.size if self.refuted.all() else int(np.argmin(self.refuted))
        return float(self.nulls[refuted - 1]) if refuted else 0.0

    def at(self, null: float) -> tuple[float, bool]:
        """Return the log wealth against one null, and whether it and all smaller nulls are refuted."""
        index = self.index_of(null)
        return float(self.log_wealth[index]), bool(self.refuted[: index + 1].all())

    def index_of(self, null: float) -> int:
        """Return the index of a null of the grid."""
        index = int(np.searchsorted(self.nulls, null))
        if index >= self.nulls.size or self.nulls[index] != null:
            raise PreconditionError("null", "a null of the grid", null)
        return index


@dataclass(frozen=True, slots=True)
class Power:
    """The smallest epsilon that a run of this length would have caught, with 95 % probability."""

    share: float
    """The share of calls on which the separating event is seen."""
    epsilon: float | None
    """None: no epsilon would have been caught at this share."""


def power_of(calls: int, points: Points, error: float) -> tuple[Power, ...]:
    """Return the smallest epsilon that would have been caught, for events of several frequencies.

    `points` has those of the claim, of which the most powerful counts. On the event the odds of the two sides
    are e^epsilon. The guesser finds it within the first half of the calls, which are not counted and in which
    other guesses have lost LOST_EARLY. Simulated with a fixed seed. Bisection ends with two numbers, of which
    the greater one is returned, so that the statement is conservative.
    """
    wealth = Wealth([0.0], points, error)
    n_counted = int(calls * (1 - SPENT_ON_LEARNING))
    return tuple(Power(share, _smallest_caught(wealth, n_counted, share)) for share in EVENT_SHARES)


def calls_to_catch(
    epsilon: float, share: float, points: Points, error: float, too_few: int = 0
) -> int | None:
    """Return how many calls on a pair, more than `too_few`, catch an epsilon; None if too many to name."""
    wealth, low = Wealth([0.0], points, error), FEWEST_CALLS
    calls = _calls_above(low, wealth, epsilon, share)
    return _calls_above(too_few, wealth, epsilon, share) if calls and calls <= too_few else calls


def _calls_above(low: int, wealth: Wealth, epsilon: float, share: float) -> int | None:
    high = 2 * low
    while not _catches(wealth, high, epsilon, share):
        low, high = high, 2 * high
        if high > MOST_PROJECTED:
            return None
    while high - low > max(high // 64, 1):
        middle = (low + high) // 2
        low, high = (low, middle) if _catches(wealth, middle, epsilon, share) else (middle, high)
    return high


def is_hidden(epsilon: float, share: float, common: float, points: Points, error: float) -> bool:
    """Return whether delta hides an event of a share with log odds `epsilon`.

    It does if catching it takes too many occurrences, in comparison with an event in half of the calls, whose
    log odds are `common`. Without delta both take equally many.
    """
    if not points.delta.any():
        return False
    rare, usual = calls_to_catch(epsilon, share, points, error), calls_to_catch(common, 0.5, points, error)
    return rare is None or (usual is not None and rare * share > MOST_HIDDEN * usual * 0.5)


def _catches(wealth: Wealth, calls: int, epsilon: float, share: float) -> bool:
    """Return whether `power_of` names at most this epsilon, which it rounds up to a step of its bisection."""
    low, high = _range_of(wealth)
    step = (high - low) / 2**BISECTIONS
    rounded = low + (epsilon - low) // step * step if epsilon < high else epsilon
    return _detection_rate(wealth, rounded, int(calls * (1 - SPENT_ON_LEARNING)), share) >= PROBABILITY


def _range_of(wealth: Wealth) -> tuple[float, float]:
    """Return the smallest and the greatest epsilon that may be caught."""
    return float(wealth.epsilon.min()), max(GREATEST_NULL, 2 * float(wealth.epsilon.max()))


def bound_without_errors(calls: int, nulls: Floats, points: Points, error: float) -> float:
    """Return the bound after calls that are all guessed right."""
    wealth = Wealth(nulls, points, error)
    every, none = np.array([float(calls)]), np.zeros(1)
    counts, bets = Counts(every, none, none, np.ones(1, dtype=np.bool_)), np.arange(wealth.epsilon.size)
    logs = log_mean(counts.log_gains(wealth, np.zeros_like(bets), bets))
    best = logs.reshape(wealth.nulls.size, -1).max(axis=1)
    wealth.refuted = best >= wealth.limit_after(calls)
    return wealth.bound


def _smallest_caught(wealth: Wealth, calls: int, share: float) -> float | None:
    low, high = _range_of(wealth)
    if _detection_rate(wealth, high, calls, share) < PROBABILITY:
        return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if _detection_rate(wealth, middle, calls, share) >= PROBABILITY:
            high = middle
        else:
            low = middle
    return high


def _binomial_quantiles(levels: Floats, trials: Floats, probability: float) -> Floats:
    """Return the quantiles of binomial laws at some levels."""
    quantiles: Floats = np.ceil(np.nan_to_num(bdtrik(levels, trials, probability)))
    return np.clip(quantiles, 0.0, trials)


def _detection_rate(wealth: Wealth, epsilon: float, calls: int, share: float) -> float:
    """Return the share of simulated runs that refute the null, if guesses have the odds of this epsilon."""
    levels = (np.arange(SIMULATIONS) + 0.5) / SIMULATIONS
    # The same levels for every number of calls, so that more calls detect more.
    stakes = _binomial_quantiles(levels, np.full(SIMULATIONS, float(calls)), share)
    shuffled = np.random.default_rng(0).permutation(levels)
    hits = _binomial_quantiles(shuffled, stakes, 1 / (1 + np.exp(-epsilon)))
    counts = Counts(hits, stakes - hits, calls - stakes, np.ones(SIMULATIONS, dtype=np.bool_))
    limit, rules = wealth.limit_after(calls) + LOST_EARLY, np.arange(SIMULATIONS)
    return max(
        float(np.mean(log_mean(counts.log_gains(wealth, rules, np.full(SIMULATIONS, bet))) >= limit))
        for bet in range(wealth.epsilon.size)
    )
