"""Well-known mechanisms that violate their claim, each with a pair on which an audit can detect it.

The variants of the sparse vector technique follow Lyu, Su and Li, "Understanding the sparse vector technique
for differential privacy" (VLDB 2017), Figure 1; those of noisy max and of the histogram are test cases of
StatDP (Ding et al. 2018). `exact` is the loss of the pair, infinite if some output is possible on one side
only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from .mechanism import Array, Bank, Known, KnownOfAnswers, Rng
from .private import clamped_laplace, clamped_loss, laplace, noisy_masses

BINS, QUERIES, POSITIVES = 5, 10, 5

# Histograms, sums, noisy max -----------------------------------------------------------------------------


def noisy_max_value(given: Sequence[float], rng: Rng, calls: int, scale: float) -> Array:
    """Return the greatest noisy answer itself, although the budget covers only its index."""
    noisy: Array = (np.asarray(given) + rng.laplace(scale=scale, size=(calls, len(given)))).max(axis=1)
    return noisy


def unbounded_sum(given: Sequence[float], rng: Rng, calls: int) -> Array:
    """Add noise for numbers in [0, 1] to a sum of numbers that are not clamped."""
    return laplace(float(np.sum(given)), rng, calls)


# Sparse vector -------------------------------------------------------------------------------------------


def sparse_vector_open_queries(given: Sequence[float], rng: Rng, calls: int, epsilon: float) -> Array:
    """Compare exact answers with a noisy threshold of 0 (Figure 1, algorithm 5)."""
    threshold = rng.laplace(scale=2 / epsilon, size=(calls, 1))
    return np.asarray(given) >= threshold


def sparse_vector_unscaled(given: Sequence[float], rng: Rng, calls: int, epsilon: float) -> list[list[bool]]:
    """Stop after c answers above a noisy threshold of 0; their noise does not grow with c (algorithm 4).

    A quarter of epsilon is spent on the threshold, the rest on the answers; the true loss is at most
    (1 + 6 c) / 4 epsilon.
    """
    threshold = rng.laplace(scale=4 / epsilon, size=(calls, 1))
    above = np.asarray(given) + rng.laplace(scale=4 / (3 * epsilon), size=(calls, len(given))) >= threshold
    lengths = 1 + np.argmax(np.cumsum(above, axis=1) >= POSITIVES, axis=1)
    lengths = np.where(above.sum(axis=1) >= POSITIVES, lengths, len(given))
    return [row[:length] for row, length in zip(above.tolist(), lengths.tolist(), strict=True)]


def sparse_vector_value(given: Sequence[float], rng: Rng, calls: int, epsilon: float) -> list[list[Any]]:
    """Stop at the first answer above the threshold and return its noisy value (algorithm 3, c = 1)."""
    threshold = rng.laplace(scale=2 / epsilon, size=(calls, 1))
    noisy = np.asarray(given) + rng.laplace(scale=2 / epsilon, size=(calls, len(given)))
    above = noisy >= threshold
    first = np.where(above.any(axis=1), above.argmax(axis=1), len(given))
    return [
        [False] * index + row[index : index + 1]
        for index, row in zip(first.tolist(), noisy.tolist(), strict=True)
    ]


HALVES = ([0.0] * 5 + [1.0] * 5, [1.0] * 5 + [0.0] * 5)
"""Ten answers; the first half goes up by 1, the second half down by 1."""


def unscaled_loss() -> float:
    """Return the loss of the unscaled sparse vector on the halves: the greatest log ratio over all outputs.

    The probability of an output is the integral over the threshold t of its density times a factor for every
    answer q, P(q + noise >= t) or 1 minus it, so it depends on how many of each half are above and below.
    Between the kinks at 0 and 1 the factors are sums of exponentials, and quadrature is accurate to 1e-12.
    """
    ends = np.array([-160, -80, -40, -20, -10, -5, -2, 0, 1, 3, 6, 11, 21, 41, 81, 161], dtype=np.float64)
    points, weights = np.polynomial.legendre.leggauss(48)
    middles, halves = (ends[1:, None] + ends[:-1, None]) / 2, np.diff(ends)[:, None] / 2
    at, width = (middles + halves * points).ravel(), (halves * weights).ravel()
    mass = width * np.exp(-np.abs(at) / 4) / 8
    tails = [0.5 * np.exp(-np.abs(at - q) * 3 / 4) for q in (0.0, 1.0)]
    above = [np.where(at > q, tail, 1 - tail) for q, tail in zip((0.0, 1.0), tails, strict=True)]

    def probability(side: int, early: int, late: int, length: int) -> float:
        one, other = above[side], above[1 - side]
        factors = one**early * (1 - one) ** (5 - early) * other**late * (1 - other) ** (length - late)
        return float((mass * factors).sum())

    outputs = [output for output in product(range(6), repeat=3) if _is_output(*output)]
    return max(abs(math.log(probability(0, *output) / probability(1, *output))) for output in outputs)


def _is_output(early: int, late: int, length: int) -> bool:
    """Return whether an output may have `early` of the first five and `late` of the next `length` above."""
    if early + late == POSITIVES:
        return late <= length and (late > 0 or length == 0)
    return early + late < POSITIVES and length == QUERIES - 5


# Floating point ------------------------------------------------------------------------------------------


def textbook_laplace(given: float, rng: Rng, calls: int, scale: float = 1.0) -> Array:
    """Add Laplace noise by the inverse of its distribution function, in doubles (Mironov 2012)."""
    uniform = rng.random(calls) - 0.5
    with np.errstate(divide="ignore"):
        noise: Array = -scale * np.sign(uniform) * np.log(1 - 2 * np.abs(uniform))
    return given + noise


MECHANISMS = Bank(
    {
        # One count moves by 1, noise of scale epsilon where 1 / epsilon is needed.
        "histogram_inverted": lambda: KnownOfAnswers(
            partial(noisy_masses, scale=0.1),
            ([1.0] * BINS, [2.0] + [1.0] * (BINS - 1)),
            claim=0.1,
            exact=10.0,
            purpose="Add noise of scale epsilon to counts, where 1 / epsilon is needed.",
        ),
        # No threshold has all of one half above and all of the other below, on both sides.
        "sparse_vector_open_queries": lambda: KnownOfAnswers(
            partial(sparse_vector_open_queries, epsilon=1.0), HALVES, claim=1.0, exact=math.inf
        ),
        # Below all answers the density of the greatest of five is proportional to exp(5 x).
        "noisy_max_value": lambda: KnownOfAnswers(
            partial(noisy_max_value, scale=1.0), ([0.0] * BINS, [1.0] * BINS), claim=2.0, exact=5.0
        ),
        # Quadrature over the threshold, every output; (1 + 6 c) / 4 = 7.75 bounds it on all pairs.
        "sparse_vector_unscaled": lambda: KnownOfAnswers(
            partial(sparse_vector_unscaled, epsilon=1.0), HALVES, claim=1.0, exact=unscaled_loss()
        ),
        # Nine below, a tenth far down: e^(1/2) for each; seldom seen. Halves are easier to tell apart.
        "sparse_vector_value": lambda: KnownOfAnswers(
            partial(sparse_vector_value, epsilon=1.0),
            ([0.0] * QUERIES, [1.0] * QUERIES),
            claim=1.0,
            exact=QUERIES / 2,
        ),
        # Numbers 1 apart, scale 1/2.
        "laplace_twofold": lambda: Known(
            partial(laplace, scale=0.5),
            (0.0, 1.0),
            claim=1.0,
            exact=2.0,
            purpose="Add Laplace noise of half the scale that is needed.",
        ),
        # The sum moves by 10, scale 1.
        "unbounded_sum": lambda: Known(unbounded_sum, ([0.0, 0.5], [10.0, 0.5]), claim=1.0, exact=10.0),
        # Raw values 0 and 5, not clamped before the noise, which is that of values in [0, 1].
        "clamped_after": lambda: Known(
            partial(clamped_laplace, scale=1.0, bound=1.0),
            (0.0, 5.0),
            claim=2.0,
            exact=clamped_loss(Fraction(0), Fraction(5)),
            purpose="Clamp after the noise, and not before it.",
        ),
        # Some doubles can be reached from one input only (Mironov 2012).
        "laplace_textbook": lambda: Known(textbook_laplace, (0.0, 1.0), claim=1.0, exact=math.inf),
        "laplace_numpy": lambda: Known(
            laplace,
            (0.0, 1.0),
            claim=1.0,
            exact=math.inf,
            purpose="Add NumPy's Laplace noise, in doubles; low bits reveal the input.",
        ),
    }
)
"""All broken mechanisms by name; comments say where an exact loss comes from."""
