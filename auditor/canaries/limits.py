"""Numbers of right guesses that refute a null, at several lengths of one sequence of guesses.

Under a null every guess is right with probability at most p, whatever was revealed before. Then the number of
right guesses ever reaches a limit with at most the probability that it has for independent guesses that are
right with probability p (`one-run.count` in the ledger). For independent guesses this probability is computed
exactly, length by length. So all lengths share one error probability, without a union bound, and a bound
holds at every one of them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.stats import binom

Floats = NDArray[np.float64]

FEWEST = 8
"""Right guesses are not counted before this many guesses."""

RATIO = 2**0.25
"""The ratio of successive lengths at which they are counted."""

ROUNDING = 1e-9
"""Subtracted from the error probability; rounding errors of the probabilities are smaller."""

NEGLIGIBLE = 1e-18
"""Probabilities below this are left out; all of them together are smaller than ROUNDING."""


@lru_cache(maxsize=64)
def lengths_of(guesses: int, ratio: float = RATIO) -> tuple[int, ...]:
    """Return the lengths at which right guesses are counted, up to all guesses; none without guesses."""
    lengths = [guesses] if guesses else []
    while lengths and lengths[-1] / ratio >= FEWEST:
        lengths.append(int(lengths[-1] / ratio))
    return tuple(lengths[::-1])


def share_error(lengths: tuple[int, ...], error: float, growth: float) -> Floats:
    """Return the error probability of every length; it grows with this power of the length."""
    weights = np.array(lengths, dtype=np.float64) ** growth
    shares: Floats = weights / weights.sum() * error
    return shares


@lru_cache(maxsize=8192)
def limits(lengths: tuple[int, ...], probability: float, error: float, growth: float) -> tuple[int, ...]:
    """Return the number of right guesses at each length that refutes the null.

    Independent guesses that are right with this probability reach any of them with at most the probability
    `error`. What one length does not use of its share is left to the next.
    """
    allowed = np.cumsum(share_error(lengths, max(error - ROUNDING, 0.0), growth))
    law, lowest, before, spent, result = np.ones(1), 0, 0, 0.0, []
    for length, most in zip(lengths, allowed.tolist(), strict=True):
        law, first = _add_guesses(law, length - before, probability)
        lowest += first
        tails = np.cumsum(law[::-1])[::-1]
        kept = int(np.sum(spent + tails > most))
        result.append(lowest + kept)
        spent += float(tails[kept]) if kept < law.size else 0.0
        law, before = law[:kept] if kept else np.zeros(1), length
    return tuple(result)


def _add_guesses(law: Floats, guesses: int, probability: float) -> tuple[Floats, int]:
    """Return the law of a count after further guesses, and by how much its first value has moved."""
    low, high = binom.ppf([NEGLIGIBLE, 1 - 1e-16], guesses, probability)
    added = binom.pmf(np.arange(int(low), int(high) + 3), guesses, probability)
    whole = np.maximum(fftconvolve(law, added), 0.0)
    kept = np.flatnonzero(whole > NEGLIGIBLE)
    if not kept.size:
        return np.zeros(1), int(low)
    return whole[kept[0] : kept[-1] + 1], int(low) + int(kept[0])
