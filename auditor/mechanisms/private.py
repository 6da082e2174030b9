"""Private mechanisms whose exact privacy loss on one pair is known, for the calibration of the auditor.

A bound above `exact` is an error of the auditor. Closed forms are textbook results; laws of splits, leaves
and trees come from the reference (`private_trees`). Inputs are numbers, lists of numbers, and samples as
lists of strings such as "01+". The field `why` of an entry says where its loss comes from. `broken` has
mechanisms that are not private.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from privboost.auditor.pairs.losses import float_above
from privboost.auditor.values.failures import RAISED, failure
from privboost.reference.exact import Number
from privboost.reference.privacy.mechanisms import (
    GridLaplace,
    Laplace,
    clamped_grid_loss,
    clamped_laplace_loss,
    exponential_law,
    permute_and_flip_law,
)

from .finite_laws import loss_of_laws
from .known_loss import Claimed, index_by_name, make_known, make_known_curve
from .mechanism import Array, Rng
from .private_trees import TREES

HALF = Fraction(1, 2)


def laplace(given: float, rng: Rng, calls: int, scale: float = 1.0) -> Array:
    """Add Laplace noise."""
    return given + rng.laplace(scale=scale, size=calls)


def geometric(given: int, rng: Rng, calls: int, rate: float = 1.0) -> Array:
    """Add two-sided geometric noise, P(k) proportional to exp(-rate |k|)."""
    success = -math.expm1(-rate)
    return given + rng.geometric(success, calls) - rng.geometric(success, calls)


def truncated_geometric(given: int, rng: Rng, calls: int, most: int) -> Array:
    """Add two-sided geometric noise and clamp to [-most, most]."""
    return np.clip(geometric(given, rng, calls), -most, most)


def clamped_laplace(given: float, rng: Rng, calls: int, scale: float, bound: float) -> Array:
    """Add Laplace noise and clamp the result, which has atoms at both ends."""
    return np.clip(laplace(given, rng, calls, scale), -bound, bound)


def laplace_with_gaps(given: float, rng: Rng, calls: int) -> Array:
    """Add Laplace noise; outputs beyond 3 become infinite, and one in four is NaN."""
    noisy = laplace(given, rng, calls)
    noisy = np.where(np.abs(noisy) > 3, np.copysign(np.inf, noisy), noisy)
    return np.where(rng.random(calls) < 0.25, np.nan, noisy)


def randomised_response(given: int, rng: Rng, calls: int, epsilon: float = 1.0) -> Array:
    """Tell the truth with probability e^epsilon / (1 + e^epsilon)."""
    return np.where(rng.random(calls) < 1 / (1 + math.exp(-epsilon)), given, 1 - given)


def gaussian(given: float, rng: Rng, calls: int) -> Array:
    """Add standard Gaussian noise."""
    return given + rng.standard_normal(calls)


def gaussian_delta(epsilon: float) -> float:
    """Return the least delta of standard Gaussian noise on numbers 1 apart (Balle and Wang 2018)."""
    return float(ndtr(0.5 - epsilon) - math.exp(epsilon) * ndtr(-0.5 - epsilon))


def publish_sometimes(given: int, rng: Rng, calls: int, delta: float) -> Array:
    """Return the true value plus 10 with probability delta, else randomised response of epsilon 1."""
    answers = randomised_response(given, rng, calls)
    return np.where(rng.random(calls) < delta, 10 + given, answers)


WORDS = ("none", "one", "some", "many", "all")


def word(given: int, rng: Rng, calls: int) -> list[str]:
    """Return a word: the true one with odds of e to 1 against each other one."""
    others = rng.integers(1, len(WORDS), calls)
    truthful = rng.random(calls) < math.e / (math.e + len(WORDS) - 1)
    return [
        WORDS[given if true else (given + other) % len(WORDS)]
        for true, other in zip(truthful, others, strict=True)
    ]


def sentence(given: float, rng: Rng, calls: int) -> list[str]:
    """Add Laplace noise, and return a sentence with the number."""
    return [f"the noisy sum of the column is {noisy:.6f}, as asked" for noisy in laplace(given, rng, calls)]


def record(given: int, rng: Rng, calls: int) -> list[dict[str, Any]]:
    """Return a dictionary: a noisy number and an answer in words, at 1/2 each, and a random list."""
    noisy, answers = laplace(given, rng, calls, 2.0), randomised_response(given, rng, calls, 0.5)
    lengths = rng.integers(0, 3, calls)
    return [
        {"sum": number, "answer": WORDS[answer], "padding": [None] * length}
        for number, answer, length in zip(noisy.tolist(), answers.tolist(), lengths.tolist(), strict=True)
    ]


def refuse_sometimes(given: int, rng: Rng, calls: int) -> list[Any]:
    """Return 0 for a randomised response of 0, and fail for one of 1."""
    answers = randomised_response(given, rng, calls).tolist()
    return [failure(RAISED, "ValueError", "no rows of this class") if answer else 0.0 for answer in answers]


def publish_left(given: int, rng: Rng, calls: int, delta: float) -> Array:
    """Publish the input 0 with probability delta, else answer by randomised response of epsilon 1."""
    answers = randomised_response(given, rng, calls)
    return np.where((rng.random(calls) < delta) & (given == 0), 10, answers)


def reveal_sometimes(given: int, rng: Rng, calls: int, delta: float) -> Array:
    """Return the input with probability delta, else 2."""
    return np.where(rng.random(calls) < delta, given, 2)


QUERIES = ((0, 1, 1, 1, 1), (1, 0, 0, 0, 0))
"""Five answers that all change by 1, the first one up and the others down."""


def noisy_max(given: Sequence[float], rng: Rng, calls: int, scale: float) -> Array:
    """Return the index of the greatest answer after exponential noise: the law of permute-and-flip."""
    noisy: Array = np.asarray(given) + rng.exponential(scale, (calls, len(given)))
    indices: Array = noisy.argmax(axis=1)
    return indices


def gumbel_max(given: Sequence[float], rng: Rng, calls: int, scale: float) -> Array:
    """Return the index of the greatest answer after Gumbel noise: the exponential mechanism."""
    noisy: Array = np.asarray(given) + rng.gumbel(scale=scale, size=(calls, len(given)))
    indices: Array = noisy.argmax(axis=1)
    return indices


def _loss_of_choice(law: Callable[[dict[int, Number], Number], dict[int, Number]]) -> float:
    """Return the exact loss of a choice among the five answers, at rate 1/2."""
    first, second = (law({k: Fraction(q) for k, q in enumerate(side)}, HALF) for side in QUERIES)
    return loss_of_laws(first, second)


def noisy_masses(given: Sequence[float], rng: Rng, calls: int, scale: float = 1.0) -> Array:
    """Return the class masses of a leaf with Laplace noise on each."""
    return np.asarray(given) + rng.laplace(scale=scale, size=(calls, len(given)))


def _clamped_loss() -> float:
    """Return the loss of a leaf value of -1 against 1/2, noise of scale 2 M / epsilon, clamped to M = 1."""
    low, high = Laplace(Fraction(-1), Fraction(1)), Laplace(HALF, Fraction(1))
    there, back = clamped_laplace_loss(low, high, 1).loss, clamped_laplace_loss(high, low, 1).loss
    return max(float_above(there), float_above(back))


def _truncated_loss() -> float:
    """Return the loss of a count of 0 against 1 with geometric noise, truncated to [-2, 2]."""
    zero, one = (GridLaplace(Fraction(count), Fraction(1), Fraction(1)) for count in (0, 1))
    there, back = clamped_grid_loss(zero, one, 2).loss, clamped_grid_loss(one, zero, 2).loss
    return max(float_above(there), float_above(back))


ONE_APART = "numbers 1 apart, scale 1: the density ratio is e at and beyond either number"
OPEN = 0.01

MECHANISMS: dict[str, Claimed] = index_by_name(
    make_known("laplace", laplace, (0.0, 1.0), claim=1.0, exact=1.0, why=ONE_APART),
    make_known("geometric", geometric, (0, 1), claim=1.0, exact=1.0, why="P(k) / P(k - 1) is e or 1/e"),
    make_known(
        "randomised_response",
        randomised_response,
        (0, 1),
        claim=1.0,
        exact=1.0,
        why="the odds of the truth are e to 1",
    ),
    make_known(
        "clamped_leaf",
        partial(clamped_laplace, scale=1.0, bound=1.0),
        (-1.0, 0.5),
        claim=2.0,
        exact=_clamped_loss(),
        why="reference: clamped_laplace_loss, atoms included",
    ),
    make_known(
        "truncated_geometric",
        partial(truncated_geometric, most=2),
        (0, 1),
        claim=1.0,
        exact=_truncated_loss(),
        why="reference: clamped_grid_loss, atoms included",
    ),
    make_known(
        "laplace_with_gaps",
        laplace_with_gaps,
        (0.0, 1.0),
        claim=1.0,
        exact=1.0,
        why=f"{ONE_APART}; gaps do not depend on the number",
    ),
    make_known(
        "noisy_masses",
        noisy_masses,
        ([0.5, 0.0], [0.0, 0.5]),
        claim=1.0,
        exact=1.0,
        why="two masses move by 1/2 each, scale 1: each density ratio is e^(1/2), noises are independent",
    ),
    make_known("word", word, (0, 3), claim=1.0, exact=1.0, why="the odds of the truth are e to 1"),
    make_known(
        "sentence", sentence, (0.0, 1.0), claim=1.0, exact=1.0, why=f"{ONE_APART}; the rest is constant"
    ),
    make_known(
        "record",
        record,
        (0, 1),
        claim=1.0,
        exact=1.0,
        why="a number at scale 2 and a randomised response at 1/2, with independent noise",
    ),
    make_known(
        "refusing",
        refuse_sometimes,
        (0, 1),
        claim=1.0,
        exact=1.0,
        why="randomised response, of which one answer is a failed call",
    ),
    make_known(
        "noisy_max_index",
        partial(noisy_max, scale=2.0),
        QUERIES,
        claim=1.0,
        exact=_loss_of_choice(permute_and_flip_law),
        why="reference: permute_and_flip_law, which noisy max with exponential noise has (Ding et al. 2021)",
    ),
    make_known(
        "gumbel_max_index",
        partial(gumbel_max, scale=2.0),
        QUERIES,
        claim=1.0,
        exact=_loss_of_choice(exponential_law),
        why="reference: exponential_law, which noisy max with Gumbel noise has",
    ),
    make_known(
        "gaussian",
        gaussian,
        (0.0, 1.0),
        claim=2.0,
        exact=2.0,
        why="delta is that of Theorem 8 of Balle and Wang 2018",
        delta=gaussian_delta(2.0),
    ),
    make_known(
        "published_sometimes",
        partial(publish_sometimes, delta=OPEN),
        (0, 1),
        claim=1.0,
        exact=1.0,
        why="delta is the chance of the published truth; the rest is randomised response",
        delta=OPEN,
    ),
    make_known(
        "published_left",
        partial(publish_left, delta=OPEN),
        (0, 1),
        claim=1.0,
        exact=1.0,
        why="delta is the chance that the input 0 is published; the other direction is randomised response",
        delta=OPEN,
    ),
    make_known_curve(
        "revealed_sometimes",
        partial(reveal_sometimes, delta=0.1),
        (0, 1),
        claim="delta:0.1,eps:0",
        exact=0.1,
        why="total variation is the chance that the input is revealed",
    ),
    make_known_curve(
        "gaussian_gdp",
        gaussian,
        (0.0, 1.0),
        claim="gdp:1",
        exact=1.0,
        why="mu of standard Gaussian noise on numbers 1 apart",
    ),
    make_known_curve(
        "gaussian_curve",
        gaussian,
        (0.0, 1.0),
        claim="curve:" + ",".join(f"{e!r}={gaussian_delta(e)!r}" for e in (0.25, 0.5, 1.0, 1.5, 2.0)),
        exact=1.0,
        why="delta at each epsilon is that of Theorem 8 of Balle and Wang 2018",
    ),
    *TREES,
)
"""All mechanisms by name."""
