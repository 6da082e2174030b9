"""Lower bounds on epsilon and mu from guesses of coins, each with one error probability.

| here         | bound                                                                    | valid            |
|--------------|--------------------------------------------------------------------------|------------------|
| exact limits | on epsilon; also for delta > 0 if m delta / 2 is small (`one-run.delta`) | at every length  |
| curves       | on epsilon for any delta, on mu                                          | length by length |
| the bet      | on epsilon; for delta > 0 as long as m delta / 2 is small                | at every time    |

Two sequences of guesses share the error probability: both ends of the scores in turn, and the upper end
alone, for canaries of which only high scores tell something. With a number of guesses that is fixed before,
there is one sequence and one length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from privboost.auditor.betting.wealth import PROBABILITY, Counts, Points, Wealth, log_mean
from privboost.auditor.claims import GREATEST
from privboost.limits import GREATEST_NULL

from .curves import GuessCount, Inverse, epsilon_delta_curve, gaussian_curve, greatest_refuted, refutes
from .guesses import Bools, Ends, ScoredRun, guess_both, guess_fixed, guess_top, interleave, order_scores
from .limits import RATIO, lengths_of, limits, share_error

Floats = NDArray[np.float64]

BOTH, TOP = 0.75, 0.25
"""The shares of the error probability of the two sequences."""

GROWTH_BOTH, GROWTH_TOP = 0.5, 0.0
"""The error probability of a length grows with this power of it: a few high scores may tell the most."""

MOST_CHANGED = 0.2
"""Delta is paid by changed guesses if they cost at most this share of the error probability."""

BET_ON = 0.8
"""The part of the guesses of a run, from the ends on, that the bet stakes on; the rest loses on the way."""

CURVE_RATIO = 2.0
"""The ratio of lengths for curves, which share the error probability by a union bound."""

FINE, RELATIVE = 1 / 200, 1 / 100
"""Steps of the nulls: the first, or this part of the null if that is more."""

DECIDING_SHARE = 0.1
"""A run is long enough if it would have caught a violation that shows on this part of the canaries."""

FEWEST_CANARIES, MOST_CANARIES, STEP = 100, 10**6, 1.15
"""Numbers of canaries that are tried to say how many decide."""


@dataclass(frozen=True, slots=True)
class GuessSequence:
    """Right guesses in order, and the lengths and the error probability of the test on them."""

    right: Bools
    share: float
    growth: float
    lengths: tuple[int, ...]
    coarse: tuple[int, ...]
    """The lengths for curves."""
    by_run: Bools
    """Guesses run by run for the bet, without those near the middle of the scores."""

    counts: tuple[int, ...] = field(init=False)
    """The numbers of right guesses at the lengths."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", tuple(self.count(self.lengths)))

    def count(self, lengths: tuple[int, ...]) -> list[int]:
        """Return the numbers of right guesses at some lengths."""
        totals = np.cumsum(self.right)
        return [int(totals[length - 1]) for length in lengths]


@dataclass(frozen=True, slots=True)
class Guesses:
    """The guesses of all runs."""

    sequences: tuple[GuessSequence, ...]
    canaries: int
    """The number of coins, over all runs."""


def make_guesses(
    runs: Sequence[ScoredRun], rng: np.random.Generator, fixed: tuple[int, int] | None = None
) -> Guesses:
    """Return the guesses for scores; `fixed` has the numbers of highest and lowest scores to guess."""
    ends = [order_scores(run.scores, rng) for run in runs]
    kinds: list[tuple[Callable[[ScoredRun, Ends], Bools], float, float]]
    kinds = [(guess_both, BOTH, GROWTH_BOTH), (guess_top, TOP, GROWTH_TOP)]
    if fixed is not None:
        kinds = [(partial(guess_fixed, count=fixed), 1.0, 0.0)]
    sequences = []
    for guess, share, growth in kinds:
        parts = [guess(run, end) for run, end in zip(runs, ends, strict=True)]
        right = interleave(parts)
        lengths, coarse = lengths_of(right.size), lengths_of(right.size, CURVE_RATIO)
        if fixed is not None:
            lengths = coarse = (right.size,)
        by_run = [part if fixed is not None else part[: math.ceil(BET_ON * part.size)] for part in parts]
        sequences.append(GuessSequence(right, share, growth, lengths, coarse, np.concatenate(by_run)))
    return Guesses(tuple(sequences), sum(run.scores.size for run in runs))


def grid(claim: float | None = None) -> Floats:
    """Return the nulls for epsilon, the claim among them."""
    nulls = [0.0]
    while nulls[-1] < GREATEST_NULL:
        nulls.append(nulls[-1] + max(FINE, RELATIVE * nulls[-1]))
    return np.unique([*nulls[:-1], GREATEST_NULL, *([] if claim is None else [claim])])


def is_changed(canaries: int, delta: float, error: float) -> bool:
    """Return whether delta is paid by changed guesses, so that exact limits apply."""
    return canaries * delta / 2 <= MOST_CHANGED * error


