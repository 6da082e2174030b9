"""Samplers of common mechanisms: run on all bit strings, against laws computed from their definitions.

The comparison is exact, so there are no false alarms. Each negative control is a sampler with one mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.coin_laws import Sampler, check, contradictions_of
from privboost.reference.exact import Enclosure, Exact, enclose, exact_sum, exp, log
from privboost.reference.mechanisms.above_threshold import above_threshold
from privboost.reference.mechanisms.noisy_max import Noise, noisy_max
from privboost.reference.mechanisms.samplers import (
    sample_above_threshold,
    sample_discrete_gaussian,
    sample_noisy_max,
    sample_randomised_response,
)
from privboost.reference.privacy.bits import BitSource, SeededBits, draw
from privboost.reference.privacy.coins import enumerate_law
from privboost.reference.privacy.samplers import sample_bernoulli_exp, sample_discrete_laplace

HALF = Fraction(1, 2)


def gaussian_on_grid(variance: Exact, step: Fraction) -> dict[Fraction, Enclosure]:
    """Return enclosures of probabilities proportional to exp(-(k step)^2 / (2 variance)).

    The weights beyond |k| = 60 are less than 2^-200 together, which is the width of the enclosures.
    """
    weights = {k * step: exp(-((k * step) ** 2) / (2 * variance)) for k in range(-60, 61)}
    total, tail = exact_sum(weights.values()), Fraction(1, 2**200)
    parts = {x: enclose(weight / total, 220) for x, weight in weights.items()}
    return {x: Enclosure(part.lo * (1 - tail), part.hi) for x, part in parts.items()}


def disagreements(sampler: Sampler, law: Mapping[Fraction, Enclosure], depth: int) -> list[Fraction]:
    """Return the outcomes whose counted probability is not that of a law."""
    counted = enumerate_law(sampler, depth)
    assert counted.rest < Fraction(1, 2**20)
    return [x for x, enclosure in law.items() if not enclosure.meets(counted.enclose(x))]


GRIDS = [
    (Fraction(1), Fraction(1)),
    (Fraction(1, 3), HALF),
    (log(2), Fraction(1)),
    (Fraction(9), Fraction(2)),
]


@pytest.mark.parametrize(("variance", "step"), GRIDS, ids=str)
def test_discrete_gaussian__sampler_has_its_law(variance: Exact, step: Fraction) -> None:
    def sampler(bits: BitSource) -> Fraction:
        return sample_discrete_gaussian(variance, step, bits)

    assert disagreements(sampler, gaussian_on_grid(variance, step), 34) == []


def without_shift(bits: BitSource) -> Fraction:
    """Return discrete Laplace noise of scale 2, accepted with exp(-k^2 / 2), as if proposals were uniform."""
    while True:
        k = draw(bits, sample_discrete_laplace, 2, 1)
        if draw(bits, sample_bernoulli_exp, k * k / 2):
            return k


def test_discrete_gaussian__a_wrong_acceptance_is_rejected() -> None:
    law = enumerate_law(without_shift, 12)
    expected = gaussian_on_grid(1, Fraction(1))
    assert not expected[Fraction(0)].meets(law.enclose(Fraction(0)))


def test_discrete_gaussian__sigma_for_variance_is_rejected() -> None:
    def sampler(bits: BitSource) -> Fraction:
        return sample_discrete_gaussian(3, 1, bits)

    assert disagreements(sampler, gaussian_on_grid(9, Fraction(1)), 30) != []


@pytest.mark.parametrize("value", range(3))
@pytest.mark.parametrize("epsilon", [HALF, log(3)], ids=str)
def test_randomised_response__sampler_has_its_law(value: int, epsilon: Exact) -> None:
    odds = exp(epsilon)
    law = {answer: (odds if answer == value else 1) / (odds + 2) for answer in range(3)}
    check(lambda bits: sample_randomised_response(value, 3, epsilon, bits), law)
    wrong = {answer: (odds if answer == value else 1) / (odds + 1) for answer in range(3)}
    counted = enumerate_law(lambda bits: sample_randomised_response(value, 3, epsilon, bits), 46)
    assert contradictions_of(counted, wrong) != []


SCORES = [(1, 0), (0, 1, 1)]


@pytest.mark.parametrize("scores", SCORES, ids=str)
def test_noisy_max__sampler_has_the_law_in_closed_form(scores: tuple[int, ...]) -> None:
    scale = Fraction(1, 3)
    law = noisy_max(scores, scale, Noise.GEOMETRIC)
    counted = enumerate_law(lambda bits: sample_noisy_max(scores, scale, bits), 46)
    assert counted.rest < Fraction(1, 2**30)
    assert all(probability in counted.enclose(index) for index, probability in law.items())
    # The wrong law is that of the next scale.
    wrong = noisy_max(scores, scale * 2, Noise.GEOMETRIC)
    assert not all(probability in counted.enclose(index) for index, probability in wrong.items())


def test_above_threshold__sampler_has_the_law_in_closed_form() -> None:
    answers, threshold, scales = (0, 2), 1, (Fraction(1, 4), Fraction(1, 2))
    law = above_threshold(answers, threshold, *scales, grid=True)
    counted = enumerate_law(lambda bits: sample_above_threshold(answers, threshold, *scales, bits), 46)
    assert counted.rest < Fraction(1, 2**30)
    assert all(probability in counted.enclose(index) for index, probability in enumerate(law))
    # Noise of the same scale for the threshold and the answers is another mechanism.
    wrong = above_threshold(answers, threshold, scales[0], scales[0], grid=True)
    assert not all(probability in counted.enclose(index) for index, probability in enumerate(wrong))


def test_samplers__draws_from_a_seed_repeat() -> None:
    draws = [[sample_discrete_gaussian(100, 1, SeededBits(seed)) for seed in range(20)] for _ in range(2)]
    assert draws[0] == draws[1]
    assert len(set(draws[0])) > 5


def test_randomised_response__refuses_values_that_are_no_answers() -> None:
    with pytest.raises(PreconditionError, match="an integer below 3"):
        sample_randomised_response(3, 3, 1, SeededBits(0))
