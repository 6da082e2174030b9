"""What a run would have caught: the power of the betting test for events of a given frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .betting import GREATEST_NULL, Wealth

SHARES = (0.5, 0.1, 0.01)
"""How often the telling event is seen: a common one, a rarer one, a rare one."""

WANTED = 0.95
DRAWS = 400
LEARNED_FROM = 0.5
"""The part of the calls that is written off for finding the event."""

STEPS = 12


@dataclass(frozen=True, slots=True)
class Power:
    """The smallest epsilon that a run of this length would have caught, with 95 % probability."""

    share: float
    """The share of calls on which the telling event is seen."""
    epsilon: float | None
    """None: no epsilon would have been caught at this share."""


def power_of(calls: int, epsilon: float, delta: float, error: float) -> tuple[Power, ...]:
    """Return for events of several frequencies the smallest epsilon that would have been caught.

    The event is one in which the odds of the two sides are e^epsilon, found by the guesser within the first
    half of the calls, which count nothing. Drawn with a fixed seed; of the two numbers that bisection ends
    with the greater is returned, so that the statement errs on the weak side.
    """
    wealth = Wealth([epsilon], delta, error)
    counted = int(calls * (1 - LEARNED_FROM))
    return tuple(Power(share, _smallest_caught(wealth, counted, share)) for share in SHARES)


def _smallest_caught(wealth: Wealth, calls: int, share: float) -> float | None:
    low = float(wealth.nulls[0])
    high = max(GREATEST_NULL, 2 * low)
    if _caught(wealth, high, calls, share) < WANTED:
        return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _caught(wealth, middle, calls, share) >= WANTED:
            high = middle
        else:
            low = middle
    return high


def _caught(wealth: Wealth, epsilon: float, calls: int, share: float) -> float:
    """Return how often the wealth at the end refutes the null, if guesses have the odds of this epsilon."""
    rng = np.random.default_rng(0)
    guessed = rng.binomial(calls, share, DRAWS)
    right = rng.binomial(guessed, 1 / (1 + np.exp(-epsilon)))
    counts = np.stack([right, guessed - right, calls - guessed]).astype(np.float64)
    # One null, many draws: the draws stand where nulls do.
    return float(np.mean(wealth.log_wealth_of(counts) >= wealth.limit))
