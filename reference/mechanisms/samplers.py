"""Samplers from coins with exact laws; `privacy.samplers` has discrete Laplace noise and the choices.

Notation:
    sigma    parameter of Gaussian noise        t    floor(sigma) + 1, the scale of its proposals
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privboost.errors import PreconditionError
from privboost.reference.exact import Exact, Number, exact, floor, sqrt
from privboost.reference.privacy.bits import BitSource, draw
from privboost.reference.privacy.samplers import (
    sample_bernoulli,
    sample_bernoulli_exp,
    sample_discrete_laplace,
    sample_uniform_below,
)

from .arguments import check_count, positive, rational
from .choices import randomised_response


def sample_discrete_gaussian(variance: Exact, step: Exact, bits: BitSource) -> Fraction:
    """Return k * step with probability proportional to exp(-(k step)^2 / (2 sigma^2)), sigma^2 = `variance`.

    On the integers, discrete Laplace noise k of scale t is accepted with probability exp(-(|k| - sigma^2 /
    t)^2 / (2 sigma^2)).

    Source: Canonne, Kamath and Steinke 2020, Algorithm 3.
    """
    grid = rational(positive(step, "step"), "step")
    square = positive(variance, "variance") / grid**2
    scale = floor(sqrt(square)) + 1
    while True:
        k = draw(bits, _propose, square, scale)
        if k is not None:
            return k * grid


def _propose(square: Number, scale: int, bits: BitSource) -> Fraction | None:
    """Return discrete Laplace noise, or None if it is not accepted."""
    k = draw(bits, sample_discrete_laplace, scale, 1)
    accepted = draw(bits, sample_bernoulli_exp, (abs(k) - square / scale) ** 2 / (2 * square))
    return k if accepted else None


def sample_randomised_response(value: int, k: int, epsilon: Exact, bits: BitSource) -> int:
    """Return `value` with probability e^epsilon / (e^epsilon + k - 1), else another one of 0, ..., k - 1."""
    true, _ = randomised_response(k, epsilon)
    if check_count(value, "value", 0) >= k:
        raise PreconditionError("value", f"an integer below {k}", value)
    if draw(bits, sample_bernoulli, true):
        return value
    other = draw(bits, sample_uniform_below, k - 1)
    return other + (other >= value)


def sample_noisy_max(scores: Sequence[int], scale: Exact, bits: BitSource) -> int:
    """Return the first index of the greatest score after discrete Laplace noise was added to each."""
    noisy = [exact(score) + draw(bits, sample_discrete_laplace, scale, 1) for score in scores]
    return noisy.index(max(noisy))


def sample_above_threshold(
    answers: Sequence[int], threshold: int, threshold_scale: Exact, answer_scale: Exact, bits: BitSource
) -> int:
    """Return the index of the first answer that is above the threshold with discrete Laplace noise, or n.

    Source: Dwork and Roth 2014, Algorithm 1.
    """
    bar = threshold + draw(bits, sample_discrete_laplace, threshold_scale, 1)
    for index, answer in enumerate(answers):
        if answer + draw(bits, sample_discrete_laplace, answer_scale, 1) >= bar:
            return index
    return len(answers)
