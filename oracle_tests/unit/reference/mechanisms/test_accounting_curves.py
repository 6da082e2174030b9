"""The least delta at every epsilon: closed forms against integrals and sums of the definition.

Every formula has a wrong twin, often a published mistake, that the same comparison rejects.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from privboost.errors import PreconditionError
from privboost.oracle_tests.support.divergences import (
    Real,
    crossing,
    finite_hockey_stick,
    hockey_stick,
    is_near,
    laplace,
    normal,
    on_integers,
    shift,
    to_mpf,
)
from privboost.reference.exact import Exact, Number, enclose, exp, log, sqrt
from privboost.reference.mechanisms.curves import (
    discrete_gaussian_delta,
    discrete_laplace_delta,
    laplace_delta,
    randomised_response_delta,
)
from privboost.reference.mechanisms.gaussian import (
    classic_sigma,
    compose_gdp,
    enclose_gaussian_epsilon,
    enclose_sigma,
    gaussian_delta,
    gdp_delta,
    gdp_mu,
    group_gdp,
)
from privboost.reference.mechanisms.noise import laplace_scale, normal_below
from privboost.reference.mechanisms.subsampling import amplify, subsampled_gaussian_delta

HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
EPSILONS = [Fraction(0), TENTH, Fraction(1), log(3), Fraction(4)]
FAR = 40

each_epsilon = pytest.mark.parametrize("epsilon", EPSILONS, ids=str)


def gaussian_by_integral(epsilon: Exact, sigma: Exact, sensitivity: Exact) -> Real:
    """Return the delta of Gaussian noise: all outputs beyond the point where the odds are e^epsilon."""
    width, reach = to_mpf(sigma), to_mpf(sensitivity)
    p, q = normal(reach, width), normal(0, width)
    end = FAR * width + reach
    start = crossing(p, q, epsilon, -end, end)
    return hockey_stick(p, q, epsilon, [start, start + width, start + 4 * width, end])


@each_epsilon
@pytest.mark.parametrize(("sigma", "sensitivity"), [(1, 1), (HALF, Fraction(2, 3)), (sqrt(7), 5)], ids=str)
def test_gaussian__delta_is_the_integral(epsilon: Exact, sigma: Exact, sensitivity: Exact) -> None:
    expected = gaussian_by_integral(epsilon, sigma, sensitivity)
    assert is_near(gaussian_delta(epsilon, sigma, sensitivity), expected)
    assert is_near(gdp_delta(epsilon, gdp_mu(sigma, sensitivity)), expected)
    # P(loss > epsilon) is a bound on delta and not the least one.
    mu = gdp_mu(sigma, sensitivity)
    assert not is_near(normal_below(mu / 2 - epsilon / mu), expected)


@pytest.mark.parametrize("delta", [Fraction(1, 10**3), Fraction(1, 10**5), Fraction(1, 10**12)], ids=str)
@pytest.mark.parametrize("epsilon", [TENTH, Fraction(1), Fraction(8)], ids=str)
def test_gaussian__sigma_solves_the_equation_of_the_integral(epsilon: Exact, delta: Fraction) -> None:
    sigma = enclose_sigma(epsilon, delta, 3)
    assert sigma.width <= sigma.lo / 2**40
    assert gaussian_delta(epsilon, sigma.hi, 3) <= delta < gaussian_delta(epsilon, sigma.lo, 3)
    assert is_near(gaussian_by_integral_at(epsilon, sigma.hi), to_mpf(delta), 9)


def gaussian_by_integral_at(epsilon: Exact, sigma: Fraction) -> Fraction:
    """Return the delta by integration for a sensitivity of 3, as a rational."""
    value = gaussian_by_integral(epsilon, sigma, 3)
    return Fraction(int(value * 2**300), 2**300)


def test_gaussian__the_classic_sigma_is_refused_where_it_fails() -> None:
    # Balle and Wang 2018, Section 2.3: beyond epsilon = 1 the classic formula may give too little noise.
    epsilon, delta = Fraction(10), Fraction(1, 1000)
    with pytest.raises(PreconditionError, match="for the classic formula"):
        classic_sigma(epsilon, delta)
    literal = sqrt(2 * log(5 / (4 * delta))) / epsilon
    assert literal < enclose_sigma(epsilon, delta).lo
    assert gaussian_delta(epsilon, literal) > delta


@pytest.mark.parametrize("epsilon", [TENTH, HALF, Fraction(99, 100)], ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 1000), Fraction(1, 10**8)], ids=str)
def test_gaussian__the_classic_sigma_is_enough_below_one(epsilon: Fraction, delta: Fraction) -> None:
    assert enclose_sigma(epsilon, delta, 2).hi < classic_sigma(epsilon, delta, 2)
    # A tenth of the variance is not enough.
    assert classic_sigma(epsilon, delta, 2) / sqrt(10) < enclose_sigma(epsilon, delta, 2).lo


def test_gaussian__epsilon_is_the_inverse_of_delta() -> None:
    epsilon = enclose_gaussian_epsilon(Fraction(1, 10**6), 3, 2)
    assert gaussian_delta(epsilon.hi, 3, 2) <= Fraction(1, 10**6) < gaussian_delta(epsilon.lo, 3, 2)
    with pytest.raises(PreconditionError, match="delta at epsilon = 0"):
        enclose_gaussian_epsilon(HALF, 3, 2)


def test_gdp__composition_and_groups_are_noise_of_many_sums() -> None:
    # The likelihood ratio of independent sums with mu = 3 and 4 is that of one sum with mu = 5.
    assert compose_gdp([3, 4]) == 5
    assert group_gdp(Fraction(1, 3), 6) == 2
    p, q = normal(to_mpf(5), 1), normal(0, 1)
    start = crossing(p, q, 1, -FAR, FAR)
    assert is_near(gdp_delta(1, compose_gdp([3, 4])), hockey_stick(p, q, 1, [start, 5, 9, FAR]))
    assert not is_near(gdp_delta(1, 7), hockey_stick(p, q, 1, [start, 5, 9, FAR]))


@each_epsilon
@pytest.mark.parametrize("scale", [HALF, Fraction(1), sqrt(3)], ids=str)
def test_laplace__delta_is_the_integral(epsilon: Exact, scale: Exact) -> None:
    width = to_mpf(scale)
    p, q = laplace(1, width), laplace(0, width)
    start = crossing(p, q, epsilon, 0, 1)
    expected = hockey_stick(p, q, epsilon, [start, 1, 2, 5, FAR * width])
    delta = laplace_delta(epsilon, scale)
    assert is_near(delta, expected) if epsilon * scale < 1 else delta == 0
    assert epsilon * scale >= 1 or not is_near(1 - exp(epsilon - Fraction(1) / scale), expected)


def test_laplace__scale_for_a_delta_attains_it() -> None:
    scale = laplace_scale(HALF, 3, Fraction(1, 100))
    assert 0 in enclose(laplace_delta(HALF, scale, 3) - Fraction(1, 100), 100)
    assert scale < laplace_scale(HALF, 3) / (1 + Fraction(1, 1000))


@each_epsilon
@pytest.mark.parametrize(
    ("scale", "reach"), [(Fraction(1), 1), (Fraction(5, 2), 3), (1 / log(2), 2)], ids=str
)
def test_discrete_laplace__delta_is_the_sum(epsilon: Exact, scale: Exact, reach: int) -> None:
    law = on_integers(lambda k: mpmath.exp(-abs(k) / to_mpf(scale)), 400)
    expected = finite_hockey_stick(shift(law, reach), law, epsilon)
    delta = discrete_laplace_delta(epsilon, scale, reach)
    assert is_near(delta, expected) if expected > mpmath.mpf(10) ** -25 else 0 <= delta < Fraction(1, 10**25)
    # The continuous curve is another one, except where all outputs between the centres are on one side.
    assert discrete_laplace_delta(TENTH, 1) != laplace_delta(TENTH, 1)


@each_epsilon
@pytest.mark.parametrize(("sigma", "reach"), [(Fraction(1), 1), (Fraction(3), 2), (sqrt(2), 3)], ids=str)
def test_discrete_gaussian__delta_is_the_sum(epsilon: Exact, sigma: Exact, reach: int) -> None:
    law = on_integers(lambda k: mpmath.exp(-k * k / (2 * to_mpf(sigma) ** 2)), 80)
    expected = finite_hockey_stick(shift(law, reach), law, epsilon)
    assert is_near(discrete_gaussian_delta(epsilon, sigma, reach), expected)
    assert not is_near(gaussian_delta(epsilon, sigma, reach), expected)


@each_epsilon
@pytest.mark.parametrize("k", [2, 3, 10])
def test_randomised_response__delta_is_the_sum(epsilon: Exact, k: int) -> None:
    with mpmath.workdps(40):
        odds = to_mpf(exp(Fraction(2)))
        laws = [{i: (odds if i == j else mpmath.mpf(1)) / (odds + k - 1) for i in range(k)} for j in range(2)]
    delta = randomised_response_delta(epsilon, 2, k)
    expected = finite_hockey_stick(laws[0], laws[1], epsilon)
    assert is_near(delta, expected) if epsilon < 2 else delta == 0 == expected
    assert epsilon >= 2 or not is_near(randomised_response_delta(epsilon, 2, k + 1), expected)


# Subsampling ---------------------------------------------------------------------------------------------


def subsampled_by_integral(epsilon: Exact, sigma: Exact, q: Exact) -> tuple[Real, Real]:
    """Return the divergences of a sampled sum with a row from one without it, and the reverse."""
    width, share = to_mpf(sigma), to_mpf(q)
    without = normal(0, width)

    def mixture(x: Real) -> Real:
        return (1 - share) * mpmath.npdf(x, 0, width) + share * mpmath.npdf(x, 1, width)

    end = FAR * width
    up, down = crossing(mixture, without, epsilon, -end, end), crossing(without, mixture, epsilon, -end, end)
    return (
        hockey_stick(mixture, without, epsilon, [up, up + width, up + 4 * width, end + 1]),
        hockey_stick(without, mixture, epsilon, [-end, down - 4 * width, down - width, down]),
    )


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 20), Fraction(1)], ids=str)
@pytest.mark.parametrize(("sigma", "q"), [(1, TENTH), (HALF, Fraction(2, 3)), (2, 1)], ids=str)
def test_subsampling__gaussian_delta_is_the_integral(epsilon: Exact, sigma: Exact, q: Exact) -> None:
    added, removed = subsampled_by_integral(epsilon, sigma, q)
    delta = subsampled_gaussian_delta(epsilon, sigma, q)
    assert is_near(delta, max(added, removed))
    # Amplifying one point of the curve holds for it, but with the rate on epsilon alone it would not.
    bound_epsilon, bound_delta = amplify(epsilon, gaussian_delta(epsilon, sigma), q)
    assert subsampled_gaussian_delta(bound_epsilon, sigma, q) <= bound_delta + Fraction(1, 2**90)
    assert q == 1 or subsampled_gaussian_delta(bound_epsilon, sigma, q) > q * bound_delta


def test_subsampling__amplification_of_randomised_response_is_attained() -> None:
    # Poisson sampling of one row: with probability q its answer, else that of a row which is not there.
    r, q = Fraction(1), Fraction(1, 5)
    true = exp(r) / (exp(r) + 1)
    odds = (q * true + (1 - q) * (1 - true)) / (1 - true)
    epsilon, delta = amplify(r, 0, q)
    assert 0 in enclose(log(odds) - epsilon, 100)
    assert delta == 0
    assert epsilon < r * q * Fraction(17, 10)
    assert not (log(odds) <= q * r)


@pytest.mark.parametrize("replaced", [1, 2, 5])
def test_subsampling__without_replacement_is_attained_by_randomised_response(replaced: int) -> None:
    # One of n rows is drawn and answers; the row that differs is drawn with probability 1 / n.
    n = replaced
    true: Number = exp(Fraction(1)) / (exp(Fraction(1)) + 1)
    ones = (true + (n - 1) * (1 - true)) / n
    assert 0 in enclose(log(ones / (1 - true)) - amplify(1, 0, Fraction(1, n))[0], 100)


@pytest.mark.parametrize("q", [0, -1, Fraction(3, 2)], ids=str)
def test_subsampling__refuses_rates_outside_its_range(q: Exact) -> None:
    with pytest.raises(PreconditionError, match="q: expected"):
        amplify(1, 0, q)
