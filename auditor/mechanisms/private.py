"""Private mechanisms whose exact privacy loss on one pair is known, for the calibration of the auditor.

A bound above `exact` is an error of the auditor. Closed forms are textbook results; laws of splits, leaves
and trees come from the reference (`private_trees`). Inputs are numbers, lists of numbers, and samples as
lists of strings such as "01+". The reference is imported when a loss that it computes is first used. `broken`
has mechanisms that are not private.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtr

from privboost.auditor.values.failures import RAISED, failure

from .mechanism import Array, Bank, Known, KnownOfAnswers, Rng

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


def _gaussian_curve() -> str:
    return "curve:" + ",".join(f"{e!r}={gaussian_delta(e)!r}" for e in (0.25, 0.5, 1.0, 1.5, 2.0))


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
    indices: Array = np.argmax(np.asarray(given) + rng.exponential(scale, (calls, len(given))), axis=1)
    return indices


def gumbel_max(given: Sequence[float], rng: Rng, calls: int, scale: float) -> Array:
    """Return the index of the greatest answer after Gumbel noise: the exponential mechanism."""
    indices: Array = np.argmax(np.asarray(given) + rng.gumbel(scale=scale, size=(calls, len(given))), axis=1)
    return indices


def _loss_of_choice(*, permute_and_flip: bool) -> float:
    """Return the exact loss of a choice among the five answers, at rate 1/2."""
    from privboost.reference.privacy.mechanisms import exponential_law, permute_and_flip_law

    from .private_trees import loss_of_laws

    law = permute_and_flip_law if permute_and_flip else exponential_law
    first, second = (law({k: Fraction(q) for k, q in enumerate(side)}, HALF) for side in QUERIES)
    return loss_of_laws(first, second)


def noisy_masses(given: Sequence[float], rng: Rng, calls: int, scale: float = 1.0) -> Array:
    """Return the class masses of a leaf with Laplace noise on each."""
    return np.asarray(given) + rng.laplace(scale=scale, size=(calls, len(given)))


def clamped_loss(first: Fraction, second: Fraction) -> float:
    """Return the exact loss between two numbers with Laplace noise of scale 1, clamped to [-1, 1]."""
    from privboost.auditor.pairs.samples import float_above
    from privboost.reference.privacy.mechanisms import Laplace, clamped_laplace_loss

    one, other = Laplace(first, Fraction(1)), Laplace(second, Fraction(1))
    return max(float_above(clamped_laplace_loss(*ends, 1).loss) for ends in ((one, other), (other, one)))


def _truncated_loss() -> float:
    """Return the loss of a count of 0 against 1 with geometric noise, truncated to [-2, 2]."""
    from privboost.auditor.pairs.samples import float_above
    from privboost.reference.privacy.mechanisms import GridLaplace, clamped_grid_loss

    zero, one = (GridLaplace(Fraction(count), Fraction(1), Fraction(1)) for count in (0, 1))
    return max(float_above(clamped_grid_loss(*ends, 2).loss) for ends in ((zero, one), (one, zero)))


def _tree(name: str) -> Known:
    """Return a split or a tree of the reference."""
    from .private_trees import TREES

    return TREES[name]()


OPEN = 0.01

MECHANISMS = Bank(
    {
        # Numbers 1 apart and scale 1: the density ratio is e at and beyond either number.
        "laplace": lambda: Known(laplace, (0.0, 1.0), claim=1.0, exact=1.0),
        # P(k) / P(k - 1) is e or 1/e.
        "geometric": lambda: Known(geometric, (0, 1), claim=1.0, exact=1.0),
        # The odds of the truth are e to 1.
        "randomised_response": lambda: Known(randomised_response, (0, 1), claim=1.0, exact=1.0),
        # A leaf value of -1 against 1/2, noise of scale 2 M / epsilon, M = 1; both ends are atoms.
        "clamped_leaf": lambda: Known(
            partial(clamped_laplace, scale=1.0, bound=1.0),
            (-1.0, 0.5),
            claim=2.0,
            exact=clamped_loss(Fraction(-1), HALF),
            purpose="Add Laplace noise to a leaf value in [-1, 1] and clamp the result.",
        ),
        "truncated_geometric": lambda: Known(
            partial(truncated_geometric, most=2), (0, 1), claim=1.0, exact=_truncated_loss()
        ),
        # As laplace; the gaps do not depend on the number.
        "laplace_with_gaps": lambda: Known(laplace_with_gaps, (0.0, 1.0), claim=1.0, exact=1.0),
        # Two masses move by 1/2 each, scale 1: each density ratio is e^(1/2), noises are independent.
        "noisy_masses": lambda: KnownOfAnswers(noisy_masses, ([0.5, 0.0], [0.0, 0.5]), claim=1.0, exact=1.0),
        # The odds of the truth are e to 1.
        "word": lambda: Known(word, (0, 3), claim=1.0, exact=1.0),
        # As laplace; the rest of the sentence is constant.
        "sentence": lambda: Known(sentence, (0.0, 1.0), claim=1.0, exact=1.0),
        # A number at scale 2 and a randomised response at 1/2, with independent noise.
        "record": lambda: Known(record, (0, 1), claim=1.0, exact=1.0),
        # Randomised response, of which one answer is a failed call.
        "refusing": lambda: Known(refuse_sometimes, (0, 1), claim=1.0, exact=1.0),
        # Noisy max with exponential noise has the law of permute-and-flip (Ding et al. 2021).
        "noisy_max_index": lambda: KnownOfAnswers(
            partial(noisy_max, scale=2.0), QUERIES, claim=1.0, exact=_loss_of_choice(permute_and_flip=True)
        ),
        # Noisy max with Gumbel noise has the law of the exponential mechanism.
        "gumbel_max_index": lambda: KnownOfAnswers(
            partial(gumbel_max, scale=2.0), QUERIES, claim=1.0, exact=_loss_of_choice(permute_and_flip=False)
        ),
        # Delta is that of Theorem 8 of Balle and Wang 2018.
        "gaussian": lambda: Known(gaussian, (0.0, 1.0), claim=2.0, exact=2.0, delta=gaussian_delta(2.0)),
        # Delta is the probability of the published truth; the rest is randomised response.
        "published_sometimes": lambda: Known(
            partial(publish_sometimes, delta=OPEN), (0, 1), claim=1.0, exact=1.0, delta=OPEN
        ),
        # Delta is the probability that the input 0 is published; the other way it is randomised response.
        "published_left": lambda: Known(
            partial(publish_left, delta=OPEN), (0, 1), claim=1.0, exact=1.0, delta=OPEN
        ),
        # Total variation is the probability that the input is revealed.
        "revealed_sometimes": lambda: Known(
            partial(reveal_sometimes, delta=0.1), (0, 1), claim="delta:0.1,eps:0", exact=0.1
        ),
        # Mu of standard Gaussian noise on numbers 1 apart.
        "gaussian_gdp": lambda: Known(
            gaussian,
            (0.0, 1.0),
            claim="gdp:1",
            exact=1.0,
            purpose="Add standard Gaussian noise; the claim is Gaussian DP.",
        ),
        # Delta at each epsilon is that of Theorem 8 of Balle and Wang 2018.
        "gaussian_curve": lambda: Known(
            gaussian,
            (0.0, 1.0),
            claim=_gaussian_curve(),
            exact=1.0,
            purpose="Add standard Gaussian noise; the claim is a curve.",
        ),
        "exponential_split": partial(_tree, "exponential_split"),
        "permute_and_flip_split": partial(_tree, "permute_and_flip_split"),
        "finite_tree": partial(_tree, "finite_tree"),
        "noisy_tree": partial(_tree, "noisy_tree"),
    }
)
"""All mechanisms by name; comments say where an exact loss comes from that the reference does not compute."""