def bound_epsilon(guesses: Guesses, error: float, delta: float = 0.0, claim: float | None = None) -> float:
    """Return the lower bound on epsilon, for a number of runs that was fixed before."""
    if not is_changed(guesses.canaries, delta, error):
        curves = partial(epsilon_delta_curve, delta=delta)
        return _round_to(grid(claim), _bound_by_curves(guesses, error, curves, GREATEST_NULL))
    left, bound = error - guesses.canaries * delta / 2, 0.0
    for null in grid(claim).tolist():
        if not reaches_limit(guesses, null, left):
            break
        bound = null
    return bound


def reaches_limit(guesses: Guesses, null: float, error: float) -> bool:
    """Return whether the right guesses reach an exact limit of a null for epsilon, without delta."""
    return any(
        right >= least
        for each in guesses.sequences
        for right, least in zip(
            each.counts,
            limits(each.lengths, _chance(null), each.share * error, each.growth),
            strict=True,
        )
    )


def bound_mu(guesses: Guesses, error: float) -> float:
    """Return the lower bound on the mu of Gaussian privacy, for a number of runs that was fixed before."""
    return _bound_by_curves(guesses, error, gaussian_curve, GREATEST["gdp"])


def _bound_by_curves(
    guesses: Guesses, error: float, family: Callable[[float], Inverse], most: float
) -> float:
    bounds = [0.0]
    for each in guesses.sequences:
        errors = share_error(each.coarse, each.share * error, each.growth).tolist()
        for length, right, part in zip(each.coarse, each.count(each.coarse), errors, strict=True):
            count = GuessCount(right, length, guesses.canaries)
            bounds.append(greatest_refuted(count, part, family, most))
    return max(bounds)


def _round_to(nulls: Floats, bound: float) -> float:
    """Return the greatest null that is not above a bound."""
    return float(nulls[np.searchsorted(nulls, bound, side="right") - 1])


def bound_anytime(
    guesses: Guesses, error: float, delta: float = 0.0, claim: float | None = None
) -> float | None:
    """Return the bound by the bet of the auditor, which holds after every guess and every further run.

    With delta > 0 it holds up to the number of canaries; None if delta uses up the error probability.
    """
    left = error - guesses.canaries * delta / 2
    if left <= 0:
        return None
    nulls = grid(claim)
    refuted = [count_refuted_by_bet(each, nulls, each.share * left) for each in guesses.sequences]
    return float(nulls[max(refuted) - 1]) if max(refuted) else 0.0


def count_refuted_by_bet(guesses: GuessSequence, nulls: Floats, error: float) -> int:
    """Return how many nulls the bet refutes, from the smallest on; wealth falls as the null grows."""
    wealth = Wealth(nulls, Points(nulls[:, None], np.zeros((nulls.size, 1))), error)
    totals = np.cumsum(guesses.by_run).astype(np.float64)
    if not totals.size:
        return 0
    taken, both = np.arange(1, totals.size + 1, dtype=np.float64), np.ones(totals.size, dtype=np.bool_)
    counts, rules = Counts(totals, taken - totals, np.zeros_like(totals), both), np.arange(totals.size)
    limit, low, high = wealth.limit_after(totals.size), 0, nulls.size
    while low < high:
        middle = (low + high) // 2
        logs = log_mean(counts.log_gains(wealth, rules, np.full(totals.size, middle)))
        low, high = (middle + 1, high) if logs.max() >= limit else (low, middle)
    return low


def catches(canaries: int, epsilon: float, odds: float, error: float, delta: float) -> bool:
    """Return whether a run with this number of canaries would refute a claim with probability 95 %.

    The guesses are right with the log odds `odds` on the part DECIDING_SHARE of the canaries.
    """
    changed = is_changed(canaries, delta, error)
    lengths = lengths_of(canaries // 2 * 2, RATIO if changed else CURVE_RATIO)
    usable = [index for index, length in enumerate(lengths) if length <= DECIDING_SHARE * canaries]
    if not usable:
        return False
    at = usable[-1]
    right = int(binom.ppf(1 - PROBABILITY, lengths[at], _chance(odds)))
    if changed:
        return (
            right >= limits(lengths, _chance(epsilon), BOTH * (error - canaries * delta / 2), GROWTH_BOTH)[at]
        )
    part = float(share_error(lengths, BOTH * error, GROWTH_BOTH)[at])
    return refutes(GuessCount(right, lengths[at], canaries), part, epsilon_delta_curve(epsilon, delta))


def canaries_to_catch(epsilon: float, odds: float, error: float, delta: float, too_few: int) -> int | None:
    """Return a number of canaries, more than `too_few`, that catches a violation; None if too many."""
    canaries = max(too_few, FEWEST_CANARIES)
    while canaries <= MOST_CANARIES:
        canaries = math.ceil(canaries * STEP)
        if catches(canaries, epsilon, odds, error, delta):
            return canaries
    return None


def _chance(odds: float) -> float:
    """Return the probability with these log odds."""
    return 1 / (1 + math.exp(-odds))
