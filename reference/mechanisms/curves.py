"""The least delta at every epsilon, of noise and of randomised response.

Notation:
    b        scale of Laplace noise      sigma    parameter of Gaussian noise      Delta    sensitivity
    r        epsilon of randomised response among k answers
"""

from __future__ import annotations

from fractions import Fraction

from privboost.reference.exact import Exact, Number, exact, exp, floor

from .arguments import check_count, not_negative, positive
from .choices import randomised_response
from .noise import DiscreteGaussian, GridLaplace


def laplace_delta(epsilon: Exact, scale: Exact, sensitivity: Exact = 1) -> Number:
    """Return max{0, 1 - exp((epsilon - Delta / b) / 2)}.

    Source: Balle, Barthe and Gaboardi 2018 (privacy profiles).
    """
    loss = positive(sensitivity, "sensitivity") / positive(scale, "scale")
    return max(Fraction(0), 1 - exp((not_negative(epsilon, "epsilon") - loss) / 2))


def discrete_laplace_delta(epsilon: Exact, scale: Exact, sensitivity: int = 1) -> Number:
    """Return max{0, P(X <= y) - e^epsilon P(X <= y - Delta)} for noise on the integers.

    The output x is likelier around 0 than around Delta, by a factor above e^epsilon, if x < (Delta - epsilon
    b) / 2; y is the greatest such integer.
    """
    budget, width = not_negative(epsilon, "epsilon"), positive(scale, "scale")
    reach = check_count(sensitivity, "sensitivity")
    law = GridLaplace(Fraction(0), width, Fraction(1))
    y = -floor((budget * width - reach) / 2) - 1
    return max(Fraction(0), law.below(y) - exp(budget) * law.below(y - reach))


def discrete_gaussian_delta(epsilon: Exact, sigma: Exact, sensitivity: int = 1) -> Number:
    """Return P(X > t - Delta / 2) - e^epsilon P(X > t + Delta / 2), t = epsilon sigma^2 / Delta.

    Source: Canonne, Kamath and Steinke 2020, Theorem 7.
    """
    budget, width = not_negative(epsilon, "epsilon"), positive(sigma, "sigma")
    reach = check_count(sensitivity, "sensitivity")
    law = DiscreteGaussian(Fraction(0), width)
    y = floor(budget * width * width / reach + Fraction(reach, 2)) + 1
    return law.above(y - reach) - exp(budget) * law.above(y)


def randomised_response_delta(epsilon: Exact, r: Exact, k: int = 2) -> Number:
    """Return max{0, (e^r - e^epsilon) / (e^r + k - 1)}.

    Source: Kairouz, Oh and Viswanath 2015, Section 3.2 (k = 2); the two answers that differ decide for any k.
    """
    true, other = randomised_response(k, r)
    return max(Fraction(0), true - exp(exact(not_negative(epsilon, "epsilon"))) * other)
