"""The power of the betting test: the smallest epsilon that a run of a given length would catch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .wealth import GREATEST_NULL, Counts, Points, Wealth, log_mean

SHARES = (0.5, 0.1, 0.01)
"""Frequencies of the separating event: common, less common, rare."""

PROBABILITY = 0.95
DRAWS = 400
LEARNED_FROM = 0.5
"""The part of the calls that is used up to find the event."""

STEPS = 12


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
    are e^epsilon. The guesser finds it within the first half of the
    calls, which are not counted. Simulated with a fixed seed. Bisection ends with two numbers, of which the
    greater one is returned, so that the statement is conservative.
    """
    wealth = Wealth([0.0], points, error)
    n_counted = int(calls * (1 - LEARNED_FROM))
    return tuple(Power(share, _smallest_caught(wealth, n_counted, share)) for share in SHARES)


def _smallest_caught(wealth: Wealth, calls: int, share: float) -> float | None:
    low = float(wealth.epsilon.min())
    high = max(GREATEST_NULL, 2 * float(wealth.epsilon.max()))
    if _detection_rate(wealth, high, calls, share) < PROBABILITY:
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _detection_rate(wealth, middle, calls, share) >= PROBABILITY:
            high = middle
        else:
            low = middle
    return high


def _detection_rate(wealth: Wealth, epsilon: float, calls: int, share: float) -> float:
    """Return the share of simulated runs that refute the null, if guesses have the odds of this epsilon."""
    rng = np.random.default_rng(0)
    guessed = rng.binomial(calls, share, DRAWS)
    right = rng.binomial(guessed, 1 / (1 + np.exp(-epsilon)))
    hits, stakes = right.astype(np.float64), guessed.astype(np.float64)
    counts = Counts(hits, stakes - hits, calls - stakes, np.ones(DRAWS, dtype=np.bool_))
    limit = wealth.limit_after(calls)
    return max(
        float(np.mean(log_mean(counts.log_gains(wealth, np.arange(DRAWS), np.full(DRAWS, bet))) >= limit))
        for bet in range(wealth.epsilon.size)
    )
